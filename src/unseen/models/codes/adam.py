"""Adam (Kingma & Ba, ICLR 2015) in a few lines, for arrays that are changed in place."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# How much of the last mean gradient, and of the last mean square, each step keeps.
KEEP_MEAN, KEEP_SQUARE = 0.9, 0.999
SMALLEST = 1e-8


class Adam:
    """Move arrays against their gradients, each number by about `step` at first.

    Parameters
    ----------
    arrays : sequence of ndarrays
        Changed in place by each call.
    step : float

    Examples
    --------
    >>> x = np.array([3.0, -1.0])
    >>> adam = Adam([x], 0.1)
    >>> for _ in range(200):
    ...     adam([2 * x])
    >>> bool(np.abs(x).max() < 0.01)
    True
    """

    def __init__(self, arrays: Sequence[NDArray[Any]], step: float) -> None:
        self.arrays, self.step, self.n_steps = arrays, step, 0
        self.means = [np.zeros_like(array) for array in arrays]
        self.squares = [np.zeros_like(array) for array in arrays]

    def __call__(self, gradients: Sequence[NDArray[Any]]) -> None:
        """Take one step."""
        self.n_steps += 1
        root = (1 - KEEP_SQUARE**self.n_steps) ** 0.5
        step = self.step * root / (1 - KEEP_MEAN**self.n_steps)
        for array, gradient, mean, square in zip(self.arrays, gradients, self.means, self.squares, strict=True):
            mean += (1 - KEEP_MEAN) * (gradient - mean)
            square += (1 - KEEP_SQUARE) * (gradient * gradient - square)
            array -= step * mean / (np.sqrt(square) + SMALLEST * root)
