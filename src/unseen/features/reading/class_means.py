"""Compute the mean row of every class."""

import numpy as np
from array_api_compat import device
from numpy.typing import NDArray

from unseen.utils.arrays import Array, as_backend, cut_row_blocks, namespace, to_float64


def compute_class_means(
    X: Array, y: NDArray[np.int64], n_classes: int, weights: NDArray[np.float64] | None = None
) -> Array:
    """Return the weighted mean row of every class in double precision; zeros for a class without rows.

    >>> compute_class_means(np.array([[1.0], [3.0], [5.0]]), np.array([0, 0, 1]), 2)
    array([[2.],
           [5.]])
    """
    xp, where = namespace(X), device(X)
    sums = xp.zeros((n_classes, X.shape[1]), dtype=xp.float64, device=where)
    every = xp.arange(n_classes, device=where)[:, None]
    for rows in cut_row_blocks(X.shape[0], 8 * (X.shape[1] + n_classes), X):
        members = xp.astype(every == xp.asarray(y[rows], device=where)[None, :], xp.float64)
        if weights is not None:
            members = members * as_backend(weights[rows], X)[None, :]
        sums = sums + members @ to_float64(X[rows, :])
    counts = np.bincount(y, weights, minlength=n_classes)
    return sums / as_backend(np.where(counts > 0, counts, 1), X)[:, None]
