"""The memory of L-BFGS: against the textbook recursion, and in another unit."""

import numpy as np
import pytest

from unseen.learning.solvers.curvature import Curvature


def two_loops(pairs, gradient):
    """Nocedal & Wright, algorithm 7.4."""
    q, alphas = gradient.copy(), []
    for s, y in reversed(pairs):
        alphas.append(np.sum(s * q) / np.sum(s * y))
        q = q - alphas[-1] * y
    s, y = pairs[-1]
    r = np.sum(s * y) / np.sum(y * y) * q
    for (s, y), alpha in zip(pairs, reversed(alphas), strict=True):
        r = r + s * (alpha - np.sum(y * r) / np.sum(s * y))
    return -r


@pytest.fixture
def pairs():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    steps = rng.normal(size=(7, 3, 2))
    return [(s, ((A @ A.T + np.eye(6)) @ s.ravel()).reshape(3, 2)) for s in steps]


def taught(pairs):
    curvature = Curvature(4)
    for s, y in pairs:
        assert curvature.learn(s, y) is False
    return curvature


def test_direction_is_that_of_the_recursion(pairs):
    gradient = np.ones((3, 2))
    np.testing.assert_allclose(taught(pairs).direction(gradient), two_loops(pairs[-4:], gradient))


def test_a_change_of_unit_changes_nothing_else(pairs):
    """x' = x / unit has gradients unit times as large, and must be moved by 1 / unit of the step."""
    curvature, gradient, unit = taught(pairs), np.ones((3, 2)), 50.0
    expected = curvature.direction(gradient) / unit
    curvature.change_unit(unit)
    np.testing.assert_allclose(curvature.direction(unit * gradient), expected)
    s, y = np.ones((3, 2)), np.arange(6.0).reshape(3, 2)
    curvature.learn(s / unit, y * unit)
    np.testing.assert_allclose(curvature.direction(unit * gradient), two_loops([*pairs[-3:], (s, y)], gradient) / unit)


def test_first_steps_are_short_unless_the_scale_is_known():
    small, large = np.full((2, 2), 1e-3), np.full((2, 2), 1e3)
    curvature = Curvature(3)
    np.testing.assert_allclose(curvature.direction(small), -small)
    assert np.linalg.norm(curvature.direction(large)) == pytest.approx(1.0)
    curvature.change_unit(5.0)
    assert np.linalg.norm(curvature.direction(small)) == pytest.approx(1.0)
    assert curvature.learn(small, -small)
    assert np.linalg.norm(curvature.direction(small)) == pytest.approx(2.0)
    assert not curvature.known
