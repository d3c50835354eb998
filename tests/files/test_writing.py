"""Files are written whole or not at all."""

import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from unseen.errors import InputError
from unseen.files import new_file


@pytest.fixture
def small_disk() -> Iterator[None]:
    """Limit the size of files, which stands in for a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_is_a_sentence_and_leaves_the_old_file(tmp_path: Path, small_disk: None) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with (
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
