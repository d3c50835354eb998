"""Test whether two results on the same data differ by more than chance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from unseen.evaluation.intervals import Interval, mean_interval, standard_error
from unseen.evaluation.metrics import Candidates, Floats, choose_headline
from unseen.evaluation.result import EvaluationResult
from unseen.evaluation.splits.result import SplitResult
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice

Test = Literal["wilcoxon", "t", "corrected-t"]
Pairs = Literal["classes", "trials", "splits"]
Result = EvaluationResult | SplitResult

TESTS: dict[Test, str] = {
    "wilcoxon": "Wilcoxon signed-rank test",
    "t": "paired t-test",
    "corrected-t": "paired t-test corrected for shared classes",
}
LEVEL = 0.95


@dataclass(frozen=True)
class PairedTest:
    """The outcome of `paired_test`.

    Attributes
    ----------
    names : pair of str
        Names of the two models.
    difference : float
        Mean of the first minus the second, as a fraction of 1.
    p_value : float
        Two-sided p-value: how often chance alone gives a difference at least as large.
    test : "wilcoxon", "t" or "corrected-t"
    over : "classes", "trials" or "splits"
    n : int
        The number of pairs.
    interval : Interval or None
        Student's 95% interval of the mean difference, corrected like the test; None for a single pair.
    """

    names: tuple[str, str]
    difference: float
    p_value: float
    test: Test
    over: Pairs
    n: int
    interval: Interval | None = None

    def __str__(self) -> str:
        reach = f" ({100 * self.interval.low:+.2f} to {100 * self.interval.high:+.2f})" if self.interval else ""
        return (
            f"{self.names[0]} minus {self.names[1]}: {100 * self.difference:+.2f} points{reach} over {self.n} "
            f"{self.over}, p = {self.p_value:.3g} ({TESTS[self.test]}, two-sided)"
        )


def paired_test(
    first: Result,
    second: Result,
    *,
    over: Pairs | None = None,
    metric: str | None = None,
    test: Test = "wilcoxon",
) -> PairedTest:
    """Test whether two results on the same data differ by more than chance.

    Parameters
    ----------
    first, second : EvaluationResult or SplitResult
        Results of the same dataset, split (or class splits) and setting.
    over : "classes", "trials" or "splits", optional
        What the pairs are: the class splits of a `SplitResult`, or the classes (by default) or trials of an
        `EvaluationResult`. With classes (their recall or average precision, averaged over trials), the answer holds for
        other classes like these. With trials of the same seed, it holds for these classes only. With class splits, it
        holds for further random splits of these classes.
    metric : str, optional
        Per-class column to compare over classes, or metric to compare over trials (by default the first of the setting)
        or over class splits (by default H, mean per-class accuracy or mean average precision).
    test : "wilcoxon" (default), "t" or "corrected-t"
        Test of the ranks of the differences, or of their mean (which assumes that they are normal). Class splits share
        classes, so that their differences are not independent. "corrected-t" (Nadeau and Bengio, 2003) takes that into
        account: its answer, for other classes like these, is far more cautious.
    """
    _check_comparable(first, second)
    check_choice(test, list(TESTS), "test")
    pairs = _choose_pairs(first, over)
    if test == "corrected-t" and pairs != "splits":
        raise InputError(f"test='corrected-t' is for class splits, which share classes, not for {pairs}: choose 't'")
    differences = _find_differences(first, second, pairs, metric)
    overlap = first.n_unseen / first.n_seen if test == "corrected-t" and isinstance(first, SplitResult) else 0.0
    return PairedTest(
        names=(first.name, second.name),
        difference=float(differences.mean()),
        p_value=_compute_p_value(differences, test, overlap),
        test=test,
        over=pairs,
        n=len(differences),
        interval=mean_interval(differences, LEVEL, pairs, overlap) if len(differences) > 1 else None,
    )


def correct_by_holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values of several tests after Holm's correction, in the same order.

    Whoever calls those below 0.05 a difference is wrong about any of them in at most 5% of all cases.

    >>> correct_by_holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p_values, dtype=float)
    order = np.argsort(given, kind="stable")
    scaled = given[order] * np.arange(len(given), 0, -1)
    corrected = np.empty_like(given)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(scaled))
    return [float(value) for value in corrected]


def count_pairs_needed(n_tests: int, level: float = 0.05) -> int:
    """Return how many pairs Wilcoxon's test needs at least to find a difference among so many tests, after Holm.

    >>> count_pairs_needed(1), count_pairs_needed(10)
    (6, 9)
    """
    # Where all n differences have the same sign, the p-value is 2 / 2^n.
    return math.floor(math.log2(n_tests / level)) + 2


def comparable(first: Result, second: Result) -> bool:
    """Return whether two results are of the same data, classes and setting."""
    try:
        _check_comparable(first, second)
    except InputError:
        return False
    return True


def _check_comparable(first: Result, second: Result) -> None:
    for field in ("dataset", "setting"):
        one, two = getattr(first, field), getattr(second, field)
        if one != two:
            raise InputError(f"the results are of different {field}s, {one!r} and {two!r}: compare like with like")
    if isinstance(first, SplitResult) != isinstance(second, SplitResult):
        raise InputError("one result is over class splits and the other is not: give both the same class_splits")
    if isinstance(first, SplitResult) and isinstance(second, SplitResult):
        if first.seeds != second.seeds:
            raise InputError("the results are of different class splits: give both the same class_splits, random_state")
        for one, two in zip(first.candidates, second.candidates, strict=True):
            _check_same_test(one, two)
    elif isinstance(first, EvaluationResult) and isinstance(second, EvaluationResult):
        _check_same_test(first.candidates, second.candidates)


def _check_same_test(first: Candidates, second: Candidates) -> None:
    if first.labels.tolist() != second.labels.tolist():
        raise InputError("the results are of different classes: evaluate both models on the same split")
    if not np.array_equal(first.support, second.support):
        raise InputError("the results are of different test images: evaluate both models on the same split")


def _choose_pairs(result: Result, over: Pairs | None) -> Pairs:
    if isinstance(result, SplitResult):
        check_choice(over or "splits", ("splits",), "over")
        return "splits"
    if over == "splits":
        raise InputError("over='splits' needs results over class splits: evaluate both models with class_splits=20")
    return "trials" if check_choice(over or "classes", ("classes", "trials"), "over") == "trials" else "classes"


def _find_differences(first: Result, second: Result, over: Pairs, metric: str | None) -> Floats:
    if isinstance(first, EvaluationResult) and isinstance(second, EvaluationResult):
        if over == "trials":
            return _compare_trials(first, second, metric or first.metrics[0])
        known = first.trials[0].per_class
        column = metric or ("recall" if "recall" in known else next(iter(known)))
        return (first.per_class(column) - second.per_class(column))[first.candidates.tested]
    chosen = metric or choose_headline(first.metrics)
    return first.values(chosen) - second.values(chosen)


def _compare_trials(first: EvaluationResult, second: EvaluationResult, metric: str) -> Floats:
    seeds = [[trial.seed for trial in result.trials] for result in (first, second)]
    if seeds[0] != seeds[1] or len(seeds[0]) < 2:
        raise InputError(
            f"over='trials' pairs trials by seed, but the results have {len(seeds[0])} and {len(seeds[1])} trials"
            f"{'' if len(seeds[0]) != len(seeds[1]) else ' of other seeds'}: give both the same random_state and at "
            "least 2 trials, or choose over='classes'"
        )
    return first.values(metric) - second.values(metric)


def _compute_p_value(differences: Floats, test: Test, overlap: float) -> float:
    if not differences.any():
        return 1.0
    if len(differences) < 2:
        raise InputError(f"a paired test needs at least 2 pairs, got {len(differences)}: evaluate more classes")
    if test == "wilcoxon":
        return float(stats.wilcoxon(differences).pvalue)
    # Differences that are equal up to rounding have no spread, so t is infinite.
    if np.ptp(differences) <= 1e-12:
        return 0.0
    t = differences.mean() / standard_error(differences, overlap)
    return float(2 * stats.t.sf(abs(t), len(differences) - 1))
