"""Files are written whole or not at all."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from file_faults import ERRORS, failing
from small_disk import small_disk

from unseen.utils.errors import InputError
from unseen.utils.storage.writing import create_file, refuse_existing


def test_a_full_disk_is_a_sentence_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with (
        small_disk(1000),
        pytest.raises(InputError, match=r"file cannot be written \(.*\): make room"),
        create_file(path, force=True) as draft,
    ):
        draft.write_bytes(b"x" * 5000)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", ERRORS, ids=errno.errorcode.get)
def test_a_disk_that_fails_is_a_sentence_that_says_what_is_there(error: int, tmp_path: Path) -> None:
    """The last operation is to sync the folder, when the new file is in its place."""
    path = tmp_path / "file"
    with failing(tmp_path, None) as faults, create_file(path) as draft:
        draft.write_text("old")
    assert faults.count > 5
    for at in range(1, faults.count + 1):
        path.write_text("old")
        said = ""
        try:
            with failing(tmp_path, at, error), create_file(path, force=True) as draft:
                draft.write_text("new")
        except InputError as refusal:
            said = str(refusal)
        there = path.read_text()
        assert said or there == "new", "only the search for drafts may fail without a word"
        assert not said or f"file cannot be written ({os.strerror(error)})" in said
        assert ("nothing was changed" in said) == (there == "old")
        assert ("the new file is in its place" in said) == (bool(said) and there == "new")
        assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_may_not_be_looked_into_is_a_sentence(tmp_path: Path) -> None:
    # Patched, for nothing is closed to root.
    with (
        mock.patch.object(Path, "is_dir", side_effect=PermissionError(errno.EACCES, "Permission denied")),
        pytest.raises(InputError, match=r"file cannot be written \(Permission denied\): make it writable"),
    ):
        refuse_existing(tmp_path / "file", force=False)


def test_other_errors_are_left_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), create_file(tmp_path / "file"):
        (tmp_path / "missing").read_text()
    assert not list(tmp_path.iterdir())


def test_a_killed_run_leaves_a_draft_that_the_next_one_removes(tmp_path: Path) -> None:
    path = tmp_path / "model.unseen"
    path.write_text("old")
    die = "from unseen.utils.storage.writing import *\nwith create_file('model.unseen', True): os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", die], cwd=tmp_path, check=False)
    (draft,) = (entry for entry in tmp_path.iterdir() if entry != path)
    assert draft.name.startswith(".model.unseen-")
    for other in (".model.unseen-old.draft", ".model.unseen-0123abcd", ".other-0123abcd.draft", draft.name[1:]):
        (tmp_path / other).write_text("not a draft of this file")
    with create_file(tmp_path / "other.unseen") as new:
        new.write_text("new")
    assert draft.exists()
    with create_file(path, force=True) as new:
        new.write_text("new")
    assert not draft.exists()
    assert path.read_text() == "new"
    assert len(list(tmp_path.iterdir())) == 6


def test_two_who_write_at_once_do_not_remove_each_others_drafts(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with create_file(path, force=True) as first:
        first.write_text("first")
        with create_file(path, force=True) as second:
            second.write_text("second")
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_content_is_on_the_disk_before_the_name_is(tmp_path: Path) -> None:
    done = []
    fsync, replace = os.fsync, os.replace

    def note_sync(file: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "content")
        fsync(file)

    def note_replace(draft: Path, target: Path) -> None:
        done.append("name")
        replace(draft, target)

    with mock.patch.object(os, "fsync", note_sync), mock.patch.object(os, "replace", note_replace):
        with create_file(tmp_path / "file") as draft:
            draft.write_text("new")
        assert done == ["content", "name", "folder"]


def test_permissions_are_those_of_other_new_files(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    with create_file(tmp_path / "file") as draft:
        draft.write_text("")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "plain").stat().st_mode
