import json

import numpy as np
import pytest
from scipy import stats

from unseen.confidence.seen_unseen import SeenUnseenCurve
from unseen.evaluation import EvaluationResult, ResultTable, Trial, compare
from unseen.evaluation.intervals import N_RESAMPLED, resample
from unseen.evaluation.metrics import METRICS, PER_CLASS, PER_IMAGE, PRECISION, Candidates
from unseen.experiments import published
from unseen.utils.errors import InputError

CANDIDATES = Candidates(np.array(["okapi", "tapir", "zebra"]), np.array([10, 20, 70]), np.zeros(3, dtype=bool))


def trial(recall, seed=0, **more):
    """A trial in which all wrong answers were 'okapi' ('tapir' for okapis themselves)."""
    right = np.round(np.array(recall) * CANDIDATES.support).astype(int)
    confusion = np.diag(right)
    for at, wrong in enumerate(CANDIDATES.support - right):
        confusion[at, 1 if at == 0 else 0] += wrong
    per_class = {
        "precision": np.diag(confusion) / np.maximum(confusion.sum(axis=0), 1),
        "recall": right / CANDIDATES.support,
    }
    metrics = {metric.name: metric.of(per_class, CANDIDATES) for metric in (PER_IMAGE, PER_CLASS, PRECISION)}
    return Trial(metrics, per_class, str(recall), confusion, seed=seed, fit_seconds=1.0, predict_seconds=0.5, **more)


def result(*trials, name="JFA", **more):
    options = {"model": f"{name}()", "dataset": "savanna", "setting": "standard", "candidates": CANDIDATES} | more
    return EvaluationResult(name=name, trials=trials, **options)


RECALLS = ([0.5, 0.5, 0.9], [0.6, 0.4, 0.8], [0.7, 0.6, 0.7])
THREE = result(*(trial(recall, seed) for seed, recall in enumerate(RECALLS)))
ONE = result(trial(RECALLS[0]))


def test_mean_and_deviation_are_over_trials():
    values = [np.mean(recall) for recall in RECALLS]
    assert THREE.mean("mean per-class accuracy") == pytest.approx(np.mean(values))
    assert THREE.std("mean per-class accuracy") == pytest.approx(np.std(values, ddof=1))
    assert ONE.std("mean per-class accuracy") is None


def test_deviation_across_classes_is_that_of_table_4():
    values = 100 * np.mean(RECALLS, axis=0)
    across = THREE.over_classes("recall")
    assert (across.mean, across.std) == pytest.approx((values.mean(), values.std(ddof=1)))


def test_confusion_is_averaged_over_trials():
    np.testing.assert_allclose(np.diag(THREE.confusion) / CANDIDATES.support, np.mean(RECALLS, axis=0))
    assert THREE.confusion.sum() == 100


def test_interval_over_trials_is_students():
    values = THREE.values("per-image accuracy")
    interval = THREE.interval("per-image accuracy", level=0.9)
    expected = stats.t.interval(0.9, 2, values.mean(), stats.sem(values))
    assert (interval.low, interval.high) == pytest.approx(expected)
    assert interval.over == "trials"


@pytest.mark.parametrize("metric", [PER_IMAGE, PER_CLASS])
def test_resampled_images_are_like_drawing_them_one_by_one(metric):
    rng = np.random.default_rng(0)
    outcomes = [
        np.repeat([1.0, 0.0], [round(n * r), n - round(n * r)]) for n, r in zip([10, 20, 70], RECALLS[0], strict=True)
    ]
    slow = [[rng.choice(rows, len(rows)).mean() for rows in outcomes] for _ in range(N_RESAMPLED)]
    slow = metric.combine(np.array(slow), CANDIDATES)
    fast = resample(metric, ONE.trials[0], CANDIDATES, "images")
    assert fast.mean() == pytest.approx(slow.mean(), abs=0.01)
    assert fast.std() == pytest.approx(slow.std(), rel=0.15)


def test_resampled_classes_bring_their_images_along():
    values = resample(PER_IMAGE, ONE.trials[0], CANDIDATES, "classes")
    recall, n = np.array(RECALLS[0]), CANDIDATES.support
    draws = np.array(np.meshgrid(*[range(3)] * 3)).reshape(3, -1).T
    possible = [(recall[draw] * n[draw]).sum() / n[draw].sum() for draw in draws]
    assert np.isclose(values[:, None], possible).any(axis=1).all()
    assert values.mean() == pytest.approx(np.mean(possible), abs=0.02)


def test_interval_of_one_trial_is_over_images_or_classes():
    assert ONE.interval("per-image accuracy").over == "images"
    assert ONE.interval("mean class precision").over == "classes"
    low_level, high_level = (ONE.interval("per-image accuracy", level=level) for level in (0.5, 0.99))
    assert high_level.low < low_level.low < ONE.mean("per-image accuracy") < low_level.high < high_level.high


