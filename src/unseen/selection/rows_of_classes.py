"""Draw some rows of each class, which say enough to tell one choice from another."""

import numpy as np
from numpy.typing import NDArray


def draw_rows_of_classes(y: NDArray[np.int64], most: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Draw at most so many rows of each class 0, 1, ...; return their numbers in order.

    >>> y = np.array([0, 0, 0, 1, 1])
    >>> drawn = draw_rows_of_classes(y, 2, np.random.default_rng(0))
    >>> y[drawn].tolist()
    [0, 0, 1, 1]
    """
    counts = np.bincount(y)
    shuffled = random.permutation(len(y))
    by_class = shuffled[np.argsort(y[shuffled], kind="stable")]
    ranks = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(by_class[ranks < most])
