"""Many support vector machines at once against liblinear and a general minimiser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from unseen.learning.solvers.squared_hinge import fit_squared_hinge


def make_problem(n: int, d: int, k: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * np.logspace(0, -2, d)
    signs = np.where(X @ random.normal(size=(d, k)) + random.normal(size=(n, k)) > 0.3, 1.0, -1.0)
    return X, signs


def compute_objective(w: np.ndarray, X: np.ndarray, signs: np.ndarray, C: float) -> float:
    slack = np.maximum(0, 1 - signs * (X @ w[:-1] + w[-1]))
    return float(w @ w / 2 + C * np.sum(slack**2))


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(("n", "d"), [(60, 5), (12, 20)], ids=["more rows", "more features"])
def test_it_finds_the_minimum(n: int, d: int, C: float) -> None:
    X, signs = make_problem(n, d, 4, seed=0)
    machines = fit_squared_hinge(X, signs, C, tol=1e-8)
    for k in range(4):
        found = np.r_[machines.weights[:, k], machines.offsets[k]]
        best = minimize(compute_objective, np.zeros(d + 1), args=(X, signs[:, k], C), options={"gtol": 1e-7})
        assert compute_objective(found, X, signs[:, k], C) <= best.fun * (1 + 1e-9)
        np.testing.assert_allclose(found, best.x, atol=1e-4 * np.abs(best.x).max())


def test_it_solves_the_problem_of_liblinear() -> None:
    X, signs = make_problem(80, 6, 3, seed=1)
    machines = fit_squared_hinge(X, signs, 2.0, tol=1e-7)
    for k in range(3):
        reference = LinearSVC(C=2.0, tol=1e-9, max_iter=100_000, random_state=0).fit(X, signs[:, k])
        np.testing.assert_allclose(machines.weights[:, k], reference.coef_[0], atol=1e-4)
        np.testing.assert_allclose(machines.offsets[k], reference.intercept_[0], atol=1e-4)


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 30), st.integers(1, 12), st.floats(-4, 4), st.integers(0, 2**31))
def test_the_gradient_vanishes(n: int, d: int, power: float, seed: int) -> None:
    X, signs = make_problem(n, d, 3, seed)
    C = 10.0**power
    weights, offsets, _ = fit_squared_hinge(X, signs, C, tol=1e-6)
    pull = signs * np.maximum(0, 1 - signs * (X @ weights + offsets))
    rows = np.column_stack([X, np.ones(n)])
    gradient = np.concatenate([weights, offsets[None]]) - 2 * C * rows.T @ pull
    first = np.linalg.norm(2 * C * rows.T @ signs, axis=0)
    # Signs may cancel, so that even the first gradient is a rounding error.
    assert (np.linalg.norm(gradient, axis=0) <= 2e-6 * first + 1e-9 * C).all()


def test_a_machine_does_not_depend_on_the_others() -> None:
    X, signs = make_problem(50, 6, 5, seed=2)
    together, alone = fit_squared_hinge(X, signs, 1.0), fit_squared_hinge(X, signs[:, 3:4], 1.0)
    np.testing.assert_allclose(together.weights[:, 3], alone.weights[:, 0], atol=5e-3)
