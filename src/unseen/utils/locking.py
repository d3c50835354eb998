"""Locks files, so that two runs do not write to one place; a lock goes with its process, however that ends."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unseen.utils.errors import InputError

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
    file = lock_file(path)
    if file is None:
        raise InputError(f"{what} is in use by another run{_name_holder(path)}: wait for it to end")
    try:
        os.ftruncate(file, 0)
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, f"{os.getpid()}\n".encode())
        yield
    finally:
        release_file(file, path)


def lock_file(path: Path) -> int | None:
    """Make a file where there is none and lock it; return its descriptor, or None where another run holds it."""
    while True:
        # A link is not followed, for it may lead anywhere.
        file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            if not _try_lock(file):
                os.close(file)
                return None
            if _is_at(file, path):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # removed by the one who held it, between opening and locking


def release_file(file: int, path: Path) -> None:
    """Remove a locked file, and with it the lock."""
    if sys.platform == "win32":  # which does not remove open files
        os.close(file)
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return
    path.unlink(missing_ok=True)
    os.close(file)


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
