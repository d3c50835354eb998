"""Compare models over the same random class splits: paired differences, average ranks, and who cannot be told apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import rankdata

from unseen.evaluation.metrics import Floats, choose_headline
from unseen.evaluation.significance import TESTS, PairedTest, Test, correct_by_holm, count_pairs_needed, paired_test
from unseen.evaluation.splits.result import SplitResult, describe_splits
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import check_choice
from unseen.utils.tables import Cell, Rendered, Table

NOTES = (
    "Minus {against}: the mean difference over the splits, in points, with Student's 95% interval. Ahead in: the "
    "number of splits in which the model is better, with ties for a half. p: two-sided, corrected by Holm for {n} "
    "comparison(s).",
    "Wilcoxon's and the t-test, like the interval, tell whether further random splits of the same classes would agree. "
    "The splits share classes; corrected t (Nadeau and Bengio, 2003) asks about other classes like these.",
)


@dataclass(frozen=True)
class Difference:
    """How a model differs from the one it is compared with, over class splits.

    Attributes
    ----------
    name : str
        Name of the model.
    tests : dict of PairedTest
        The outcomes of "wilcoxon", "t" and "corrected-t", each with the mean difference (the model minus the other) and
        its interval.
    p_values : dict of float
        Their p-values after Holm's correction for all models compared.
    ahead : float
        Number of splits in which the model is better, with ties for a half.
    """

    name: str
    tests: dict[Test, PairedTest]
    p_values: dict[Test, float]
    ahead: float


@dataclass(frozen=True, eq=False)
class SplitComparison(Rendered):
    """Models compared over the same random class splits, best first.

    Parameters
    ----------
    results : sequence of SplitResult
        Results of at least two models, with different names, on the same class splits.
    metric : str, optional
        Metric to compare; by default H, mean per-class accuracy or mean average precision, whichever was measured.
    against : str, optional
        Name of the model with which all others are compared; by default the one with the best mean.

    Examples
    --------
    >>> from unseen import evaluate, load_dataset
    >>> from unseen.models import ESZSL
    >>> data = load_dataset("synthetic", random_state=0, n_seen=6, n_unseen=3)
    >>> models = {"weak": ESZSL(gamma=1e4), "strong": ESZSL()}
    >>> results = [evaluate(model, data, class_splits=3, name=name) for name, model in models.items()]
    >>> SplitComparison(results, against="strong").differences()[0].tests["t"].names
    ('weak', 'strong')
    """

    results: Sequence[SplitResult]
    metric: str | None = None
    against: str | None = None

    def __post_init__(self) -> None:
        if len(self.results) < 2:
            raise InputError(f"results has {len(self.results)} result(s): give those of at least two models")
        names = [result.name for result in self.results]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InputError(f"results has several named {shorten(twice)}: give each a name of its own in evaluate")
        if self.against is not None:
            check_choice(self.against, names, "against")
        for result in self.results:
            # Tests of a model with the first refuse other data, splits, settings and metrics.
            paired_test(self.results[0], result, metric=self.compared)

    @property
    def compared(self) -> str:
        """The metric that is compared."""
        return self.metric or choose_headline(self.results[0].metrics)

    @property
    def baseline(self) -> SplitResult:
        """The result with which all others are compared."""
        named = [result for result in self.ordered if result.name == self.against]
        return (named or self.ordered)[0]

    @property
    def ordered(self) -> list[SplitResult]:
        """The results, the one with the best mean first."""
        return sorted(self.results, key=lambda result: -result.mean(self.compared))

    def differences(self) -> list[Difference]:
        """Compare every other model with the baseline, best first."""
        others = [result for result in self.ordered if result is not self.baseline]
        tests = {test: [self._test(one, self.baseline, test) for one in others] for test in TESTS}
        corrected = {test: correct_by_holm([one.p_value for one in found]) for test, found in tests.items()}
        return [
            Difference(
                other.name,
                {test: tests[test][at] for test in TESTS},
                {test: corrected[test][at] for test in TESTS},
                _count_ahead(other.values(self.compared), self.baseline.values(self.compared)),
            )
            for at, other in enumerate(others)
        ]

    def ranks(self) -> dict[str, float]:
        """Return the rank of each model averaged over splits, best first; 1 is best, and ties share their ranks."""
        values = np.array([result.values(self.compared) for result in self.results])
        means = rankdata(-values, axis=0).mean(axis=1)
        order = np.argsort(means, kind="stable")
        return {self.results[at].name: float(means[at]) for at in order}

    def p_values(self) -> dict[tuple[str, str], float]:
        """Return the p-value of each pair of models in the order of their ranks (Wilcoxon, corrected by Holm)."""
        named = {result.name: result for result in self.results}
        pairs = list(combinations(self.ranks(), 2))
        found = [self._test(named[one], named[two], "wilcoxon").p_value for one, two in pairs]
        return dict(zip(pairs, correct_by_holm(found), strict=True))

    def groups(self, level: float = 0.05) -> list[tuple[str, ...]]:
        """List the largest groups of neighbours by rank in which no two models differ at this level.

        Groups of a single model are left out.
        """
        names, p_values = list(self.ranks()), self.p_values()
        found: list[tuple[str, ...]] = []
        for start in range(len(names)):
            stop = start + 1
            while stop < len(names) and all(p_values[name, names[stop]] >= level for name in names[start:stop]):
                stop += 1
            group = tuple(names[start:stop])
            # A group that begins later is a part of the one before if it ends no later.
            if len(group) > 1 and not (found and set(group) <= set(found[-1])):
                found.append(group)
        return found

    def table(self) -> Table:
        """Return the table of means, ranks and differences."""
        ranks, differences = self.ranks(), {found.name: found for found in self.differences()}
        first = self.results[0]
        where = f"{first.dataset or 'unnamed data'}, {first.setting} setting"
        return Table(
            f"{self.compared} (%) on {where}: {describe_splits(first)}",
            (
                *("model", "mean", "rank", f"minus {self.baseline.name}", "95% low", "95% high", "ahead in"),
                *("p Wilcoxon", "p t", "p corrected t"),
            ),
            tuple(
                (result.name, result.measure(self.compared), ranks[result.name], *_fill(differences.get(result.name)))
                for result in self.ordered
            ),
            (
                *(note.format(against=self.baseline.name, n=len(differences)) for note in NOTES),
                *note_too_few(len(first.trials), len(differences)),
            ),
        )

    def _test(self, one: SplitResult, two: SplitResult, test: Test) -> PairedTest:
        return paired_test(one, two, metric=self.compared, test=test)


def note_too_few(n_splits: int, n_tests: int, level: float = 0.05) -> list[str]:
    """Note that Wilcoxon's test could not find any difference, if there are too few splits for that."""
    needed = count_pairs_needed(n_tests, level)
    if n_splits >= needed:
        return []
    return [
        f"With {n_splits} splits and {n_tests} comparison(s) Wilcoxon's p cannot fall below {level:g}: take at least "
        f"{needed} splits."
    ]


def _count_ahead(values: Floats, others: Floats) -> float:
    return float((values > others).sum() + 0.5 * (values == others).sum())


def _fill(found: Difference | None) -> tuple[Cell, ...]:
    """Return the cells of a difference; those of the baseline itself stay empty."""
    if found is None:
        return (None, None, None, None, "", "", "")
    test = found.tests["t"]
    assert test.interval is not None
    numbers = (100 * value for value in (test.difference, test.interval.low, test.interval.high))
    return (*numbers, f"{found.ahead:g} of {test.n}", *(f"{p:.2g}" for p in found.p_values.values()))
