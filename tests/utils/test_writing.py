"""Files are written whole or not at all."""

from pathlib import Path

import pytest
from small_disk import small_disk

from unseen.utils.errors import InputError
from unseen.utils.writing import new_file


def test_a_full_disk_is_a_sentence_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with (
        small_disk(1000),
        pytest.raises(InputError, match=r"file cannot be written \(.*\): make room"),
        new_file(path, force=True) as draft,
    ):
        draft.write_bytes(b"x" * 5000)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_other_errors_are_left_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), new_file(tmp_path / "file"):
        (tmp_path / "missing").read_text()
    assert not list(tmp_path.iterdir())
