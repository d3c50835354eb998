"""Compute confidence intervals, over trials or over the tested images or classes."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import stats

from unseen.evaluation.metrics import Candidates, Floats, Metric
from unseen.evaluation.trial import Measurement
from unseen.utils.errors import InputError

Over = Literal["trials", "splits", "images", "classes"]

N_RESAMPLED = 1000


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Ends of the interval, as fractions of 1.
    level : float
        Confidence level, e.g. 0.95.
    over : "trials", "splits", "images" or "classes"
        What varies: the random seed of training, the choice of unseen classes (both Student's t), the test images of
        each class, or the classes themselves (both by bootstrap; a difference over classes by Student's t).
    """

    low: float
    high: float
    level: float
    over: Over


def check_level(level: float) -> float:
    """Return the confidence level after checking that it is one."""
    if not 0 < level < 1:
        raise InputError(f"level={level!r} is not a confidence level: choose a number between 0 and 1, e.g. 0.95")
    return level


def mean_interval(values: Floats, level: float, over: Over, overlap: float = 0.0) -> Interval:
    """Return Student's t interval of the mean of values; `overlap` is that of `standard_error`.

    >>> interval = mean_interval(np.array([0.4, 0.5, 0.6]), 0.95, "trials")
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.252, 0.748)
    """
    reach = stats.t.ppf((1 + level) / 2, len(values) - 1) * standard_error(values, overlap)
    return Interval(float(values.mean() - reach), float(values.mean() + reach), level, over)


def standard_error(values: Floats, overlap: float = 0.0) -> float:
    """Return the standard error of the mean of values.

    Parameters
    ----------
    values : ndarray of shape (n,)
    overlap : float, default 0.0
        Ratio of test classes to training classes, if the values are of random splits of the same classes (Nadeau and
        Bengio, 2003): the variance of the mean is then s² (1/n + overlap) instead of s²/n, because further splits of
        the same classes bring ever less that is new. With 0, values count as independent.
    """
    # The mean of equal values may differ from them by rounding.
    spread = values.std(ddof=1) if np.ptp(values) else 0.0
    return float(spread * np.sqrt(1 / len(values) + overlap))


def resample(metric: Metric, trial: Measurement, candidates: Candidates, over: Over, seed: int = 0) -> Floats:
    """Return the metric on `N_RESAMPLED` bootstrap samples of the test, shape (N_RESAMPLED,).

    Over images, the test images of each class are drawn with replacement from its own, and their number stays the same.
    Over classes, whole classes are drawn with replacement from the tested ones, separately for seen and unseen classes.
    """
    random = np.random.default_rng(seed)
    values = trial.per_class[metric.column]
    if over == "images":
        # If a share p of n images is right, the number of right ones in a sample is binomial.
        shape = (N_RESAMPLED, len(values))
        drawn = random.binomial(candidates.support, values, shape) / np.maximum(candidates.support, 1)
        return metric.combine(drawn, candidates)
    positions = np.tile(np.arange(len(values)), (N_RESAMPLED, 1))
    for group in (candidates.tested & candidates.seen, candidates.tested & ~candidates.seen):
        members = np.flatnonzero(group)
        if members.size:
            positions[:, members] = random.choice(members, size=(N_RESAMPLED, members.size))
    return metric.combine(values[positions], replace(candidates, support=candidates.support[positions]))


def bootstrap_interval(
    metric: Metric, trial: Measurement, candidates: Candidates, over: Over, level: float
) -> Interval:
    """Return the percentile interval of a bootstrap."""
    values = resample(metric, trial, candidates, over)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, over)
