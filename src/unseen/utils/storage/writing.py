"""Write a file completely or not at all."""

import errno
import os
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unseen.utils.errors import InputError
from unseen.utils.storage.locking import lock_file

# Error numbers for a full disk, an exceeded quota, and a file that is too large.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# Error numbers for a place that cannot be written at all, and for a broken disk.
_NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
# Error numbers of file systems that cannot sync a folder.
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP)
_DRAFT = ".draft"


def refuse_existing(path: str | os.PathLike[str], force: bool) -> Path:
    """Return the path if a file may be written there; call it before long work, so that none is lost.

    Parameters
    ----------
    path : path-like
        The file to write.
    force : bool
        Whether an existing file may be replaced.
    """
    target = Path(path)
    with _explain_errors(target):  # a folder that may not even be looked into
        is_folder, is_taken = target.is_dir(), target.exists()
    if is_folder:
        raise InputError(f"{target} is a folder: name a file to write")
    if is_taken and not force:
        raise InputError(
            f"{target} exists already: give another name, or force=True (--force on the command line) to replace it"
        )
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} is not a folder, so {target.name} cannot be written there: make it first")
    return target


@contextmanager
def create_file(path: str | os.PathLike[str], force: bool = False) -> Iterator[Path]:
    """Yield a temporary path to write to, which is renamed to the final path if the block succeeds.

    Readers of the final path see the old file, no file, or the complete new one, even after a power failure. Temporary
    files that killed runs left for the same path are removed.
    """
    target = refuse_existing(path, force)
    _remove_stale_drafts(target)
    draft = target.with_name(f".{target.name}-{secrets.token_hex(4)}{_DRAFT}")
    with _explain_errors(target, draft):
        lock = lock_file(draft, needed=False)
    if lock is None:  # another run drew the same random name
        raise InputError(f"{target} cannot be written, because another run holds {draft}: try again")
    try:
        with _explain_errors(target, draft):
            yield draft
            refuse_existing(target, force)
            sync(draft)
            lock.rename(target)
    finally:
        lock.remove()
    with _explain_errors(target, draft, "the new file is in its place, but a power failure may undo it"):
        sync(target.parent)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    is_folder = path.is_dir()
    if is_folder and sys.platform == "win32":  # which cannot sync a folder
        return
    file = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
    try:
        os.fsync(file)
    except OSError as error:
        if not is_folder or error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(file)


@contextmanager
def _explain_errors(target: Path, draft: Path | None = None, state: str = "nothing was changed") -> Iterator[None]:
    """Turn an error about the file, its draft or its folder into a message; those about other files are left."""
    try:
        yield
    except OSError as error:
        # Writing and syncing name no file.
        ours = error.filename is None or os.fspath(error.filename) in map(str, (target, draft, target.parent))
        if not ours or error.errno not in (*NO_ROOM, *_NOT_WRITABLE):
            raise
        remedy = "make room" if error.errno in NO_ROOM else "make it writable"
        raise InputError(
            f"{target} cannot be written ({error.strerror}): {remedy} or choose another place; {state}"
        ) from error


def _remove_stale_drafts(target: Path) -> None:
    """Remove temporary files of runs that have ended; those of running ones are locked."""
    pattern = re.compile(rf"\.{re.escape(target.name)}-[0-9a-f]{{8}}{re.escape(_DRAFT)}")
    with suppress(OSError):
        for name in filter(pattern.fullmatch, os.listdir(target.parent)):
            lock = lock_file(target.with_name(name))
            if lock is not None:
                lock.remove()
