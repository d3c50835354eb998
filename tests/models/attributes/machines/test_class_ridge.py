"""Ridge regression of class membership, against least squares on the rows."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from unseen.features import Rows
from unseen.models.attributes.machines.class_ridge import Memberships


@pytest.mark.parametrize("gamma", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_codes_are_regressed_as_by_scikit_learn(gamma, weighted):
    rng = np.random.default_rng(0)
    X, y, codes = rng.normal(size=(60, 5)) + 3, rng.permutation(np.arange(60) % 4), rng.normal(size=(4, 3))
    weights = rng.uniform(0.5, 2, size=60) if weighted else None
    mass = np.ones(60) if weights is None else weights
    memberships = Memberships.of(Rows(X), y, 4, weights)
    spread = np.average((X - np.average(X, axis=0, weights=mass)) ** 2, axis=0, weights=mass).mean()
    expected = Ridge(alpha=gamma * spread * mass.sum()).fit(X, codes[y], weights)
    for solved in (memberships.solve(gamma), memberships.diagonalise().solve(gamma)):
        np.testing.assert_allclose((solved.weights @ codes).T, expected.coef_, rtol=1e-8)
        np.testing.assert_allclose(solved.offsets @ codes, expected.intercept_, rtol=1e-8)
        np.testing.assert_allclose(X @ solved.weights @ np.ones(4) + solved.offsets.sum(), 1.0)
        missed = np.average(((expected.predict(X) - codes[y]) ** 2).sum(axis=1), weights=mass)
        error = missed + gamma * spread * (expected.coef_**2).sum()
        np.testing.assert_allclose(np.trace(codes.T @ solved.missed @ codes), error, rtol=1e-8)
