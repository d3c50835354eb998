"""Compute confidence intervals, over trials or over the tested images or classes."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import stats

from unseen.evaluation.metrics import Candidates, Floats, Metric
from unseen.evaluation.trial import Measurement

Over = Literal["trials", "images", "classes"]

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
    over : "trials", "images" or "classes"
        What varies: the random seed of training (Student's t), the test images of each class, or the classes themselves
        (both by bootstrap).
    """

    low: float
    high: float
    level: float
    over: Over


def trial_interval(values: Floats, level: float) -> Interval:
    """Return Student's t interval of the mean over trials.

    >>> interval = trial_interval(np.array([0.4, 0.5, 0.6]), 0.95)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.252, 0.748)
    """
    n = len(values)
    reach = stats.t.ppf((1 + level) / 2, n - 1) * values.std(ddof=1) / np.sqrt(n)
    return Interval(float(values.mean() - reach), float(values.mean() + reach), level, "trials")


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
