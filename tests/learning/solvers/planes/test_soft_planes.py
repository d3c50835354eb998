"""Planes of soft maxima: never above the convex part, and as near to it as asked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.learning import Maximum, RankingSum, SoftMaximum, ZeroOneMargin
from unseen.learning.margins import MatrixMargin
from unseen.learning.solvers.planes.soft_planes import LAST_TEMPERATURE, SoftPlanes, make_oracle
from unseen.utils.arrays import to_numpy

MARGINS = [ZeroOneMargin(), MatrixMargin(np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0))))]
kinds = st.sampled_from(["adaptive", "bilinear"])


def value_of(problem, W):
    """The convex part from its definition: the maximum of margins and whole scores, row by row."""
    similarity = problem.similarity.with_weights(W)
    exact = {"exact": True} if similarity.has_row_term else {}
    scores = similarity.scores(problem.phi.X, problem.psi, **exact)
    n = len(scores)
    margins = problem.margin.augment(np.zeros_like(scores), problem.y)
    weights = np.ones(n) if problem.weights is None else problem.weights
    return float(weights @ (scores + margins[0] + margins[1]).max(axis=1))


@settings(max_examples=60, deadline=None)
@given(
    kinds,
    st.integers(0, 1000),
    st.floats(1e-5, 3.0),
    st.floats(0.05, 0.95),
    st.sampled_from(MARGINS),
    st.booleans(),
)
def test_a_plane_is_nowhere_above(make_problem, random_weights, kind, seed, temperature, share, margin, weighted):
    weights = np.random.default_rng(seed).exponential(size=5) if weighted else None
    problem = make_problem(kind, seed=seed, loss=Maximum(), margin=margin, weights=weights)
    W = random_weights(problem, seed, share)
    risk, height, slope = SoftPlanes(problem, temperature)(W, np.inf)
    assert risk == pytest.approx(value_of(problem, W))
    assert height <= risk
    for other, elsewhere in enumerate((0.1, 0.5, 0.95, 0.99)):
        V = random_weights(problem, seed + other + 1, elsewhere)
        assert height + np.sum(slope * (V - W)) <= value_of(problem, V) + 1e-9 * abs(risk)


@given(st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_planes_come_as_near_as_asked(make_problem, random_weights, seed):
    problem = make_problem(seed=seed, loss=Maximum())
    W, planes = random_weights(problem, seed), SoftPlanes(problem, 3.0)
    distances = []
    for _ in range(12):
        risk, height, _ = planes(W, 1e-3)
        distances.append(risk - height)
        assert LAST_TEMPERATURE <= planes.temperature <= 3.0
    assert np.all(np.diff(distances) <= 1e-12)
    assert distances[-1] <= 1e-3


def test_the_coldest_plane_touches_the_convex_part(make_problem, random_weights):
    problem = make_problem(loss=Maximum())
    W = random_weights(problem)
    risk, height, slope = SoftPlanes(problem, LAST_TEMPERATURE)(W, np.inf)
    expected, gradient = problem.convex_part(W)
    assert risk == pytest.approx(expected, rel=1e-12)
    assert height == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(slope, gradient, atol=1e-9)


@pytest.mark.parametrize("loss", [RankingSum(), SoftMaximum(0.3)], ids=repr)
def test_planes_of_other_losses_touch(make_problem, random_weights, loss):
    problem = make_problem(loss=loss)
    W = random_weights(problem)
    risk, height, slope = make_oracle(problem)(W, 0.0)
    expected, gradient = problem.convex_part(W)
    assert (risk, height) == (expected, expected)
    np.testing.assert_array_equal(slope, gradient)


def test_every_library_gives_the_same(xp, make_problem, random_weights):
    weights = np.array([0.2, 3.0, 1.0, 0.5, 2.0])
    problem = make_problem(loss=Maximum(), weights=weights)
    W = random_weights(problem)
    expected = SoftPlanes(problem, 0.1)(W, 0.0)
    there = SoftPlanes(make_problem(loss=Maximum(), weights=weights, xp=xp), 0.1)(xp.asarray(W), 0.0)
    assert there[:2] == pytest.approx(expected[:2])
    np.testing.assert_allclose(to_numpy(there[2]), expected[2], atol=1e-9)
