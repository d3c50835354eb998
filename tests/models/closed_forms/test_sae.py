"""SAE against SciPy's solver of Sylvester's equation, its objective, and the two decisions written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_sylvester
from sklearn.model_selection import ParameterGrid

from unseen.models import SAE
from unseen.models.closed_forms.two_spectra import TwoSpectra
from unseen.utils.errors import InputError

GRID = list(ParameterGrid({"decision": ["to-features", "to-descriptions"], "lam": [0.01, 1.0, 100.0]}))


@pytest.fixture(scope="module")
def problem(data):
    """Rows, and the description of the class of each."""
    return data.X_train, data.classes.vectors[data.classes.index_of(data.y_train)]


def objective(W, X, S, lam):
    return np.sum((X - S @ W) ** 2) + lam * np.sum((X @ W.T - S) ** 2)


@pytest.mark.parametrize("lam", [0.01, 1.0, 100.0])
def test_solves_the_equation_of_the_paper(lam, data, problem):
    X, S = problem
    model = SAE(lam, scaling=None).fit(X, data.y_train, classes=data.classes)
    expected = solve_sylvester(S.T @ S, lam * X.T @ X, (1 + lam) * S.T @ X)
    np.testing.assert_allclose(model.W_, expected, atol=1e-9 * np.abs(expected).max())
    random = np.random.default_rng(0)
    least = objective(model.W_, X, S, lam)
    for _ in range(20):
        assert objective(model.W_ + 1e-3 * random.normal(size=model.W_.shape), X, S, lam) > least


@pytest.mark.parametrize("distance", ["cosine", "euclidean"])
@pytest.mark.parametrize("scaling", ["auto", None])
def test_both_decisions_are_those_of_the_paper(scaling, distance, data):
    X, table = data.X_test_unseen, data.unseen_table
    for decision in ("to-features", "to-descriptions"):
        model = SAE(decision=decision, distance=distance, scaling=scaling).fit(
            data.X_train, data.y_train, classes=data.classes
        )
        phi, psi = model._feature_scaling.apply(X), model._description_scaling.apply(table.vectors)
        expected = np.empty((len(X), len(table)))
        for i, x in enumerate(phi):
            for j, s in enumerate(psi):
                one, two = (x, model.W_.T @ s) if decision == "to-features" else (model.W_ @ x, s)
                length = np.linalg.norm(two)
                # Up to what is the same for all candidates: the length of one.
                expected[i, j] = one @ two / length if distance == "cosine" else (one @ one - sum((one - two) ** 2)) / 2
        scores = model.decision_function(X, table)
        np.testing.assert_allclose(scores, expected, atol=1e-10 * np.abs(expected).max())
        parts = model.contributions(X, data.y_test_unseen, table).sum(axis=1)
        np.testing.assert_allclose(parts, scores[np.arange(len(X)), table.index_of(data.y_test_unseen)])


@pytest.mark.parametrize("scaling", ["auto", None])
def test_a_grid_agrees_with_single_fits(scaling, data):
    models = SAE(scaling=scaling).fit_grid(data.X_train, data.y_train, data.classes, GRID)
    for point, model in zip(GRID, models, strict=True):
        single = SAE(**point, scaling=scaling).fit(data.X_train, data.y_train, classes=data.classes)
        assert model.get_params() == single.get_params()
        np.testing.assert_array_equal(model.W_, single.W_)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 8), st.floats(0.01, 100), st.integers(0, 1000))
def test_what_the_equation_leaves_open_is_zero(p, q, n, lam, seed):
    # As few rows as this leave directions in which neither side varies.
    random = np.random.default_rng(seed)
    S, X = random.normal(size=(n, p)), random.normal(size=(n, q))
    A, B, C = S.T @ S, S.T @ X, X.T @ X
    V = TwoSpectra.of(A, B, C).solve_sylvester(1.0, lam)
    np.testing.assert_allclose(A @ V + lam * V @ C, B, atol=1e-8 * np.abs(B).max())
    whole = np.kron(A, np.eye(q)) + lam * np.kron(np.eye(p), C)
    smallest = np.linalg.lstsq(whole, B.ravel(), rcond=1e-10)[0].reshape(p, q)
    np.testing.assert_allclose(V, smallest, atol=1e-6 * (1 + np.abs(smallest).max()))


def test_runs_on_every_array_library(xp, data):
    (model,) = SAE().fit_grid(xp.asarray(data.X_train), data.y_train, data.classes, [{"lam": 0.1}])
    expected = SAE(0.1).fit(data.X_train, data.y_train, classes=data.classes)
    np.testing.assert_allclose(np.asarray(model.W_), expected.W_, atol=1e-9)


def test_bad_parameters_get_a_sentence(data):
    with pytest.raises(InputError, match="lam must be a finite number above 0, got 0"):
        list(SAE().fit_grid(data.X_train, data.y_train, data.classes, [{"lam": 1}, {"lam": 0}]))
    with pytest.raises(InputError, match="decision='back' is not known"):
        SAE(decision="back").fit(data.X_train, data.y_train, classes=data.classes)
    with pytest.raises(InputError, match="distance='far' is not known"):
        SAE(distance="far").fit(data.X_train, data.y_train, classes=data.classes)
