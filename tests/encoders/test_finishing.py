"""Finished files get to their places whole, and take nothing of the user's with them."""

import os
import shutil
import stat
from pathlib import Path
from unittest import mock

import pytest
from extracting import run_extract
from picture_files import attributes, write_folder, write_picture

from unseen.encoders import finishing
from unseen.utils.errors import InputError


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "birds")


def test_files_are_on_the_disk_before_they_replace_others(birds: Path, tmp_path: Path) -> None:
    events = []
    fsync, rename, replace, remove = os.fsync, Path.rename, Path.replace, shutil.rmtree

    def note_sync(file: int) -> None:
        events.append("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "file")
        fsync(file)

    def note_rename(path: Path, target: Path) -> Path:
        events.append("rename")
        return rename(path, target)

    def note_replace(path: Path, target: Path) -> Path:
        events.append("replace")
        return replace(path, target)

    def note_remove(path: Path, **options: bool) -> None:
        if path.exists():
            events.append("remove")
        remove(path, **options)

    with (
        mock.patch.object(os, "fsync", note_sync),
        mock.patch.object(Path, "rename", note_rename),
        mock.patch.object(Path, "replace", note_replace),
        mock.patch.object(finishing.shutil, "rmtree", note_remove),
    ):
        run_extract(birds, tmp_path / "out")
    files = len(list((tmp_path / "out").iterdir()))
    expected = [*files * ["file"], "folder", "rename", "folder", *files * ["replace"], "folder", "remove"]
    assert events == expected


def test_labels_of_the_user_are_kept(tmp_path: Path) -> None:
    """A flat folder has no labels, so whoever writes some beside its features keeps them."""
    write_picture(tmp_path / "flat" / "a.png", attributes(1)[0])
    out = tmp_path / "out"
    run_extract(tmp_path / "flat", out)
    (out / "labels.txt").write_text("mine\n")
    write_picture(tmp_path / "flat" / "b.png", attributes(1)[0], seed=1)
    run_extract(tmp_path / "flat", out)
    assert (out / "labels.txt").read_text() == "mine\n"


def test_edited_labels_are_not_replaced_unasked(birds: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_extract(birds, out)
    whole = (out / "labels.txt").read_text()
    (out / "labels.txt").write_text(whole.replace("Bird_0", "Bird_1"))
    with pytest.raises(InputError, match=r"'labels\.txt' that was changed after it was extracted"):
        run_extract(birds, out)
    run_extract(birds, out, force=True)
    assert (out / "labels.txt").read_text() == whole
