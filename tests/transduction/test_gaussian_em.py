"""GaussianEM against explicit covariance matrices, and on batches that are awkward."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from unseen.data import ClassTable, ZeroShotDataset, make_zero_shot
from unseen.features import SquareRoot, UnitNorm
from unseen.models import ESZSL, GaussianJFA, Prepared
from unseen.transduction import GaussianEM, batch
from unseen.utils.errors import InputError

# With more features than classes, so that the means of seen classes do not span all directions.
SIZES = {"n_seen": 10, "n_unseen": 5, "n_features": 14, "n_attributes": 8, "n_per_class": 12, "n_test_per_class": 15}
FIXED = GaussianJFA("rbf", width=2.0, ridge=0.1, within_shrinkage=0.3, between_shrinkage=0.5)


def make_data(seed: int = 0, **changed: Any) -> ZeroShotDataset:
    """Rows of one class are correlated."""
    data = make_zero_shot(**{**SIZES, "noise": 1.0, **changed}, random_state=seed)
    turn = np.random.default_rng(seed).normal(size=(data.X.shape[1],) * 2)
    return replace(data, X=data.X @ turn)


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return make_data()


def fit(data: ZeroShotDataset, **parameters: Any) -> GaussianEM:
    refined = GaussianEM(ESZSL(), **{"gaussian": FIXED, **parameters})
    return refined.fit(data.X_train, data.y_train, classes=data.seen_table)


def measure(model: Any, data: ZeroShotDataset, rows: Any = slice(None)) -> float:
    X, y = data.X_test_unseen[rows], data.y_test_unseen[rows]
    return float(np.mean(model.predict(X, classes=data.unseen_table) == y))


def standardise(scores: np.ndarray) -> np.ndarray:
    centred = scores - scores.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.sqrt(np.mean(centred**2)))


def run_with_matrices(data: ZeroShotDataset, X: np.ndarray, table: ClassTable, n_steps: int, weight: float) -> Any:
    """Do what GaussianEM does, in the units of the features and with full covariance matrices."""
    model = clone(FIXED).fit(data.X_train, data.y_train, classes=data.seen_table)
    fitted, statistics = model.gaussians_, model.statistics_
    rows = model._feature_scaling.apply(X)
    psi = model._description_scaling.apply(table.vectors)
    within = statistics.within_shrunk(FIXED.within_shrinkage)
    # S_w axes takes the axes back to features, and what they do not span varies by `elsewhere`.
    back = within @ fitted.axes
    between = back @ np.diag(fitted.rho - fitted.elsewhere) @ back.T + fitted.elsewhere * within
    known = {tuple(vector): at for at, vector in enumerate(data.seen_table.vectors)}
    m, covariances = [], []
    for vector, one in zip(table.vectors, psi, strict=True):
        at = known.get(tuple(vector))
        if at is None:
            m.append(fitted.centre + fitted.regression.predict(one[None, :])[0] @ back.T)
            covariances.append(between)
        else:
            left_out = fitted.centre + fitted.regression.left_out[at] @ back.T
            n, mean = statistics.counts[at], statistics.means[at]
            covariances.append(np.linalg.inv(np.linalg.inv(between) + n * np.linalg.inv(within)))
            precise = np.linalg.solve(between, left_out) + n * np.linalg.solve(within, mean)
            m.append(covariances[-1] @ precise)
    prior = list(zip(m, covariances, strict=True))
    first = np.stack([multivariate_normal(*one).logpdf(rows) for one in ((a, within + b) for a, b in prior)], axis=1)
    spread = np.sqrt(np.mean((first - first.mean(axis=1, keepdims=True)) ** 2))
    inside = ESZSL().fit(data.X_train, data.y_train, classes=data.seen_table)
    scores = weight * spread * standardise(inside.decision_function(X, classes=table))
    R = softmax(first + scores, axis=1)
    for _ in range(n_steps):
        sizes = R.sum(axis=0)
        mu = []
        for c, (mean, covariance) in enumerate(prior):
            precision = np.linalg.inv(covariance) + sizes[c] * np.linalg.inv(within)
            towards = np.linalg.solve(covariance, mean) + np.linalg.solve(within, R[:, c] @ rows)
            mu.append(np.linalg.solve(precision, towards))
        densities = np.stack([multivariate_normal(one, within).logpdf(rows) for one in mu], axis=1)
        R = softmax(densities + scores + np.log(sizes + 1), axis=1)
    return R


@pytest.mark.parametrize("n_steps", [1, 2, 5])
@pytest.mark.parametrize("seed", [0, 1])
def test_it_is_the_em_of_classes_with_full_covariance_matrices(n_steps: int, seed: int) -> None:
    data = make_data(seed, noise=2.0)
    X = data.X_test_unseen
    expected = run_with_matrices(data, X, data.unseen_table, n_steps, weight=0.5)
    found = fit(data, n_steps=n_steps).predict_proba(X, classes=data.unseen_table)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_seen_candidates_start_from_their_own_rows() -> None:
    data = make_data(2, noise=2.0)
    table = data.seen_table.concat(data.unseen_table)
    X = np.concatenate([data.X_test_unseen, data.X_test_seen])
    expected = run_with_matrices(data, X, table, 4, weight=0.5)
    np.testing.assert_allclose(fit(data, n_steps=4).predict_proba(X, classes=table), expected, atol=1e-6)


@cache
def make_fitted(seed: int) -> tuple[ZeroShotDataset, GaussianEM]:
    data = make_data(seed, noise=2.0)
    return data, fit(data)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.floats(0, 3), st.floats(0.1, 10), st.floats(0, 20))
def test_no_step_lowers_the_objective(seed: int, weight: float, freedom: float, size_prior: float) -> None:
    data, model = make_fitted(seed % 3)
    rows = np.random.default_rng(seed).permutation(len(data.X_test_unseen))[:20]
    X, table = data.X_test_unseen[rows], data.unseen_table
    model.set_params(prior_weight=weight, freedom=freedom, size_prior=size_prior)
    asked = batch.Batch(model.model_, X, X, table)
    (problem, Z), S, values = model._make_problem(asked), asked.scores(), []
    for n_steps in (1, 2, 3, 5, 9):
        R = model.set_params(n_steps=n_steps).predict_proba(X, classes=table)
        values.append(problem.value(Z, S, R, problem.means(Z, R), problem.log_shares(R), temperature=1.0))
    assert np.diff(values).min() > -1e-8 * np.abs(values).max()


LARGER = {"n_seen": 20, "n_unseen": 6, "n_features": 24, "n_attributes": 12, "n_per_class": 30, "n_test_per_class": 30}


@pytest.mark.parametrize("seed", range(4))
def test_gains_with_complete_batches_and_awkward_ones(seed: int) -> None:
    data = make_data(seed, **LARGER)
    model = fit(data, gaussian=None)
    y, labels = data.y_test_unseen, data.unseen_classes
    sizes = dict(zip(labels, (30, 15, 8, 4, 2, 1), strict=True))
    batches = {
        "complete": slice(None),
        "unequal": np.concatenate([np.flatnonzero(y == label)[:n] for label, n in sizes.items()]),
        "half of the candidates absent": np.isin(y, labels[:3]),
        "all but one absent": y == labels[0],
        "few rows": slice(None, None, 18),
    }
    gains = {name: measure(model, data, rows) - measure(model.model_, data, rows) for name, rows in batches.items()}
    assert min(gains.values()) >= -0.02, gains
    assert np.mean(list(gains.values())) > 0.01, gains


def test_freedom_is_what_lets_the_means_move(data: ZeroShotDataset) -> None:
    X, table = data.X_test_unseen, data.unseen_table
    alone = clone(FIXED).fit(data.X_train, data.y_train, classes=data.seen_table)
    # Means that cannot move leave the nearest predicted one, under the covariance of the rows.
    stiff = fit(data, freedom=1e-9, prior_weight=0.0, size_prior=1e12)
    mu0, pull = stiff._find_priors(table)
    predicted = alone.gaussians_.predict_means(alone._description_scaling.apply(table.vectors))
    np.testing.assert_allclose(mu0[:, : alone.gaussians_.rho.size], predicted)
    nearest = ((stiff.space_.apply(X)[:, None, :] - mu0[None]) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(stiff.predict(X, table), table.labels[nearest])
    assert pull.min() > 1e5


def test_blocks_of_rows_and_scores_that_are_not_kept_change_little(
    data: ZeroShotDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, X = fit(data), data.X_test_unseen
    whole = model.predict_proba(X, data.unseen_table)
    monkeypatch.setattr(batch, "KEPT_SCORES_BYTES", 0)
    monkeypatch.setattr(batch, "cut_row_blocks", lambda n, *_: [slice(at, min(at + 20, n)) for at in range(0, n, 20)])
    np.testing.assert_allclose(model.predict_proba(X, data.unseen_table), whole, atol=1e-6)


def test_descriptions_are_prepared_as_for_the_model() -> None:
    data = make_data()
    tables = [
        ClassTable(vectors, table.labels)
        for table in (data.seen_table, data.unseen_table)
        for vectors in (table.vectors, SquareRoot().fit_transform(table.vectors))
    ]
    prepared = GaussianEM(Prepared(ESZSL(), descriptions=SquareRoot()), gaussian=FIXED)
    prepared.fit(data.X_train, data.y_train, classes=tables[0])
    by_hand = GaussianEM(ESZSL(), gaussian=FIXED).fit(data.X_train, data.y_train, classes=tables[1])
    X = data.X_test_unseen
    np.testing.assert_allclose(prepared.predict_proba(X, tables[2]), by_hand.predict_proba(X, tables[3]), atol=1e-8)


def test_wide_rows_are_reduced(data: ZeroShotDataset) -> None:
    model = fit(data, n_components=6)
    assert model.space_.apply(data.X_train).shape[1] == 6
    assert measure(model, data) > 0.4


def test_rows_of_any_units(data: ZeroShotDataset) -> None:
    X = data.X_test_unseen
    expected = fit(data).predict_proba(X, data.unseen_table)
    other = GaussianEM(ESZSL(), gaussian=FIXED).fit(1e6 * data.X_train + 1e3, data.y_train, classes=data.seen_table)
    np.testing.assert_allclose(other.predict_proba(1e6 * X + 1e3, data.unseen_table), expected, atol=1e-5)


def test_it_must_be_fitted(data: ZeroShotDataset) -> None:
    model = ESZSL().fit(data.X_train, data.y_train, classes=data.seen_table)
    with pytest.raises(NotFittedError):
        GaussianEM(FrozenEstimator(model)).predict(data.X_test_unseen, classes=data.unseen_table)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_steps": 0}, "n_steps must be a whole number of at least 1"),
        ({"prior_weight": -1}, "prior_weight must be a finite number of at least 0"),
        ({"freedom": 0}, "freedom"),
        ({"n_components": 2.5}, "n_components must be a whole number"),
        ({"gaussian": UnitNorm()}, "is not a GaussianJFA: give one"),
    ],
)
def test_parameters_that_make_no_sense(data: ZeroShotDataset, parameters: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(data, **parameters)
