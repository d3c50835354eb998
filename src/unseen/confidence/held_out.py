"""How many answers were right for classes held out of training, and how far that number can be trusted."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

# Fewer answers, or a single one per class, do not tell a share.
FEWEST_ROWS = 30
FEWEST_PER_CLASS = 2

_N_RESAMPLED = 2000
_LEVEL = 0.95


@dataclass(frozen=True)
class HeldOutAccuracy:
    """The share of right answers for classes that were hidden, among others that were hidden with them.

    It holds for about `n_candidates` candidates: with more, or more similar ones, it is lower.

    Attributes
    ----------
    accuracy : float
        By rows.
    low, high : float
        The range that holds 95% of a bootstrap over the held-out classes.
    n_rows, n_classes : int
        What was answered.
    n_candidates : int
        How many candidates each answer was chosen from, on average.
    """

    accuracy: float
    low: float
    high: float
    n_rows: int
    n_classes: int
    n_candidates: int

    @classmethod
    def of(
        cls, correct: NDArray[np.bool_], classes: NDArray[Any], n_candidates: int, weights: NDArray[Any] | None = None
    ) -> Self:
        """Measure it from whether each answer was right, the true class of each row, and how often the row counts.

        >>> found = HeldOutAccuracy.of(np.array([True] * 30 + [False] * 10), np.repeat(["ox", "cow"], 20), 5)
        >>> found.accuracy, found.low, found.high
        (0.75, 0.5, 1.0)
        """
        counts = np.ones(len(correct)) if weights is None else weights
        _, of_class = np.unique(classes, return_inverse=True)
        answered, right = np.bincount(of_class, counts), np.bincount(of_class, counts * correct)
        drawn = np.random.default_rng(0).integers(len(answered), size=(_N_RESAMPLED, len(answered)))
        totals = answered[drawn].sum(axis=1)
        shares = right[drawn].sum(axis=1)[totals > 0] / totals[totals > 0]
        low, high = np.quantile(shares, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
        accuracy = float(right.sum() / answered.sum())
        return cls(accuracy, float(low), float(high), len(correct), len(answered), n_candidates)

    @property
    def is_estimate(self) -> bool:
        """Whether there were rows enough to tell a share."""
        return self.n_rows >= max(FEWEST_ROWS, FEWEST_PER_CLASS * self.n_classes)
