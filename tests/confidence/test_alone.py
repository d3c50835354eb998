"""Labels judged by themselves: what they depend on, and how often a yes is right."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import unseen
from unseen.confidence.alone import AloneCalibration, find_evidence
from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.files.scoring.reading import is_layer, open_to_ask
from unseen.models import ESZSL, JFA, Calibrated
from unseen.transduction import PST
from unseen.utils.errors import InputError

SEEN = np.array([True, False, True, True, False])


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return make_zero_shot(
        n_seen=24, n_unseen=12, n_features=20, n_attributes=12, n_per_class=12, noise=1.0, random_state=0
    )


@pytest.fixture(scope="module")
def model(data: ZeroShotDataset) -> Calibrated:
    return Calibrated(ESZSL(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)


@given(arrays(np.float64, (3, 5), elements=st.floats(-300, 300)), st.floats(0.01, 10), st.floats(-50, 50))
def test_evidence_is_measured_against_the_other_seen_classes(scores: np.ndarray, T: float, common: float) -> None:
    found = find_evidence(scores, SEEN, T)
    for column in range(5):
        others = [other for other in np.flatnonzero(SEEN) if other != column]
        level = T * (np.logaddexp.reduce(scores[:, others] / T, axis=1) - np.log(len(others)))
        np.testing.assert_allclose(found[:, column], (scores[:, column] - level) / T, rtol=1e-6, atol=1e-6)
    # What all classes of a row share says nothing.
    np.testing.assert_allclose(find_evidence(scores + common, SEEN, T), found, rtol=1e-6, atol=1e-3)


def test_a_prior_moves_the_odds() -> None:
    rule, evidence = AloneCalibration(0.7, -0.2, 1.1, 0.4), np.linspace(-5, 5, 10).reshape(2, 5)
    even, rare = rule.apply(evidence, SEEN), rule.apply(evidence, SEEN, prior=0.01)
    np.testing.assert_allclose(rare / (1 - rare), even / (1 - even) / 99, rtol=1e-9)
    for prior in (0, 1, -0.5, True):
        with pytest.raises(InputError, match="is not a share"):
            rule.apply(evidence, SEEN, prior=prior)


def test_a_label_does_not_depend_on_the_others(model: Calibrated, data: ZeroShotDataset) -> None:
    together = model.predict_alone(data.X_test_unseen, classes=data.classes)
    for at in (0, 7, len(data.classes) - 1):
        alone = model.predict_alone(data.X_test_unseen, classes=data.classes.select(data.classes.labels[at : at + 1]))
        np.testing.assert_allclose(alone[:, 0], together[:, at], rtol=1e-9)


def test_yes_is_right_about_as_often_as_it_says(model: Calibrated, data: ZeroShotDataset) -> None:
    chances = model.predict_alone(data.X_test_unseen, classes=data.unseen_table)
    true = data.y_test_unseen[:, None] == data.unseen_table.labels[None, :]
    # Even odds: rows of the class and other rows weigh the same.
    weights = np.where(true, 0.5 / true.sum(), 0.5 / (~true).sum())
    assert abs((weights * chances).sum() - 0.5) < 0.12
    assert chances[true].mean() > chances[~true].mean() + 0.3
    sums = chances.sum(axis=1)
    assert np.ptp(sums) > 0.1  # they do not share one probability


def test_a_file_judges_as_the_model_does(model: Calibrated, data: ZeroShotDataset, tmp_path: Path) -> None:
    unseen.save(model, tmp_path / "m.unseen")
    read = open_to_ask(tmp_path / "m.unseen").model
    assert is_layer(read)
    for table in (data.unseen_table, data.classes, data.seen_table):
        expected = model.predict_alone(data.X, classes=table, prior=0.2)
        np.testing.assert_array_equal(read.predict_alone(data.X, table, prior=0.2), expected)
        np.testing.assert_array_equal(
            unseen.load(tmp_path / "m.unseen").predict_alone(data.X, classes=table, prior=0.2), expected
        )


def test_what_was_not_rehearsed_is_not_judged(data: ZeroShotDataset) -> None:
    learned = {"classes": data.classes}
    unpenalised = Calibrated(ESZSL(), penalise_seen=False, random_state=0).fit(data.X_train, data.y_train, **learned)
    assert unpenalised.predict_alone(data.X[:2], classes=data.unseen_table).shape == (2, 12)
    with pytest.raises(InputError, match="seen labels cannot be judged"):
        unpenalised.predict_alone(data.X[:2], classes=data.classes)
    refined = Calibrated(PST(JFA()), random_state=0).fit(data.X_train, data.y_train, **learned)
    with pytest.raises(InputError, match="not calibrated for labels by themselves"):
        refined.predict_alone(data.X[:2], classes=data.unseen_table)
