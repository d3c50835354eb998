"""Trace the seen-unseen curve (Chao et al., ECCV 2016) over all constants of calibrated stacking."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _num_samples

from unseen.data import ClassTable
from unseen.utils.arrays import Array, compute, cut_row_blocks, cut_rows, namespace, to_float64, to_numpy

Floats = NDArray[np.float64]


def harmonic_mean(u: Any, s: Any) -> Any:
    """Return 2us / (u + s), or 0 if both are 0.

    >>> round(float(harmonic_mean(0.126, 0.638)), 3)
    0.21
    """
    total = np.add(u, s)
    return 2 * np.multiply(u, s) / np.where(total > 0, total, 1)


@dataclass(frozen=True, eq=False)
class GroupedAnswers:
    """The best seen and the best unseen candidate of every row, which is all that calibrated stacking needs.

    Attributes
    ----------
    seen, unseen : ndarray of shape (n,)
        Position of the best candidate of each group in the joint table (seen classes first).
    lead : ndarray of shape (n,)
        Score of the best seen minus score of the best unseen candidate.
    """

    seen: NDArray[np.int64]
    unseen: NDArray[np.int64]
    lead: Floats

    @classmethod
    def of(cls, scores: Array, n_seen: int) -> Self:
        """Find the best candidates by scores (n, m), whose first `n_seen` columns are the seen classes."""
        xp, double = namespace(scores), to_float64(scores)
        seen, unseen = double[:, :n_seen], double[:, n_seen:]
        best_seen, best_unseen = (to_numpy(xp.argmax(group, axis=1)) for group in (seen, unseen))
        return cls(best_seen, n_seen + best_unseen, to_numpy(xp.max(seen, axis=1) - xp.max(unseen, axis=1)))

    def shift(self, constant: float) -> Self:
        """Return the answers after adding a constant to the scores of seen classes."""
        return replace(self, lead=self.lead + constant)

    def answers(self, gamma: float = 0.0) -> NDArray[np.int64]:
        """Return the best candidates after subtracting `gamma` from the scores of seen classes; ties go to the seen."""
        return np.where(self.lead >= gamma, self.seen, self.unseen)


def group_answers(model: Any, X: Any, seen: ClassTable, unseen: ClassTable) -> GroupedAnswers:
    """Score rows against seen and unseen candidates together, in blocks of rows."""
    joint, n_seen = seen.concat(unseen), len(seen)
    parts = []
    for rows in cut_row_blocks(_num_samples(X), 8 * len(joint), X):
        found = GroupedAnswers.of(compute(model.decision_function(cut_rows(X, rows), classes=joint)), n_seen)
        parts.append((found.seen, found.unseen, found.lead))
    return GroupedAnswers(*(np.concatenate(part) for part in zip(*parts, strict=True)))


@dataclass(frozen=True, eq=False)
class SeenUnseenCurve:
    """Mean per-class accuracy of unseen and of seen rows, over joint candidates, for every constant gamma.

    Attributes
    ----------
    gamma : ndarray of shape (k,), rising
        Constants; above ``gamma[i - 1]`` and up to ``gamma[i]`` the accuracies are ``unseen[i]`` and ``seen[i]``.
    unseen, seen : ndarray of shape (k,)
        Accuracies, from (0, best seen accuracy) to (best unseen accuracy, 0).
    """

    gamma: Floats
    unseen: Floats
    seen: Floats

    @property
    def area(self) -> float:
        """The area under the curve of seen against unseen accuracy (AUSUC), by the trapezoidal rule."""
        return float(np.trapezoid(self.seen, self.unseen))

    @property
    def harmonic(self) -> Floats:
        """The harmonic mean of both accuracies at every gamma."""
        return np.asarray(harmonic_mean(self.unseen, self.seen))

    def harmonic_at(self, gamma: Floats) -> Floats:
        """Return the harmonic mean at any constants."""
        at = np.minimum(np.searchsorted(self.gamma, gamma, side="left"), len(self.gamma) - 1)
        return self.harmonic[at]


def trace_curve(
    answers_seen: GroupedAnswers,
    true_seen: NDArray[np.int64],
    answers_unseen: GroupedAnswers,
    true_unseen: NDArray[np.int64],
    weights: tuple[Floats | None, Floats | None] = (None, None),
) -> SeenUnseenCurve:
    """Trace the exact curve, with one point for each constant at which the answer of some row changes.

    Parameters
    ----------
    answers_seen, answers_unseen : GroupedAnswers
        Answers for the test rows of seen and of unseen classes.
    true_seen, true_unseen : ndarrays of int
        Position of the true class of those rows in the joint table.
    weights : pair of ndarrays, optional
        How often each of those rows counts within its class.

    Examples
    --------
    >>> def answers(seen, unseen, lead):
    ...     return GroupedAnswers(np.array(seen), np.array(unseen), np.array(lead))
    >>> curve = trace_curve(answers([0], [1], [0.5]), np.array([0]), answers([0], [1], [0.2]), np.array([1]))
    >>> curve.unseen, curve.seen, curve.area
    (array([0., 0., 1., 1.]), array([1., 1., 1., 0.]), 1.0)
    """
    right_seen = answers_seen.seen == true_seen
    right_unseen = answers_unseen.unseen == true_unseen
    lead_seen, weight_seen = answers_seen.lead[right_seen], _weigh_rows(true_seen, weights[0])[right_seen]
    lead_unseen, weight_unseen = answers_unseen.lead[right_unseen], _weigh_rows(true_unseen, weights[1])[right_unseen]
    # Zero gives the answers before calibration; at the last point every row is called unseen.
    leads = np.unique(np.concatenate([lead_seen, lead_unseen, [0.0]]))
    gamma = np.append(leads, np.nextafter(leads[-1], np.inf))
    lost = _sum_weights_below(gamma, lead_seen, weight_seen)
    return SeenUnseenCurve(gamma, unseen=_sum_weights_below(gamma, lead_unseen, weight_unseen), seen=lost[-1] - lost)


def find_best_gamma(curves: Sequence[SeenUnseenCurve]) -> float:
    """Return the middle of the interval of constants with the highest harmonic mean, averaged over the curves."""
    gamma = np.unique(np.concatenate([curve.gamma for curve in curves]))
    harmonic = np.mean([curve.harmonic_at(gamma) for curve in curves], axis=0)
    # The first of those that are equal up to rounding, which differs between weights and repeated rows.
    best = int((harmonic > harmonic.max() - 1e-9).argmax())
    if harmonic[best] == 0:
        return 0.0
    # Accuracies are constant from one point (exclusive) to the next.
    return float(gamma[max(best - 1, 0)] + gamma[best]) / 2


def _weigh_rows(true: NDArray[np.int64], weights: Floats | None) -> Floats:
    """Weigh rows so that every class counts the same and all weights sum to 1."""
    own = np.ones(len(true)) if weights is None else weights
    counts = np.bincount(true, own)
    # A class of which every row weighs nothing does not count.
    return np.asarray(own / (np.where(counts > 0, counts, 1)[true] * np.count_nonzero(counts)))


def _sum_weights_below(gamma: Floats, leads: Floats, weights: Floats) -> Floats:
    """Return the total weight of the rows whose lead is below each gamma."""
    order = np.argsort(leads)
    totals = np.concatenate([[0.0], np.cumsum(weights[order])])
    return np.asarray(totals[np.searchsorted(leads[order], gamma, side="left")])
