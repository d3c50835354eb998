"""Two runs do not write to one place, and a dead one is not in the way."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from unseen.utils.errors import InputError
from unseen.utils.storage.locking import hold_lock, lock_file

HOLD = """
import sys, time
from pathlib import Path
from unseen.utils.storage.locking import hold_lock
with hold_lock(Path(sys.argv[1]), "it"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_run_is_refused_until_the_first_is_killed(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with (
            pytest.raises(InputError, match=rf"^it is in use by another run \(process {process.pid}\): wait"),
            hold_lock(path, "it"),
        ):
            pass
        assert path.read_text() == f"{process.pid}\n"
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert path.exists()
    with hold_lock(path, "it"):
        assert path.read_text() == f"{os.getpid()}\n"
    assert not path.exists()


def test_a_lock_on_a_removed_file_does_not_count(tmp_path: Path) -> None:
    """Between opening and locking a file, the one who held it may remove it."""
    path = tmp_path / ".lock"
    first = lock_file(path)
    assert first is not None
    assert lock_file(path) is None
    opened, holders = os.open, [first]

    def open_late(*arguments: Any) -> int:
        file = opened(*arguments)
        if holders:
            holders.pop().remove()
        return file

    with mock.patch.object(os, "open", open_late):
        second = lock_file(path)
    assert second is not None
    assert path.exists()
    assert lock_file(path) is None
    second.rename(tmp_path / "renamed")
    assert [entry.name for entry in tmp_path.iterdir()] == ["renamed"]


def test_a_file_system_without_locks(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    with mock.patch.object(fcntl, "flock", side_effect=OSError(errno.ENOLCK, "No locks available")):
        with pytest.raises(OSError, match="No locks"):
            lock_file(tmp_path / "a")
        assert lock_file(tmp_path / "a", needed=False) is not None


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / ".lock").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic"), hold_lock(tmp_path / ".lock", "it"):
        pass
    assert (tmp_path / "precious").read_text() == "precious"
