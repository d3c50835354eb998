"""Collect rows that come block by block: in memory if they are few, else in a temporary file that is memory-mapped."""

import errno
import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.utils.errors import InputError

# Rows beyond this size leave the memory.
MOST_IN_MEMORY = 2**28


def spool_rows(blocks: Iterable[NDArray[Any]], what: str) -> NDArray[Any]:
    """Return blocks of rows as one matrix.

    Parameters
    ----------
    blocks : iterable of ndarrays of shape (n_k, d), all of the same width
        At least one; the precision is that of the first.
    what : str
        What is read, for the error message if the temporary folder is full.

    Examples
    --------
    >>> spool_rows([np.eye(2), np.ones((1, 2))], "rows")
    array([[1., 0.],
           [0., 1.],
           [1., 1.]])
    """
    kept: list[NDArray[Any]] = []
    waiting = iter(blocks)
    for block in waiting:
        kept.append(block)
        if sum(part.nbytes for part in kept) > MOST_IN_MEMORY:
            return _map_in_file(kept, waiting, what)
    return np.concatenate(kept) if len(kept) > 1 else kept[0]


def _map_in_file(kept: list[NDArray[Any]], more: Iterable[NDArray[Any]], what: str) -> NDArray[Any]:
    kind, width, n_rows = kept[0].dtype, kept[0].shape[1], 0
    try:
        # It has no name, so that nothing is left of it whatever happens; the map keeps it.
        with tempfile.TemporaryFile(prefix="unseen-") as file:
            while kept:
                n_rows += _append(file, kept.pop(0), kind)
            for block in more:
                n_rows += _append(file, block, kind)
            file.flush()
            return np.memmap(file, dtype=kind, mode="r", shape=(n_rows, width))
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise InputError(
            f"{what} does not fit into the temporary folder {tempfile.gettempdir()} ({error.strerror}): make room, or "
            "name another in the environment variable TMPDIR"
        ) from error


def _append(file: Any, block: NDArray[Any], kind: np.dtype[Any]) -> int:
    file.write(np.ascontiguousarray(block, dtype=kind).data)
    return len(block)
