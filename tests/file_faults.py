"""Operations on files that fail or kill, and bytes that change, for the tests of what survives them."""

import errno
import os
import random
import signal
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

ERRORS = [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO]
# How many operations of a command fail in turn; `make chaos` lets each of them fail.
FAULTS = int(os.environ.get("UNSEEN_FAULTS", "6"))

_EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.listdir", "os.scandir"}
# What SQLite makes of these errors.
_IN_SQLITE = {
    errno.ENOSPC: "database or disk is full",
    errno.EROFS: "attempt to write a readonly database",
    errno.EACCES: "attempt to write a readonly database",
    errno.EIO: "disk I/O error",
}


class Faults:
    """Counts the operations on files below a folder, and lets one of them fail or kill, or all from one on fail.

    Python offers no way to take an audit hook away, so there is one, which sleeps between the tests.
    """

    folder: Path | None = None
    count = 0
    at: int | None = None
    error: int = 0
    lasting = False
    kills = False
    # Kills so many seconds after the first operation.
    after: float = 0

    @classmethod
    def begin(cls, folder: Path, at: int | None) -> None:
        global _hooked
        if not _hooked:
            sys.addaudithook(cls.watch)
            _hooked = True
        cls.folder, cls.at, cls.count = folder, at, 0
        cls.error, cls.lasting, cls.kills, cls.after = 0, False, False, 0

    @classmethod
    def watch(cls, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _EVENTS and arguments and cls.meets(arguments[0]):
            raise OSError(cls.error, os.strerror(cls.error), str(arguments[0]))

    @classmethod
    def meets(cls, path: Any) -> bool:
        """Count an operation on a path, and tell whether it is one that fails."""
        if cls.folder is None or not isinstance(path, str | Path) or not str(path).startswith(str(cls.folder)):
            return False
        cls.count += 1
        if cls.after and cls.count == 1:
            threading.Timer(cls.after, _kill).start()
        met = cls.at is not None and (cls.count == cls.at or (cls.lasting and cls.count > cls.at))
        if met and cls.kills:
            _kill()
        return met


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class _Connection(sqlite3.Connection):
    """A connection of which a statement may fail, as SQLite lets it where the disk does."""

    def __init__(self, path: Any, *arguments: Any, **options: Any) -> None:
        self._path = path
        if Faults.meets(path):
            raise sqlite3.OperationalError("unable to open database file")
        super().__init__(path, *arguments, **options)

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        if Faults.meets(self._path):
            raise sqlite3.OperationalError(_IN_SQLITE[Faults.error])
        return super().execute(*arguments)


_fsync, _connect = os.fsync, sqlite3.connect


def _sync(file: int) -> None:
    """A disk may notice only here that it could not write."""
    link = f"/proc/self/fd/{file}"
    if os.path.exists(link) and Faults.meets(os.readlink(link)):
        raise OSError(Faults.error, os.strerror(Faults.error))
    _fsync(file)


_hooked = False


@contextmanager
def _watching(folder: Path, at: int | None) -> Iterator[type[Faults]]:
    Faults.begin(folder, at)
    connect = mock.patch.object(sqlite3, "connect", lambda *a, **o: _connect(*a, factory=_Connection, **o))
    try:
        with mock.patch.object(os, "fsync", _sync), connect:
            yield Faults
    finally:
        Faults.folder = None


@contextmanager
def failing(folder: Path, at: int | None, error: int = 0, *, lasting: bool = False) -> Iterator[type[Faults]]:
    """Let the operation of this number on files below a folder fail with this error, and those after it if it lasts."""
    with _watching(folder, at) as faults:
        faults.error, faults.lasting = error, lasting
        yield faults


@contextmanager
def killing(folder: Path, at: int | None, seconds: float) -> Iterator[type[Faults]]:
    """Kill this process before the operation of this number, or some time after the first one (0 for never)."""
    with _watching(folder, at) as faults:
        faults.kills, faults.after = True, seconds
        yield faults


def choose_operations(count: int, error: int) -> list[int]:
    """Choose operations that fail, others for each error."""
    return sorted(random.Random(error).sample(range(1, count + 1), min(count, FAULTS)))


def damaged(content: bytes, choice: random.Random) -> bytes:
    """Change some bytes as disks and people do: replaced, zeroed, lost or doubled."""
    at, n = choice.randrange(len(content)), choice.choice([1, 1, 1, 4, 64, 512])
    before, hit, after = content[:at], content[at : at + n], content[at + n :]
    other = bytes(choice.randrange(256) for _ in hit)
    return before + choice.choice([other, other, other, bytes(len(other)), b"", other + hit]) + after
