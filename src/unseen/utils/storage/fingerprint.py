"""Compute digests of data, which tell whether two runs used the same data."""

import hashlib
import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.utils.arrays import cut_row_blocks, to_numpy


def fingerprint(labels: Iterable[NDArray[Any]], arrays: Iterable[NDArray[Any]]) -> str:
    """Return a digest of arrays of labels (of any type) and arrays of numbers; the order of the arrays matters.

    >>> fingerprint([], [np.arange(3)]) == fingerprint([], [np.arange(3)]) != fingerprint([], [np.arange(4)])
    True
    """
    digest = hashlib.blake2b(digest_size=16)
    for values in labels:
        digest.update(json.dumps(values.tolist(), default=repr).encode())
    for array in arrays:
        dtype, shape = to_numpy(array[:0, ...]).dtype, tuple(array.shape)
        digest.update(f"{dtype.str}{shape}".encode())
        # In blocks, as the array may be a memory map, or on a device.
        for rows in cut_row_blocks(shape[0], dtype.itemsize * math.prod(shape[1:])):
            digest.update(np.ascontiguousarray(to_numpy(array[rows, ...])).data)
    return digest.hexdigest()
