"""Probabilities, thresholds and answers against the plain way to compute them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import log_softmax, softmax

from unseen.confidence import CoverageCurve, answers, expected_calibration_error, find_temperature, soft_maximum
from unseen.confidence.seen_unseen import harmonic_mean
from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.models import ESZSL, JFA, Calibrated, ConSE
from unseen.models.wrappers.calibrated import calibration_of, seen_penalty_of
from unseen.selection import HoldOutClasses
from unseen.transduction import PST
from unseen.utils.errors import InputError

SCORES = arrays(np.float64, (7, 4), elements=st.floats(-50, 50))
CHANCES = arrays(np.float64, 30, elements=st.floats(0, 1))


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return make_zero_shot(n_seen=20, n_unseen=10, n_features=12, n_attributes=8, noise=1.5, random_state=1)


@pytest.fixture(scope="module")
def model(data: ZeroShotDataset) -> Calibrated:
    return Calibrated(JFA(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)


# Probabilities


@given(SCORES, st.floats(0.01, 100))
def test_soft_maximum(scores, temperature: float) -> None:
    np.testing.assert_allclose(soft_maximum(scores, temperature), softmax(scores / temperature, axis=1), atol=1e-12)


def loss(temperature: float, scores, true) -> float:
    """Minus the likelihood, where each true class is doubted a little in favour of all others alike."""
    total, doubt = 0.0, 1 / (sum(map(len, scores)) + 2)
    for group, rows in zip(scores, true, strict=True):
        target = np.full(group.shape, doubt / (group.shape[1] - 1))
        target[np.arange(len(rows)), rows] = 1 - doubt
        total -= np.sum(target * log_softmax(group / temperature, axis=1))
    return total


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.01, 100))
def test_the_best_temperature_is_that_of_the_highest_likelihood(seed: int, factor: float) -> None:
    random = np.random.default_rng(seed)
    scores = [factor * random.normal(size=(60, m)) for m in (3, 5)]
    true = [np.where(random.random(60) < 0.6, s.argmax(axis=1), random.integers(s.shape[1], size=60)) for s in scores]
    found = find_temperature(scores, true)
    around = found * np.exp(np.linspace(-3, 3, 121))
    assert loss(found, scores, true) <= min(loss(t, scores, true) for t in around) * (1 + 1e-9)
    # The units of the scores are those of the temperature.
    assert find_temperature([2 * s for s in scores], true) == pytest.approx(2 * found, rel=1e-3)


def test_a_few_right_answers_are_no_proof_of_certainty() -> None:
    scores = np.eye(3)[[0, 1, 2, 0]]
    temperature = find_temperature([scores], [scores.argmax(axis=1)])
    assert soft_maximum(scores, temperature).max() == pytest.approx(1 - 1 / 6, rel=1e-3)


def test_scores_that_say_nothing_have_no_temperature() -> None:
    with pytest.raises(InputError, match="do not tell any candidates apart"):
        find_temperature([np.zeros((3, 2))], [np.zeros(3, dtype=np.int64)])


@given(CHANCES, arrays(np.bool_, 30))
def test_calibration_error(confidence, correct) -> None:
    expected = 0.0
    for at in range(15):
        # Told by the same product, for its rounding decides at the bounds.
        inside = np.minimum((confidence * 15).astype(int), 14) == at
        if inside.any():
            expected += inside.mean() * abs(confidence[inside].mean() - correct[inside].mean())
    assert expected_calibration_error(confidence, correct) == pytest.approx(expected, abs=1e-12)


# Coverage


@given(CHANCES, arrays(np.bool_, 30), st.integers(0, 200))
def test_coverage_and_accuracy(confidence, correct, at: int) -> None:
    curve = CoverageCurve.of(confidence, correct, 5)
    threshold = curve.threshold[at]
    answered = confidence >= threshold
    found = curve.at(threshold)
    assert found.coverage == pytest.approx(answered.mean())
    np.testing.assert_allclose(found.accuracy, correct[answered].mean() if answered.any() else np.nan)


@given(CHANCES, arrays(np.bool_, 30), st.floats(0, 1))
def test_the_threshold_for_an_accuracy_keeps_it(confidence, correct, wanted: float) -> None:
    curve = CoverageCurve.of(confidence, correct, 5)
    try:
        threshold = curve.threshold_for(wanted)
    except InputError:
        assert np.nanmax(curve.accuracy) < wanted or curve.accuracy[curve.coverage > 0][-1] < wanted
        return
    answered = curve.threshold >= threshold
    assert np.nanmin(curve.accuracy[answered]) >= wanted
    assert curve.at(threshold).coverage > 0


def test_bad_thresholds_are_refused() -> None:
    curve = CoverageCurve.of(np.array([0.5, 0.6]), np.array([True, False]), 2)
    with pytest.raises(InputError, match=r"threshold=1\.5 is not a probability"):
        curve.at(1.5)
    with pytest.raises(InputError, match="is not reached"):
        curve.threshold_for(0.9)


# The calibrated model


def test_only_probabilities_change(model: Calibrated, data: ZeroShotDataset) -> None:
    plain = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    X, table = data.X_test_unseen, data.unseen_table
    np.testing.assert_array_equal(model.predict(X, classes=table), plain.predict(X, classes=table))
    scores = plain.decision_function(X, classes=table)
    np.testing.assert_array_equal(model.decision_function(X, classes=table), scores)
    expected = softmax(scores / model.temperature_, axis=1)
    np.testing.assert_allclose(model.predict_proba(X, classes=table), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(model.classes_, plain.classes_)


def test_calibration_sees_held_out_classes_only(data: ZeroShotDataset) -> None:
    """The temperature is that of models which never saw the rows they are asked about, nor their classes."""
    splitter = HoldOutClasses(5, n_splits=2, random_state=3)
    model = Calibrated(ESZSL(), splitter=splitter, penalise_seen=False).fit(
        data.X_train, data.y_train, classes=data.seen_table
    )
    scores, true = [], []
    for train, test in splitter.split(data.X_train, data.y_train):
        seen, hidden = (data.classes.select(np.unique(data.y_train[rows])) for rows in (train, test))
        rehearsed = ESZSL().fit(data.X_train[train], data.y_train[train], classes=seen)
        scores.append(rehearsed.decision_function(data.X_train[test], classes=hidden))
        true.append(hidden.index_of(data.y_train[test]))
    assert model.temperature_ == pytest.approx(find_temperature(scores, true))
    assert model.curve_.n_candidates == 5


def test_calibrated_probabilities_are_more_honest_on_unseen_classes(model: Calibrated, data: ZeroShotDataset) -> None:
    errors = []
    for chances in (m.predict_proba(data.X_test_unseen, classes=data.unseen_table) for m in (model.model_, model)):
        correct = data.unseen_table.labels[chances.argmax(axis=1)] == data.y_test_unseen
        errors.append(expected_calibration_error(chances.max(axis=1), correct))
    assert errors[1] < errors[0]


def test_two_seen_classes_and_too_few_classes(data: ZeroShotDataset) -> None:
    model = Calibrated(ESZSL(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    assert model.predict_proba(data.X_test_seen, classes=data.seen_classes[:2]).shape[1] == 2
    few = np.isin(data.y_train, data.seen_classes[:3])
    with pytest.warns(UserWarning, match="y has 3 classes, too few to hold any out: the model is fitted, but not cal"):
        model = Calibrated(ESZSL()).fit(data.X_train[few], data.y_train[few], classes=data.classes)
    assert calibration_of(model) is None
    X = data.X_test_unseen
    np.testing.assert_array_equal(model.predict_proba(X, data.classes), model.model_.predict_proba(X, data.classes))
    with pytest.raises(InputError, match="classes is None"):
        Calibrated(ESZSL()).fit(data.X_train, data.y_train)


# Seen and unseen classes together


@pytest.fixture(scope="module")
def biased(data: ZeroShotDataset) -> Calibrated:
    """A model that favours seen classes by much."""
    return Calibrated(ConSE(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)


def test_the_penalty_makes_up_for_the_bias(biased: Calibrated, data: ZeroShotDataset) -> None:
    assert biased.seen_penalty_ > 0
    harmonic = []
    for model in (biased.model_, biased):
        u = model.score(data.X_test_unseen, data.y_test_unseen, classes=data.classes)
        s = model.score(data.X_test_seen, data.y_test_seen, classes=data.classes)
        harmonic.append(harmonic_mean(u, s))
    assert harmonic[1] > harmonic[0] + 0.1


@settings(max_examples=30, deadline=None)
@given(st.sets(st.integers(0, 29), min_size=1))
def test_only_mixed_candidates_are_penalised(biased: Calibrated, data: ZeroShotDataset, chosen: set[int]) -> None:
    """Seen candidates lose the penalty if there is an unseen one beside them; nothing else changes."""
    X, labels = data.X_test_unseen[:5], data.classes.labels[sorted(chosen)]
    seen = np.isin(labels, data.seen_classes)
    plain = biased.model_.decision_function(X, classes=labels)
    expected = plain - (biased.seen_penalty_ * seen if 0 < seen.sum() < len(labels) else 0)
    np.testing.assert_array_equal(biased.decision_function(X, classes=labels), expected)
    np.testing.assert_array_equal(biased.predict(X, classes=labels), labels[expected.argmax(axis=1)])
    chances = biased.predict_proba(X, classes=labels)
    np.testing.assert_allclose(chances, softmax(expected / biased.temperature_, axis=1), atol=1e-12)


def test_mixed_candidates_are_answered_in_blocks(biased: Calibrated, data: ZeroShotDataset, monkeypatch) -> None:
    whole = biased.predict(data.X_test_unseen, classes=data.classes)
    monkeypatch.setattr("unseen.utils.arrays.BLOCK_BYTES", 4096)
    np.testing.assert_array_equal(biased.predict(data.X_test_unseen, classes=data.classes), whole)


def test_the_penalty_can_be_switched_off(data: ZeroShotDataset) -> None:
    model = Calibrated(ConSE(), penalise_seen=False, random_state=0)
    model.fit(data.X_train, data.y_train, classes=data.classes)
    assert model.seen_penalty_ is None
    X = data.X_test_unseen
    np.testing.assert_array_equal(model.predict(X, data.classes), model.model_.predict(X, data.classes))
    with pytest.raises(InputError, match="penalise_seen must be True or False"):
        Calibrated(ConSE(), penalise_seen=1).fit(data.X_train, data.y_train, classes=data.classes)


def test_one_row_of_each_class_is_too_few_for_a_penalty(data: ZeroShotDataset) -> None:
    first = np.unique(data.y_train, return_index=True)[1]
    with pytest.warns(UserWarning, match="y has a single row of each class, so that none can be held out"):
        model = Calibrated(ESZSL()).fit(data.X_train[first], data.y_train[first], classes=data.classes)
    assert model.seen_penalty_ is None
    assert model.temperature_ > 0


def test_a_batch_is_not_penalised(data: ZeroShotDataset) -> None:
    model = Calibrated(PST(ESZSL()), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    assert model.seen_penalty_ is None
    assert seen_penalty_of(model) is None


# Answers


@pytest.mark.parametrize("top", [1, 3, 10, 99])
def test_answers(top: int, model: Calibrated, data: ZeroShotDataset, monkeypatch) -> None:
    monkeypatch.setattr("unseen.utils.arrays.BLOCK_BYTES", 4096)  # several blocks
    done = []
    found = answers(model, data.X_test_unseen, data.unseen_table, top=top, abstain=0.6, on_rows=done.append)
    chances = model.predict_proba(data.X_test_unseen, classes=data.unseen_table)
    order = np.argsort(-chances, axis=1, kind="stable")[:, :top]
    np.testing.assert_array_equal(found.labels, data.unseen_table.labels[order])
    np.testing.assert_allclose(found.probabilities, np.take_along_axis(chances, order, axis=1))
    np.testing.assert_array_equal(found.withheld, chances.max(axis=1) < 0.6)
    assert sum(done) == len(data.X_test_unseen)
    assert len(done) > 1
    expected = np.where(found.withheld, None, found.labels[:, 0])
    assert found.best() == expected.tolist()


def test_answers_among_seen_classes_by_default(model: Calibrated, data: ZeroShotDataset) -> None:
    found = answers(model, data.X_test_seen)
    np.testing.assert_array_equal(found.labels[:, 0], model.predict(data.X_test_seen))
