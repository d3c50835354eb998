"""Models compared over the same class splits."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from unseen.data import make_zero_shot
from unseen.evaluation import ResultTable, SplitComparison, SplitResult, correct_by_holm, evaluate, paired_test
from unseen.models import ESZSL
from unseen.utils.errors import InputError

DATA = make_zero_shot(n_seen=8, n_unseen=4, n_features=10, n_per_class=4, n_test_per_class=3, random_state=0)
N = 12
BASE = evaluate(ESZSL(), DATA, class_splits=N)
METRIC = "mean per-class accuracy"


def made_up(name: str, values: np.ndarray) -> SplitResult:
    """A result whose accuracies are these."""
    trials = (replace(t, metrics=dict.fromkeys(t.metrics, float(v))) for t, v in zip(BASE.trials, values, strict=True))
    return replace(BASE, name=name, trials=tuple(trials))


def draw(seed: int, *means: float) -> list[SplitResult]:
    random = np.random.default_rng(seed)
    return [made_up(f"model {at}", mean + random.normal(0, 0.02, N)) for at, mean in enumerate(means)]


GOOD, FAIR, POOR = draw(0, 0.62, 0.61, 0.5)


def test_pairs_are_splits():
    for test, expected in (("wilcoxon", stats.wilcoxon), ("t", stats.ttest_rel)):
        found = paired_test(GOOD, POOR, over="splits", test=test)
        assert found.p_value == pytest.approx(expected(GOOD.values(METRIC), POOR.values(METRIC)).pvalue)
        assert (found.n, found.over) == (N, "splits")
    differences = GOOD.values(METRIC) - FAIR.values(METRIC)
    interval = paired_test(GOOD, FAIR).interval
    expected = stats.t.interval(0.95, N - 1, differences.mean(), stats.sem(differences))
    assert (interval.low, interval.high) == pytest.approx(expected)


def test_the_correction_for_shared_classes():
    differences = GOOD.values(METRIC) - FAIR.values(METRIC)
    found = paired_test(GOOD, FAIR, test="corrected-t")
    # 4 unseen and 8 seen classes.
    error = np.sqrt(differences.var(ddof=1) * (1 / N + 4 / 8))
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(differences.mean()) / error, N - 1))
    assert found.interval.high - found.difference == pytest.approx(stats.t.ppf(0.975, N - 1) * error)
    assert found.p_value > paired_test(GOOD, FAIR, test="t").p_value
    assert "corrected for shared classes" in str(found)


@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm(p):
    corrected = correct_by_holm(p)
    # By definition: the largest of the scaled p-values up to this one, in order.
    order = sorted(range(len(p)), key=lambda at: p[at])
    for place, at in enumerate(order):
        scaled = [(len(p) - before) * p[order[before]] for before in range(place + 1)]
        assert corrected[at] == pytest.approx(min(1.0, max(scaled)))


def test_differences_from_the_best_or_from_a_named_model():
    best = SplitComparison([POOR, FAIR, GOOD])
    assert best.baseline is GOOD
    assert [found.name for found in best.differences()] == [FAIR.name, POOR.name]
    found = SplitComparison([POOR, FAIR, GOOD], against=FAIR.name).differences()
    assert [one.name for one in found] == [GOOD.name, POOR.name]
    ps = [paired_test(one, FAIR).p_value for one in (GOOD, POOR)]
    assert [one.p_values["wilcoxon"] for one in found] == pytest.approx(correct_by_holm(ps))
    assert found[1].tests["t"].difference == pytest.approx(POOR.mean(METRIC) - FAIR.mean(METRIC))
    assert found[1].ahead == np.sum(POOR.values(METRIC) > FAIR.values(METRIC))


def test_the_table_shows_means_differences_and_p_values():
    table = SplitComparison([POOR, GOOD, FAIR]).table()
    assert [row[0] for row in table.rows] == [GOOD.name, FAIR.name, POOR.name]
    assert table.columns[3] == f"minus {GOOD.name}"
    assert table.rows[0][3] is None
    assert table.rows[2][3] == pytest.approx(100 * (POOR.mean(METRIC) - GOOD.mean(METRIC)))
    assert table.rows[2][6] == f"0 of {N}"
    assert "cannot fall below" not in table.to_text()
    means = ResultTable([GOOD, POOR])
    assert means.table().rows[0][1] == GOOD.measure(METRIC)
    assert "over splits" in means.to_text()


def test_too_few_splits_are_said_to_be_too_few():
    few = [replace(one, trials=one.trials[:5], candidates=one.candidates[:5]) for one in (GOOD, POOR)]
    assert (
        "With 5 splits and 1 comparison(s) Wilcoxon's p cannot fall below 0.05: take at least 6"
        in SplitComparison(few).to_text()
    )
    assert SplitComparison(few).differences()[0].p_values["wilcoxon"] > 0.05
    six = [replace(one, trials=one.trials[:6], candidates=one.candidates[:6]) for one in (GOOD, POOR)]
    assert SplitComparison(six).differences()[0].p_values["wilcoxon"] < 0.05


def test_ranks_are_those_of_each_split_on_average():
    ranks = SplitComparison([POOR, FAIR, GOOD]).ranks()
    values = -np.array([one.values(METRIC) for one in (GOOD, FAIR, POOR)])
    assert list(ranks.values()) == pytest.approx(stats.rankdata(values, axis=0).mean(axis=1).tolist())
    assert list(SplitComparison([GOOD, replace(GOOD, name="twin")]).ranks().values()) == [1.5, 1.5]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), means=st.lists(st.sampled_from([0.5, 0.51, 0.52, 0.56]), min_size=2, max_size=6))
def test_groups_are_the_largest_runs_of_neighbours_that_do_not_differ(seed, means):
    comparison = SplitComparison(draw(seed, *means))
    names, p_values, groups = list(comparison.ranks()), comparison.p_values(), comparison.groups()
    runs = [names[low:high] for low, high in combinations(range(len(names) + 1), 2) if high - low > 1]
    alike = [run for run in runs if all(p_values[pair] >= 0.05 for pair in combinations(run, 2))]
    largest = [run for run in alike if not any(set(run) < set(other) for other in alike)]
    assert [list(group) for group in groups] == largest
    assert all(set(one) - set(two) for one, two in pairwise(groups))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([GOOD],), "results has 1 result"),
        (([GOOD, GOOD],), "several named 'model 0'"),
        (([GOOD, FAIR], "H"), "metric='H' was not measured"),
        (([GOOD, FAIR], None, "model 7"), "against='model 7' is not known"),
        (([GOOD, evaluate(ESZSL(), DATA, class_splits=N, random_state=1)],), "of different class splits"),
        (([GOOD, evaluate(ESZSL(), DATA, class_splits=N, n_unseen=3)],), "of different classes"),
        (([GOOD, replace(FAIR, setting="retrieval")],), "different settings"),
    ],
)
def test_refusals(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        SplitComparison(*arguments)


def test_results_of_one_split_and_of_many_are_not_paired():
    one = evaluate(ESZSL(), DATA)
    with pytest.raises(InputError, match="one result is over class splits"):
        paired_test(one, GOOD)
    with pytest.raises(InputError, match="over='splits' needs results over class splits"):
        paired_test(one, one, over="splits")
    with pytest.raises(InputError, match="test='corrected-t' is for class splits"):
        paired_test(one, one, test="corrected-t")
    with pytest.raises(InputError, match="over='classes' is not known"):
        paired_test(GOOD, FAIR, over="classes")
