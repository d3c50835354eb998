"""Writing a file whole or not at all."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

from unseen.utils.errors import InputError

# What systems say when there is no room: on the disk, in the quota, for a file of this size.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def refuse_existing(path: str | os.PathLike[str], force: bool) -> Path:
    """Return the path if a file may be written there; asked before long work, so that none is done in vain.

    Parameters
    ----------
    path : path-like
        Where the file is to be.
    force : bool
        Whether a file that is there may be replaced.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder: name a file to write")
    if target.exists() and not force:
        raise InputError(
            f"{target} exists already: give another name, or force=True (--force on the command line) to replace it"
        )
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} is no folder, so {target.name} cannot be written there: make it first")
    return target


@contextmanager
def new_file(path: str | os.PathLike[str], force: bool = False) -> Iterator[Path]:
    """Give a temporary path to write to, which takes its final name when the block ends well.

    Whoever reads the final path sees the old file, no file, or all of the new one.
    """
    target = refuse_existing(path, force)
    try:
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}-", delete=False) as file:
            draft = Path(file.name)
    except OSError as error:
        raise InputError(f"{target} cannot be written ({error.strerror}): choose another place") from error
    try:
        yield draft
        refuse_existing(target, force)
        draft.chmod(0o666 & ~_umask())  # a temporary file is for its owner only
        draft.replace(target)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise InputError(
            f"{target} cannot be written ({error.strerror}): make room or choose another place; nothing was changed"
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
