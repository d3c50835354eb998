"""Locks files, so that two runs do not write to one place; a lock goes with its process, however that ends."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unseen.utils.errors import InputError

# What file systems say that have no locks.
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: int) -> bool:
        # Far behind the content, for Windows keeps others from reading what is locked.
        os.lseek(file, 1 << 30, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def hold_lock(path: Path, what: str) -> Iterator[None]:
    """Hold a lock by a file, which says the number of the process and is removed at the end.

    The file of a run that was killed is not in the way: the lock is the system's, the file only carries it.

    Parameters
    ----------
    path : Path
        The file; its folder has to be there.
    what : str
        What is locked, for the sentence with which a second run is refused.
    """
    lock = lock_file(path)
    if lock is None:
        raise InputError(f"{what} is in use by another run{_name_holder(path)}: wait for it to end")
    try:
        lock.write(f"{os.getpid()}\n".encode())
        yield
    finally:
        lock.remove()


class LockedFile:
    """A file that this process has locked; made by `lock_file`."""

    def __init__(self, path: Path, file: int) -> None:
        self._path, self._file = path, file

    def write(self, content: bytes) -> None:
        """Replace its content."""
        os.ftruncate(self._file, 0)
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, content)

    def rename(self, target: Path) -> None:
        """Give it another name, replacing what has it, and end the lock."""
        self._close_early()
        os.replace(self._path, target)
        self._close()

    def remove(self) -> None:
        """Remove it, and with it the lock."""
        self._close_early()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        self._close()

    def _close_early(self) -> None:
        # Elsewhere not before the end, lest another run takes the file for a dead one's.
        if sys.platform == "win32":  # where open files keep their names
            self._close()

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


def lock_file(path: Path, *, needed: bool = True) -> LockedFile | None:
    """Make a file where there is none and lock it; None where another run holds it.

    Parameters
    ----------
    path : Path
        The file.
    needed : bool, default True
        Whether to raise OSError where the file system has no locks, instead of doing without.
    """
    while True:
        # A link is not followed, for it may lead anywhere.
        file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            locked = _try_lock(file)
            stays = locked and _is_at(file, path)
        except OSError as error:
            if not needed and error.errno in _NO_LOCKS:
                return LockedFile(path, file)
            os.close(file)
            raise
        if stays:
            return LockedFile(path, file)
        os.close(file)
        if not locked:
            return None
        # It was removed between opening and locking by the one who had held it: once more.


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False


def _name_holder(path: Path) -> str:
    try:
        number = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    return f" (process {number})" if number.isdecimal() else ""
