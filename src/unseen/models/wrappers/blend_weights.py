"""Choose how much each part of a blend weighs, from what the parts say about held-out classes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unseen.models.wrappers.rehearsal import Rehearsed

Floats = NDArray[np.float64]

# The steps of the grid of weights: as fine as this, but not more points than this.
FINEST = 50
MOST_POINTS = 300


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What all parts say about the held-out classes of one fold, on their common scale.

    Attributes
    ----------
    scores : ndarray of shape (n_parts, n, m)
    true : ndarray of int of shape (n,)
        The column of the true class of each row.
    weights : ndarray of shape (n,)
    """

    scores: Floats
    true: NDArray[np.int64]
    weights: Floats

    @classmethod
    def of(cls, parts: Sequence[Rehearsed], spreads: Floats) -> Self:
        """Stack the scores of the parts, each divided by its spread."""
        scores = [centre(part.scores) / spread for part, spread in zip(parts, spreads, strict=True)]
        return cls(np.stack(scores), parts[0].true, parts[0].weights)

    def measure_accuracy(self, weights: Floats) -> float:
        """Return the mean per-class accuracy of the parts averaged by these weights."""
        right = np.tensordot(weights, self.scores, axes=1).argmax(axis=1) == self.true
        counts, found = (np.bincount(self.true, self.weights * part) for part in (np.ones(len(right)), right))
        return float(np.mean(found[counts > 0] / counts[counts > 0]))


def centre(scores: NDArray[Any]) -> Floats:
    """Subtract the mean of every row, which candidates share and which decides nothing."""
    double = scores.astype(np.float64)
    return np.asarray(double - double.mean(axis=1, keepdims=True))


def measure_spread(scores: Sequence[NDArray[Any]], weights: Sequence[Floats]) -> float:
    """Return the root mean square of centred scores over all rows, or 1 if all candidates always score the same.

    >>> measure_spread([np.array([[3.0, 1.0]])], [np.ones(1)])
    1.0
    """
    squares = sum(float(own @ np.mean(centre(part) ** 2, axis=1)) for part, own in zip(scores, weights, strict=True))
    return float(np.sqrt(squares / sum(float(own.sum()) for own in weights))) or 1.0


def measure_spreads(parts: Sequence[Sequence[Rehearsed]]) -> Floats:
    """Return the spread of the scores of each part over all folds."""
    return np.array([measure_spread([run.scores for run in runs], [run.weights for run in runs]) for runs in parts])


def choose_weights(folds: Sequence[HeldOut]) -> tuple[Floats, float]:
    """Return the weights of the best mean per-class accuracy over the folds, and this accuracy.

    Of weights that are equally good, the more even ones are taken.
    """
    points = np.array(list(list_weights(len(folds[0].scores))))
    accuracy = np.array([np.mean([fold.measure_accuracy(point) for fold in folds]) for point in points])
    best = np.flatnonzero(accuracy >= accuracy.max() - 1e-12)
    # The sum of squares is smallest where all weigh the same.
    chosen = best[np.argmin((points[best] ** 2).sum(axis=1))]
    return points[chosen], float(accuracy[chosen])


def list_weights(n_parts: int) -> Iterator[Floats]:
    """Yield the points of a grid over weights that sum to 1, the even ones among them.

    >>> len(list(list_weights(2))), len(list(list_weights(3)))
    (51, 301)
    """
    yield np.full(n_parts, 1 / n_parts)
    steps = max(step for step in range(1, FINEST + 1) if comb(step + n_parts - 1, n_parts - 1) <= MOST_POINTS)
    # Every choice of bars between `steps` stars is one way to deal the stars to the parts.
    for bars in combinations(range(steps + n_parts - 1), n_parts - 1):
        dealt = np.diff([-1, *bars, steps + n_parts - 1]) - 1
        if np.ptp(dealt):
            yield dealt / steps
