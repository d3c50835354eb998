"""Measure coverage and accuracy when uncertain answers are withheld."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from unseen.utils.errors import InputError
from unseen.utils.tables import Cell, Table

# Number of thresholds from 0 to 1 at which a curve is measured.
N_THRESHOLDS = 201


class Expected(NamedTuple):
    """Share of rows that are answered, and share of these answers that are correct (NaN if there are none)."""

    coverage: float
    accuracy: float


@dataclass(frozen=True, eq=False)
class CoverageCurve:
    """Coverage and accuracy at each threshold on the probability of the best candidate.

    The curve is estimated on held-out classes, among about `n_candidates` candidates. With more candidates, or more
    similar ones, expect a lower accuracy.

    Attributes
    ----------
    threshold, coverage, accuracy : ndarrays of shape (n_thresholds,)
        The points of the curve. Accuracy is NaN where nothing is answered.
    n_candidates : int
        Approximate number of candidates.
    """

    threshold: NDArray[np.float64]
    coverage: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    n_candidates: int

    @classmethod
    def of(
        cls,
        confidence: NDArray[Any],
        correct: NDArray[np.bool_],
        n_candidates: int,
        weights: NDArray[Any] | None = None,
    ) -> Self:
        """Measure the curve from the probability of each best candidate, whether it is correct, and row weights.

        >>> curve = CoverageCurve.of(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, True, False, True]), 10)
        >>> curve.at(0.5)
        Expected(coverage=0.5, accuracy=1.0)
        """
        threshold = np.linspace(0.0, 1.0, N_THRESHOLDS)
        order = np.argsort(confidence)
        first = np.searchsorted(confidence[order], threshold, side="left")
        counts = (np.ones(len(order)) if weights is None else weights)[order]
        answered, right = _sum_from_each(counts)[first], _sum_from_each(counts * correct[order])[first]
        accuracy = np.divide(right, answered, out=np.full(len(threshold), np.nan), where=answered > 0)
        return cls(threshold, answered / counts.sum(), accuracy, n_candidates)

    def _repr_html_(self) -> str:
        rows: list[tuple[Cell, ...]] = []
        for threshold in (0.0, 0.5, 0.7, 0.8, 0.9):
            coverage, accuracy = self.at(threshold)
            rows.append((f"{threshold:g}", 100 * coverage, 100 * accuracy if coverage else None))
        title = f"Coverage curve, about {self.n_candidates} candidates"
        return Table(title, ("least probability", "answered (%)", "of these, right (%)"), tuple(rows)).to_html()

    def at(self, threshold: float) -> Expected:
        """Return the expected coverage and accuracy when answers less probable than `threshold` are withheld."""
        place = int(np.searchsorted(self.threshold, check_probability(threshold, "threshold") - 1e-9))
        return Expected(float(self.coverage[place]), float(self.accuracy[place]))

    def threshold_for(self, accuracy: float) -> float:
        """Return the lowest threshold at and above which the expected accuracy is at least `accuracy`."""
        wanted = check_probability(accuracy, "accuracy")
        # Without answers there are no errors.
        below = np.flatnonzero(np.nan_to_num(self.accuracy, nan=1.0) < wanted)
        place = 0 if not below.size else int(below[-1]) + 1
        if place >= len(self.threshold) or self.coverage[place] == 0:
            best = float(np.nanmax(self.accuracy))
            raise InputError(
                f"accuracy={accuracy!r} is not reached at any threshold on held-out classes: ask for at most {best:.3f}"
            )
        return float(self.threshold[place])


def _sum_from_each(values: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of each value and all that follow it, with a 0 appended."""
    return np.append(np.cumsum(values[::-1])[::-1], 0)


def check_probability(value: float, name: str) -> float:
    """Return `value` as a float after checking that it is a probability."""
    if isinstance(value, bool) or not 0 <= value <= 1:
        raise InputError(f"{name}={value!r} is not a probability: give a number between 0 and 1")
    return float(value)
