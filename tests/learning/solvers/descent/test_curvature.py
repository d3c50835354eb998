"""The memory of L-BFGS: against the textbook recursion, and its first steps."""

import numpy as np
import pytest

from unseen.learning.solvers.descent.curvature import Curvature
from unseen.learning.solvers.descent.questions import answer_all


def done(asking):
    """Return the result of what looks at numbers and asks for nothing else."""
    return answer_all(asking, lambda question: pytest.fail(f"asked {question}"))


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
        assert done(curvature.learn(s, y)) is False
    return curvature


def test_direction_is_that_of_the_recursion(pairs):
    gradient = np.ones((3, 2))
    np.testing.assert_allclose(done(taught(pairs).direction(gradient)), two_loops(pairs[-4:], gradient))


def test_first_steps_are_short_unless_more_is_known():
    small, large = np.full((2, 2), 1e-3), np.full((2, 2), 1e3)
    curvature = Curvature(3)
    np.testing.assert_allclose(done(curvature.direction(small)), -small)
    assert np.linalg.norm(done(curvature.direction(large))) == pytest.approx(1.0)
    np.testing.assert_allclose(done(Curvature(3, first=0.5).direction(large)), -0.5 * large)


def test_a_safe_length_is_used_and_grows_until_curvature_is_found():
    small = np.full((2, 2), 1e-3)
    curvature = Curvature(3, first=0.5)
    curvature.know_safe_length(5.0, lambda step: 2 * np.linalg.norm(step))
    assert np.linalg.norm(done(curvature.direction(small))) == pytest.approx(2.5)
    assert done(curvature.learn(small, -small))
    assert np.linalg.norm(done(curvature.direction(small))) == pytest.approx(5.0)
    assert not curvature.known


def test_a_safe_length_changes_nothing_once_curvature_is_known(pairs):
    curvature, gradient = taught(pairs), np.ones((3, 2))
    expected = done(curvature.direction(gradient))
    curvature.know_safe_length(5.0, np.linalg.norm)
    np.testing.assert_array_equal(done(curvature.direction(gradient)), expected)
