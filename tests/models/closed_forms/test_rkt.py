"""RKT against its equations written out with every virtual row, and against ESZSL where there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.model_selection import ParameterGrid

from unseen.data import ClassTable
from unseen.models import ESZSL, RKT
from unseen.models.closed_forms.sparse_codes import compute_sparse_codes
from unseen.utils.errors import InputError

GRID = list(ParameterGrid({"gamma": [0.1, 10.0], "lam": [0.1, 1.0], "sparsity": [0.1, 1.0], "n_virtual": [3]}))


def solve_lasso_slowly(K, k, sparsity):
    """Alpha = plus - minus, both at least 0, by a general solver with bounds."""

    def value_and_gradient(both):
        plus, minus = np.split(both, 2)
        missed = K @ (plus - minus) - k
        slope = K @ missed
        return missed @ missed / 2 + sparsity * both.sum(), np.r_[slope, -slope] + sparsity

    options = {"maxiter": 100_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-10}
    start = np.zeros(2 * len(k))
    both = minimize(value_and_gradient, start, jac=True, bounds=[(0, None)] * (2 * len(k)), options=options).x
    return both[: len(k)] - both[len(k) :]


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 6), st.integers(0, 1000), st.floats(0.1, 3.0))
def test_codes_are_those_of_a_general_solver(n_seen, seed, sparsity):
    random = np.random.default_rng(seed)
    seen, vectors = random.normal(size=(n_seen, 8)) / 3, random.normal(size=(2, 8)) / 3
    K = seen @ seen.T
    codes = compute_sparse_codes(vectors, seen, sparsity)
    for s, alpha in zip(vectors, codes, strict=True):
        np.testing.assert_allclose(alpha, solve_lasso_slowly(K, seen @ s, sparsity), atol=2e-3)


def test_codes_have_either_sign_and_few_classes(data):
    seen, unseen = data.seen_table.vectors, data.unseen_table.vectors
    seen, unseen = seen - seen.mean(axis=0), unseen - seen.mean(axis=0)
    some, none = compute_sparse_codes(unseen, seen, 0.1), compute_sparse_codes(unseen, seen, 1e6)
    assert some.min() < 0 < some.max()
    assert 0 < np.mean(some != 0) < 0.8
    assert not none.any()


def find_V_slowly(model, phi, y, psi_seen, unseen):
    """V from all rows, seen and virtual, as the authors' code has it."""
    n_classes = len(psi_seen)
    K = psi_seen @ psi_seen.T
    means = np.array([phi[y == c].mean(axis=0) for c in range(n_classes)])
    stream = np.random.RandomState(model.seed_)
    spread = model.noise * np.sqrt(np.mean(phi**2))
    virtual = []
    for s in sorted(unseen.tolist()):
        alpha = solve_lasso_slowly(K, psi_seen @ s, model.sparsity)
        for _ in range(model.n_virtual):
            virtual.append(alpha @ means + spread * np.linalg.norm(alpha) * stream.standard_normal(phi.shape[1]))
    X_all = np.concatenate([phi, virtual])
    Y = 2.0 * (y[:, None] == np.arange(n_classes)) - 1
    left = np.linalg.inv(X_all.T @ X_all + model.gamma * np.eye(phi.shape[1]))
    right = np.linalg.inv(psi_seen.T @ psi_seen + model.lam * np.eye(psi_seen.shape[1]))
    return left @ phi.T @ Y @ psi_seen @ right


@pytest.mark.parametrize("scaling", ["auto", None])
def test_scores_are_those_of_all_rows_written_out(scaling, data):
    model = RKT(0.3, 0.7, sparsity=0.5, n_virtual=4, noise=0.2, scaling=scaling, random_state=3)
    model.fit(data.X_train, data.y_train, classes=data.seen_table)
    scale = model._description_scaling.apply
    phi, y = model._feature_scaling.apply(data.X_train), np.searchsorted(model.classes_, data.y_train)
    psi_seen = scale(data.seen_table.select(model.classes_).vectors)
    unseen = scale(data.unseen_table.vectors)
    V = find_V_slowly(model, phi, y, psi_seen, unseen)
    X = data.X_test_unseen
    expected = model._feature_scaling.apply(X) @ V @ (unseen / np.linalg.norm(unseen, axis=1)[:, None]).T
    found = model.decision_function(X, classes=data.unseen_table)
    np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())
    plain = RKT(0.3, 0.7, n_virtual=0, scaling=scaling).fit(data.X_train, data.y_train, classes=data.seen_table)
    assert np.abs(plain.decision_function(X, classes=data.unseen_table) - found).max() > 1e-2 * np.abs(found).max()


def test_noise_drawn_once_is_spread_like_noise_of_every_seen_class(data):
    model = RKT(n_virtual=4000, noise=1.0, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    unseen = model._description_scaling.apply(data.unseen_table.vectors[:1])
    [alpha] = compute_sparse_codes(unseen, model.psi_, model.sparsity)
    random = np.random.default_rng(0)
    noise = model._unit * random.normal(size=(4000, *model.means_.shape))
    rows = np.einsum("c,ncd->nd", alpha, model.means_ + noise)
    found = model._multiply_virtual_rows(unseen) / 4000
    expected = rows.T @ rows / 4000
    np.testing.assert_allclose(found, expected, atol=0.12 * np.abs(expected).max())


def test_seen_candidates_get_no_virtual_rows(data):
    kwargs = {"gamma": 0.3, "lam": 0.7}
    model = RKT(**kwargs, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    plain = ESZSL(**kwargs).fit(data.X_train, data.y_train, classes=data.classes)
    rounded = ClassTable(data.seen_table.vectors.astype(np.float32), data.seen_classes)
    for classes in (None, data.seen_classes[:3], rounded):
        expected = plain.decision_function(data.X_test_seen, classes)
        np.testing.assert_allclose(model.decision_function(data.X_test_seen, classes), expected, atol=1e-5)
    beside = np.r_[data.seen_classes, data.unseen_classes[:1]]
    apart = model.decision_function(data.X_test_seen, beside) - plain.decision_function(data.X_test_seen, beside)
    assert np.abs(apart).max() > 1e-3


def test_a_grid_agrees_with_single_fits(data):
    models = RKT(random_state=0).fit_grid(data.X_train, data.y_train, data.classes, GRID)
    for point, model in zip(GRID, models, strict=True):
        single = RKT(**point, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
        assert model.get_params() == single.get_params()
        scores = [one.decision_function(data.X_test_unseen, data.unseen_classes) for one in (model, single)]
        np.testing.assert_array_equal(*scores)


def test_the_seed_decides_the_noise(data):
    def scores(seed, noise):
        model = RKT(noise=noise, random_state=seed).fit(data.X_train, data.y_train, classes=data.classes)
        return model.decision_function(data.X_test_unseen, data.unseen_classes)

    assert np.abs(scores(0, 0.5) - scores(1, 0.5)).max() > 1e-6
    np.testing.assert_array_equal(scores(0, 0.0), scores(1, 0.0))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"sparsity": 0}, "sparsity must be a finite number above 0, got 0"),
        ({"n_virtual": 1.5}, "n_virtual must be a whole number of at least 0"),
        ({"noise": -1}, "noise must be a finite number of at least 0, got -1"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence, data):
    with pytest.raises(InputError, match=sentence):
        RKT(**parameters).fit(data.X_train, data.y_train, classes=data.classes)
