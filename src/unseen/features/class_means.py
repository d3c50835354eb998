"""Compute the mean row of every class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.utils.arrays import cut_row_blocks


def compute_class_means(
    X: NDArray[Any], y: NDArray[np.int64], n_classes: int, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return the weighted mean row of every class in double precision; zeros for a class without rows.

    >>> compute_class_means(np.array([[1.0], [3.0], [5.0]]), np.array([0, 0, 1]), 2)
    array([[2.],
           [5.]])
    """
    sums = np.zeros((n_classes, X.shape[1]))
    for rows in cut_row_blocks(len(X), 8 * X.shape[1]):
        np.add.at(sums, y[rows], X[rows] if weights is None else X[rows] * weights[rows, None])
    counts = np.bincount(y, weights, minlength=n_classes)
    return sums / np.where(counts > 0, counts, 1)[:, None]
