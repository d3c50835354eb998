import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from unseen.data import ClassTable, make_zero_shot
from unseen.models import ESZSL
from unseen.transduction import SPZSR, batch
from unseen.transduction.space import WhitenedSpace
from unseen.utils.errors import InputError


def shifted_data():
    """Unseen classes lie elsewhere than their descriptions say, and all features are correlated."""
    data = make_zero_shot(n_seen=20, n_unseen=6, n_features=12, n_attributes=12, n_per_class=30, n_test_per_class=30,
                          noise=0.7, random_state=3)  # fmt: skip
    turn = np.random.default_rng(0).normal(size=(12, 12))
    return data, data.X_train @ turn, data.X_test_unseen @ turn


def refined(**parameters):
    data, X_train, X_test = shifted_data()
    model = SPZSR(ESZSL(), **{"n_runs": 5, **parameters}).fit(X_train, data.y_train, classes=data.classes)
    return data, X_test, model


def test_gains_where_clusters_are_compact():
    data, X, model = refined()
    before = np.mean(model.model_.predict(X, data.unseen_classes) == data.y_test_unseen)
    after = np.mean(model.predict(X, data.unseen_classes) == data.y_test_unseen)
    assert after > before + 0.03


def test_whitened_rows_of_seen_classes_have_unit_covariance():
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(5), 400)
    X = 5 * random.normal(size=(5, 4))[y] + random.normal(size=(2000, 4)) @ random.normal(size=(4, 4))
    space = WhitenedSpace.fit(X, y, 5, shrinkage=0.0, n_components=None)
    Z = space.apply(X)
    within = Z - np.stack([Z[y == c].mean(axis=0) for c in range(5)])[y]
    np.testing.assert_allclose(within.T @ within / 1995, np.eye(4), atol=1e-3)
    reduced = WhitenedSpace.fit(X, y, 5, shrinkage=0.0, n_components=2)
    assert reduced.apply(X).shape == (2000, 2)


def test_threads_change_nothing():
    data, X, model = refined()
    one = model.predict_proba(X, data.unseen_classes)
    two = model.set_params(n_jobs=2).predict_proba(X, data.unseen_classes)
    np.testing.assert_array_equal(one, two)


def test_blocks_of_rows_and_scores_that_are_not_kept_change_little(monkeypatch):
    data, X, model = refined()
    whole = model.predict_proba(X, data.unseen_classes)
    monkeypatch.setattr(batch, "KEPT_SCORES_BYTES", 0)
    monkeypatch.setattr(batch, "cut_row_blocks", lambda n, *_: [slice(at, min(at + 50, n)) for at in range(0, n, 50)])
    np.testing.assert_allclose(model.predict_proba(X, data.unseen_classes), whole, atol=1e-6)


def test_runs_differ_and_their_average_is_the_answer():
    data, X, model = refined(n_runs=1)
    runs = [model.set_params(random_state=seed).predict_proba(X, data.unseen_classes) for seed in range(3)]
    assert any(not np.allclose(runs[0], other) for other in runs[1:])


def test_a_fitted_model_is_refined_without_seen_rows():
    data, X_train, X_test = shifted_data()
    model = ESZSL().fit(X_train, data.y_train, classes=data.classes)
    with pytest.warns(UserWarning, match="SPZSR was not fitted"):
        answers = SPZSR(model, n_runs=3).predict(X_test, data.unseen_classes)
    before = np.mean(model.predict(X_test, data.unseen_classes) == data.y_test_unseen)
    assert np.mean(answers == data.y_test_unseen) >= before - 0.02
    with pytest.raises(NotFittedError):
        SPZSR(ESZSL()).predict(X_test, data.unseen_classes)


def test_the_means_of_seen_candidates_are_the_ones_measured():
    data, X, model = refined()
    joint = data.seen_table.concat(data.unseen_table)
    asked = batch.Batch(model.model_, X, X, joint)
    mu0, pull = model._predict_means(asked, model.space_.apply(X))
    n_seen = len(data.seen_classes)
    np.testing.assert_allclose(mu0[:n_seen], model.seen_means_)
    np.testing.assert_allclose(pull[:n_seen], model.pull + model.seen_counts_)
    np.testing.assert_allclose(pull[n_seen:], model.pull)


def test_candidates_that_do_not_occur_are_hardly_named():
    data, X, model = refined()
    present = np.isin(data.y_test_unseen, data.unseen_classes[:2])
    table = ClassTable(data.unseen_table.vectors, data.unseen_classes)
    answers = model.predict(X[present], table)
    before = np.mean(model.model_.predict(X[present], table) == data.y_test_unseen[present])
    assert np.mean(answers == data.y_test_unseen[present]) >= before - 0.02


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_runs": 0}, "n_runs must be a whole number of at least 1"),
        ({"n_steps": 2.5}, "n_steps must be a whole number"),
        ({"temperature": 0}, "temperature=0 would mean dividing by zero"),
        ({"prior_weight": -1}, "prior_weight must be a finite number of at least 0"),
        ({"shrinkage": 1.5}, "shrinkage=1.5 is not a share"),
        ({"part": 0}, "part=0 is not a share"),
    ],
)
def test_parameters_that_make_no_sense(parameters, sentence):
    data, X_train, _ = shifted_data()
    with pytest.raises(InputError, match=sentence):
        SPZSR(ESZSL(), **parameters).fit(X_train, data.y_train, classes=data.classes)
