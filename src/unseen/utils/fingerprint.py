"""Digests of data, to tell whether two runs were of the same."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.utils.arrays import cut_row_blocks


def fingerprint(labels: Iterable[NDArray[Any]], arrays: Iterable[NDArray[Any]]) -> str:
    """Return a digest of arrays of labels (any values) and of numbers; the order of the arrays counts.

    >>> fingerprint([], [np.arange(3)]) == fingerprint([], [np.arange(3)]) != fingerprint([], [np.arange(4)])
    True
    """
    digest = hashlib.blake2b(digest_size=16)
    for values in labels:
        digest.update(json.dumps(values.tolist(), default=repr).encode())
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        # A memory map is read in blocks.
        for rows in cut_row_blocks(len(array), array.nbytes // max(1, len(array))):
            digest.update(np.ascontiguousarray(array[rows]).data)
    return digest.hexdigest()
