"""Turn scores into probabilities, and measure how well these are calibrated."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from array_api_compat import device
from numpy.typing import NDArray

from unseen.utils.arrays import Array, as_backend, namespace, pick, to_float64
from unseen.utils.errors import InputError

# Number of bins of the expected calibration error, as in Guo et al. (ICML 2017).
N_BINS = 15

# The temperature is searched for between the spread of the scores divided and multiplied by this factor.
_WIDEST = 1e4


def soft_maximum(scores: Array, temperature: float = 1.0) -> Array:
    """Return probabilities proportional to exp(score / temperature), for each row of scores (n, m).

    >>> soft_maximum(np.array([[0.0, np.log(3.0)]]))
    array([[0.25, 0.75]])
    """
    xp = namespace(scores)
    with np.errstate(over="ignore"):  # a score that is that far behind has a probability of 0
        weights = (scores - xp.max(scores, axis=1, keepdims=True)) / temperature
    weights = xp.exp(weights)
    weights /= xp.sum(weights, axis=1, keepdims=True)
    return weights


def find_temperature(
    scores: Sequence[Array],
    true: Sequence[NDArray[np.int64]],
    weights: Sequence[NDArray[Any]] | None = None,
) -> float:
    """Return the temperature at which the soft maximum gives the true classes the highest likelihood.

    As in Platt scaling, the target probability of each of n true classes is 1 - 1 / (n + 2): a few rows that are all
    correct do not prove certainty.

    Parameters
    ----------
    scores : sequence of arrays of shape (n_k, m_k)
        Scores of rows that the model was not fitted on, in one or more groups, each with its own candidates.
    true : sequence of ndarrays of shape (n_k,)
        The column of the true class of each row.
    weights : sequence of ndarrays of shape (n_k,), optional
        Weight of each row.

    Examples
    --------
    Three of four hundred rows are wrong, so the probability should be about 397 / 400.

    >>> temperature = find_temperature([np.array([[2.0, 0.0]] * 400)], [np.arange(400) // 397])
    >>> round(soft_maximum(np.array([[2.0, 0.0]]), temperature)[0, 0].item(), 3)
    0.99
    """
    from scipy.optimize import minimize_scalar  # here, because predicting needs none of it

    # The likelihood depends only on how far each candidate scores above the true class.
    leads = [_measure_leads(group, rows) for group, rows in zip(scores, true, strict=True)]
    counts = [np.ones(group.shape[0]) for group in leads] if weights is None else weights
    spread = _measure_spread(leads, counts)
    if not spread > 0:
        raise InputError("scores do not tell any candidates apart: there is no temperature to choose")

    doubt = 1 / (sum(float(count.sum()) for count in counts) + 2)
    sizes = [as_backend(count, group) for count, group in zip(counts, leads, strict=True)]

    def loss(log_temperature: float) -> float:
        scaled = [group / float(spread * np.exp(log_temperature)) for group in leads]
        losses = [_log_sum_exp(group) - doubt * _average_others(group) for group in scaled]
        return sum(float(size @ rows) for size, rows in zip(sizes, losses, strict=True))

    # The loss is convex in 1 / temperature, so it has a single minimum in log(temperature) too.
    found = minimize_scalar(loss, bounds=(-np.log(_WIDEST), np.log(_WIDEST)), method="bounded")
    return float(spread * np.exp(found.x))


def expected_calibration_error(confidence: NDArray[Any], correct: NDArray[np.bool_], n_bins: int = N_BINS) -> float:
    """Return the mean difference between confidence and accuracy, over rows grouped in bins of equal width.

    >>> expected_calibration_error(np.array([0.9, 0.9, 0.9, 0.9]), np.array([True, True, True, False])).round(2)
    np.float64(0.15)
    """
    bins = np.minimum((confidence * n_bins).astype(np.int64), n_bins - 1)
    surplus = np.bincount(bins, weights=confidence - correct, minlength=n_bins)
    return np.abs(surplus).sum() / len(confidence)  # type: ignore[no-any-return]


def _measure_leads(scores: Array, true: NDArray[np.int64]) -> Array:
    double = to_float64(scores)
    return double - pick(double, namespace(double).asarray(true, device=device(double)))[:, None]


def _measure_spread(leads: Sequence[Array], counts: Sequence[NDArray[Any]]) -> float:
    """Return the root mean square of all leads, by the weights of their rows."""
    squares = total = 0.0
    for group, count in zip(leads, counts, strict=True):
        squares += float(as_backend(count, group) @ namespace(group).sum(group**2, axis=1))
        total += float(count.sum()) * group.shape[1]
    return math.sqrt(squares / total)


def _average_others(leads: Array) -> Array:
    # The true class contributes 0 to the sum.
    return namespace(leads).sum(leads, axis=1) / max(1, leads.shape[1] - 1)


def _log_sum_exp(rows: Array) -> Array:
    xp = namespace(rows)
    largest = xp.max(rows, axis=1)
    return largest + xp.log(xp.sum(xp.exp(rows - largest[:, None]), axis=1))
