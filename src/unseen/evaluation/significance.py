"""Test whether two results on the same data differ by more than chance."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from unseen.evaluation.metrics import Floats
from unseen.evaluation.result import EvaluationResult
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice

Test = Literal["wilcoxon", "t"]


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
    test : "wilcoxon" or "t"
    over : "classes" or "trials"
    n : int
        The number of pairs.
    """

    names: tuple[str, str]
    difference: float
    p_value: float
    test: Test
    over: Literal["classes", "trials"]
    n: int

    def __str__(self) -> str:
        how = {"wilcoxon": "Wilcoxon signed-rank test", "t": "paired t-test"}[self.test]
        return (
            f"{self.names[0]} minus {self.names[1]}: {100 * self.difference:+.2f} points over {self.n} {self.over}, "
            f"p = {self.p_value:.3g} ({how}, two-sided)"
        )


def paired_test(
    first: EvaluationResult,
    second: EvaluationResult,
    *,
    over: Literal["classes", "trials"] = "classes",
    metric: str | None = None,
    test: Test = "wilcoxon",
) -> PairedTest:
    """Test whether two results on the same data differ by more than chance.

    Parameters
    ----------
    first, second : EvaluationResult
        Results of the same dataset and setting.
    over : "classes" (default) or "trials"
        What the pairs are. With classes (their recall or average precision, averaged over trials), the answer holds for
        other classes like these. With trials of the same seed, it holds for these classes only.
    metric : str, optional
        Metric to compare over trials, by default the first of the setting; or per-class column to compare over classes.
    test : "wilcoxon" (default) or "t"
        Test of the ranks of the differences, or of their mean (which assumes that they are normal).
    """
    _check_comparable(first, second)
    check_choice(test, ("wilcoxon", "t"), "test")
    if check_choice(over, ("classes", "trials"), "over") == "classes":
        column = metric or (
            "recall" if "recall" in first.trials[0].per_class else next(iter(first.trials[0].per_class))
        )
        differences = (first.per_class(column) - second.per_class(column))[first.candidates.tested]
    else:
        differences = _compare_trials(first, second, metric or first.metrics[0])
    names = (first.name, second.name)
    return PairedTest(
        names, float(differences.mean()), _compute_p_value(differences, test), test, over, len(differences)
    )


def comparable(first: EvaluationResult, second: EvaluationResult) -> bool:
    """Return whether two results are of the same data, classes and setting."""
    try:
        _check_comparable(first, second)
    except InputError:
        return False
    return True


def _check_comparable(first: EvaluationResult, second: EvaluationResult) -> None:
    for field in ("dataset", "setting"):
        one, two = getattr(first, field), getattr(second, field)
        if one != two:
            raise InputError(f"the results are of different {field}s, {one!r} and {two!r}: compare like with like")
    if first.candidates.labels.tolist() != second.candidates.labels.tolist():
        raise InputError("the results are of different classes: evaluate both models on the same split")
    if not np.array_equal(first.candidates.support, second.candidates.support):
        raise InputError("the results are of different test images: evaluate both models on the same split")


def _compare_trials(first: EvaluationResult, second: EvaluationResult, metric: str) -> Floats:
    seeds = [[trial.seed for trial in result.trials] for result in (first, second)]
    if seeds[0] != seeds[1] or len(seeds[0]) < 2:
        raise InputError(
            f"over='trials' pairs trials by seed, but the results have {len(seeds[0])} and {len(seeds[1])} trials"
            f"{'' if len(seeds[0]) != len(seeds[1]) else ' of other seeds'}: give both the same random_state and at "
            "least 2 trials, or choose over='classes'"
        )
    return first.values(metric) - second.values(metric)


def _compute_p_value(differences: Floats, test: Test) -> float:
    if not differences.any():
        return 1.0
    if len(differences) < 2:
        raise InputError(f"a paired test needs at least 2 pairs, got {len(differences)}: evaluate more classes")
    if test == "t":
        # Differences that are equal up to rounding have no spread, so t is infinite.
        return float(stats.ttest_1samp(differences, 0.0).pvalue) if np.ptp(differences) > 1e-12 else 0.0
    return float(stats.wilcoxon(differences).pvalue)
