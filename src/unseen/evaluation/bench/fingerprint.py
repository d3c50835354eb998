"""Telling whether two runs were of the same data: a digest of everything that an evaluation reads."""

import hashlib
import json

import numpy as np

from unseen.arrays import row_blocks
from unseen.data import ZeroShotDataset


def fingerprint(dataset: ZeroShotDataset) -> str:
    """Return a digest of features, labels, descriptions and split; names and sources do not count.

    >>> from unseen import load_dataset
    >>> first, second = (load_dataset("synthetic", random_state=seed) for seed in (0, 1))
    >>> fingerprint(first) == fingerprint(first) != fingerprint(second)
    True
    """
    digest = hashlib.blake2b(digest_size=16)
    for labels in (dataset.y, dataset.classes.labels):
        digest.update(json.dumps(labels.tolist(), default=repr).encode())
    for array in (dataset.X, dataset.classes.vectors, dataset.train, dataset.test_seen, dataset.test_unseen):
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        # A memory map is read in blocks.
        for rows in row_blocks(len(array), array.nbytes // max(1, len(array))):
            digest.update(np.ascontiguousarray(array[rows]).data)
    return digest.hexdigest()
