"""Many l1-regularised logistic regressions at once against scikit-learn and the conditions of a minimum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from unseen.learning.solvers.l1_logistic import fit_l1_logistic


def make_problem(n: int, d: int, k: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * np.logspace(0, -1, d)
    signs = np.where(X[:, :3] @ random.normal(size=(min(d, 3), k)) + random.normal(size=(n, k)) > 0.3, 1.0, -1.0)
    return X, signs


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_it_solves_the_problem_of_scikit_learn(C: float) -> None:
    X, signs = make_problem(70, 8, 3, seed=0)
    machines = fit_l1_logistic(X, signs, C, tol=1e-7, max_iter=20_000)
    for k in range(3):
        reference = LogisticRegression(l1_ratio=1, C=C, solver="saga", tol=1e-9, max_iter=20_000, random_state=0)
        reference.fit(X, signs[:, k])
        np.testing.assert_allclose(machines.weights[:, k], reference.coef_[0], atol=1e-4)
        np.testing.assert_allclose(machines.offsets[k], reference.intercept_[0], atol=1e-4)


@settings(max_examples=20, deadline=None)
@given(st.integers(3, 30), st.integers(3, 40), st.floats(-2, 1), st.integers(0, 2**31))
def test_the_subgradient_holds_zero(n: int, d: int, power: float, seed: int) -> None:
    X, signs = make_problem(n, d, 4, seed)
    signs[0], signs[1] = 1, -1  # without both answers the offset runs away
    C = 10.0**power
    weights, offsets, _ = fit_l1_logistic(X, signs, C, tol=1e-6, max_iter=20_000)
    pull = C * signs / (1 + np.exp(signs * (X @ weights + offsets)))
    slopes, slack = X.T @ pull, 1e-3 * (1 + C)
    np.testing.assert_allclose(slopes[weights != 0], np.sign(weights[weights != 0]), atol=slack)
    assert (np.abs(slopes) <= 1 + slack).all()
    np.testing.assert_allclose(pull.sum(axis=0), 0, atol=slack)


def test_a_strong_penalty_leaves_the_offsets() -> None:
    X, signs = make_problem(40, 5, 2, seed=1)
    machines = fit_l1_logistic(X, signs, 1e-3, tol=1e-9)
    share = (signs > 0).mean(axis=0)
    assert (machines.weights == 0).all()
    np.testing.assert_allclose(machines.offsets, np.log(share / (1 - share)), atol=1e-6)


def test_features_may_all_be_zero() -> None:
    machines = fit_l1_logistic(np.zeros((4, 2)), np.array([[1], [1], [1], [-1]]), 1.0, tol=1e-9)
    np.testing.assert_allclose(machines.offsets, np.log(3), atol=1e-6)
