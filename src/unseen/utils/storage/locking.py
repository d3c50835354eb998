"""Lock files, so that two runs do not write to the same place; the lock ends with the process, however it ends."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unseen.utils.errors import InputError

# Error numbers of file systems that do not support locks.
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: int) -> bool:
        # Far behind the content, because Windows does not let others read the locked part.
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
    """Hold a lock on a file that contains the number of this process, and remove the file at the end.

    The file that a killed run left behind does no harm, because the system released its lock.

    Parameters
    ----------
    path : Path
        The file. Its folder must exist.
    what : str
        Name of what is locked, for the error message of a second run.
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
        """Replace the content of the file."""
        os.ftruncate(self._file, 0)
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, content)

    def rename(self, target: Path) -> None:
        """Rename the file, replacing any file of the new name, and release the lock."""
        self._close_early()
        os.replace(self._path, target)
        self._close()

    def remove(self) -> None:
        """Remove the file and release the lock."""
        self._close_early()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        self._close()

    def _close_early(self) -> None:
        # On other systems the file stays locked until the end, so that no other run takes it for an abandoned one.
        if sys.platform == "win32":  # which cannot rename or remove open files
            self._close()

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


def lock_file(path: Path, *, needed: bool = True) -> LockedFile | None:
    """Lock a file, which is created if it does not exist; return None if another run holds the lock.

    Parameters
    ----------
    path : Path
        The file to lock.
    needed : bool, default True
        Whether to raise OSError if the file system does not support locks, instead of going on without one.
    """
    while True:
        # Links are not followed, because they may lead anywhere.
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
        # The former holder removed the file between our opening and locking it: try again.


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
