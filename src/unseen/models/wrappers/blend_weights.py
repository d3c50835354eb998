"""Choose how much each part of a blend weighs, from what the parts say about held-out classes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Self

import numpy as np
from array_api_compat import device
from numpy.typing import NDArray

from unseen.models.wrappers.rehearsal import Rehearsed
from unseen.utils.arrays import Array, as_backend, namespace, to_float64, to_numpy

Floats = NDArray[np.float64]

# The steps of the grid of weights: as fine as this, but not more points than this.
FINEST = 50
MOST_POINTS = 300


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What all parts say about the held-out classes of one fold, on their common scale.

    Attributes
    ----------
    scores : array of shape (n_parts, n, m)
    true : ndarray of int of shape (n,)
        The column of the true class of each row.
    weights : ndarray of shape (n,)
    """

    scores: Array
    true: NDArray[np.int64]
    weights: Floats

    @classmethod
    def of(cls, parts: Sequence[Rehearsed], spreads: Floats) -> Self:
        """Stack the scores of the parts, each divided by its spread."""
        scores = [centre(part.scores) / float(spread) for part, spread in zip(parts, spreads, strict=True)]
        return cls(namespace(*scores).stack(scores), parts[0].true, parts[0].weights)

    def find_right(self, weights: Floats) -> NDArray[np.bool_]:
        """Tell of each row (n,) whether the parts, averaged by these weights, find its class."""
        xp = namespace(self.scores)
        return np.asarray(to_numpy(xp.argmax(self._average(weights), axis=1)) == self.true)

    def measure_accuracies(self, points: Floats) -> Floats:
        """Return the mean per-class accuracy of the parts averaged by each of several weights (k, n_parts)."""
        xp = namespace(self.scores)
        weights = np.zeros((len(self.true), int(self.true.max()) + 1))
        weights[np.arange(len(self.true)), self.true] = self.weights
        weights = as_backend(weights[:, weights.sum(axis=0) > 0], self.scores)
        true = xp.asarray(self.true, device=device(self.scores))
        right = [xp.argmax(self._average(point), axis=1) == true for point in points]
        found = xp.astype(xp.stack(right), weights.dtype) @ weights
        # All of them are fetched together: the way from a device takes longer than the work on it.
        return to_numpy(xp.mean(found / xp.sum(weights, axis=0)[None, :], axis=1))

    def _average(self, weights: Floats) -> Array:
        """Return the scores (n, m) of the parts averaged by these weights."""
        return sum(float(weight) * self.scores[at, ...] for at, weight in enumerate(weights))


def centre(scores: Array) -> Array:
    """Subtract the mean of every row, which candidates share and which decides nothing."""
    double = to_float64(scores)
    return double - namespace(double).mean(double, axis=1, keepdims=True)


def measure_spread(scores: Sequence[Array], weights: Sequence[Floats]) -> float:
    """Return the root mean square of centred scores over all rows, or 1 if all candidates always score the same.

    >>> measure_spread([np.array([[3.0, 1.0]])], [np.ones(1)])
    1.0
    """
    squares = sum(
        float(as_backend(own, part) @ namespace(part).mean(centre(part) ** 2, axis=1))
        for part, own in zip(scores, weights, strict=True)
    )
    return float(np.sqrt(squares / sum(float(own.sum()) for own in weights))) or 1.0


def measure_spreads(parts: Sequence[Sequence[Rehearsed]]) -> Floats:
    """Return the spread of the scores of each part over all folds."""
    return np.array([measure_spread([run.scores for run in runs], [run.weights for run in runs]) for runs in parts])


def choose_weights(folds: Sequence[HeldOut]) -> tuple[Floats, float]:
    """Return the weights of the best mean per-class accuracy over the folds, and this accuracy.

    Of weights that are equally good, the more even ones are taken.
    """
    points = np.array(list(list_weights(int(folds[0].scores.shape[0]))))
    accuracy = np.mean([fold.measure_accuracies(points) for fold in folds], axis=0)
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