def test_spread_is_the_larger_of_that_over_trials_and_over_tests():
    far_apart = result(trial([0.1, 0.1, 0.1]), trial([0.9, 0.9, 0.9]))
    assert far_apart.spread("per-image accuracy").over == "trials"
    assert far_apart.spread("per-image accuracy").std == far_apart.std("per-image accuracy")
    same = result(trial(RECALLS[0], 0), trial(RECALLS[0], 1))
    assert same.deterministic
    assert same.spread("per-image accuracy").over == "images"
    # The binomial deviation, by hand.
    p, n = np.array(RECALLS[0]), CANDIDATES.support
    expected = np.sqrt((n * p * (1 - p)).sum()) / n.sum()
    assert same.spread("per-image accuracy").std == pytest.approx(expected, rel=0.1)


def test_area_under_a_curve_has_no_spread_without_trials_that_differ():
    one = Trial({"AUSUC": 0.3}, {"recall": np.zeros(3)}, "x")
    assert result(one, setting="generalized").spread("AUSUC") is None
    with pytest.raises(InputError, match="'AUSUC' has an interval only over trials"):
        result(one, setting="generalized").interval("AUSUC")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: THREE.mean("per-image acuracy"),
            "was not measured in the standard setting.*did you mean 'per-image acc",
        ),
        (lambda: THREE.per_class("recal"), "column='recal' was not measured.*did you mean 'recall'"),
        (lambda: THREE.interval("per-image accuracy", level=95), "level=95 is not a confidence"),
        (lambda: THREE.interval("per-image accuracy", over="rows"), "over='rows' is not a way to resample"),
        (lambda: THREE.interval("mean class precision", over="images"), "choose 'auto' or 'trials' or 'classes'"),
        (lambda: ONE.interval("per-image accuracy", over="trials"), "at least 2 trials"),
    ],
)
def test_bad_questions_get_a_sentence(ask, message):
    with pytest.raises(InputError, match=message):
        ask()


def test_trials_survive_being_written_down():
    curve = SeenUnseenCurve(np.array([-0.1, 0.2]), np.array([0.0, 1 / 3]), np.array([1.0, 0.0]))
    first = trial(RECALLS[0], 4, gamma=0.1, curve=curve, parameters={"lam": 0.5, "omega": [1, 2.5]})
    second = Trial.from_dict(json.loads(json.dumps(first.to_dict())))
    for field, value in vars(first).items():
        got = getattr(second, field)
        if field in ("per_class", "curve"):
            mine, yours = (vars(v) if field == "curve" else v for v in (value, got))
            for column in mine:
                np.testing.assert_array_equal(mine[column], yours[column])
        else:
            np.testing.assert_array_equal(value, got) if field == "confusion" else None
            assert field == "confusion" or got == value
    assert second.confusion.dtype == np.int64


def test_everything_goes_into_json():
    plain = json.loads(json.dumps(THREE.to_dict()))
    assert plain["classes"] == ["okapi", "tapir", "zebra"]
    assert plain["metrics"]["per-image accuracy"]["mean"] == THREE.mean("per-image accuracy")
    assert len(plain["trials"]) == 3


@pytest.mark.parametrize("format_", ["text", "markdown", "latex", "csv", "html"])
def test_results_render_in_every_format(format_):
    for shown in (THREE, THREE.per_class_table(), ResultTable([THREE])):
        text = getattr(shown, f"to_{format_}")()
        assert f"{100 * THREE.mean('per-image accuracy'):.2f}"[:4] in text or "okapi" in text
    assert THREE._repr_html_() == THREE.to_html()


def test_results_stand_side_by_side_with_the_published():
    other = result(trial([0.1, 0.1, 0.1]), name="ESZSL")
    numbers = published(table="jfa-table-2", method="JFA", dataset="CUB")
    table = ResultTable([THREE, other], ["per-image accuracy"], {"JFA": numbers}).table()
    assert table.columns == ("model", "per-image accuracy", "per-image accuracy, published")
    assert [row[0] for row in table.rows] == ["JFA", "ESZSL"]
    assert str(table.rows[0][2]) == "46.48 ± 1.67"
    assert table.rows[1][2] is None


def test_tables_of_unlike_results_get_a_sentence():
    with pytest.raises(InputError, match="different datasets or settings"):
        ResultTable([THREE, result(trial(RECALLS[0]), dataset="jungle")])
    with pytest.raises(InputError, match="published names 'SJE', which is not a result"):
        ResultTable([THREE], published={"SJE": []})
    with pytest.raises(InputError, match="results is empty"):
        ResultTable([])


def test_comparison_follows_its_rule():
    [number] = published(table="jfa-table-2", method="JFA", dataset="CUB")
    found = compare(THREE, number)
    assert found.difference == pytest.approx(100 * THREE.mean("per-image accuracy") - 46.48)
    assert found.spread == pytest.approx(2 * np.hypot(100 * THREE.spread("per-image accuracy").std, 1.67))
    assert found.within is (abs(found.difference) <= found.spread)
    # A deviation across classes is not an uncertainty of the mean.
    [across] = published(table="jfa-table-4", method="JFA", dataset="CUB", metric="mean class precision")
    assert compare(THREE, across).spread == pytest.approx(200 * THREE.spread("mean class precision").std)


def test_every_metric_has_a_way_to_be_resampled():
    assert {metric.resample for metric in METRICS.values()} == {"images", "classes"}
