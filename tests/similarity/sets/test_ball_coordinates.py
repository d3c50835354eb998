"""Coordinates of the spectral ball: against singular values, finite differences and the inverse they smooth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.similarity import AdaptiveSimilarity, SpectralBall
from unseen.similarity.sets.ball_coordinates import INNERMOST, SHARPNESS, from_ball, to_ball
from unseen.utils.arrays import to_numpy

FOLD = SHARPNESS**0.5 * np.pi / 2

shapes = st.sampled_from([(4, 4), (6, 3), (3, 6), (5, 1), (1, 1)])
sizes = st.sampled_from([1e-6, 1e-3, 0.3, 1.0, 10.0, 60.0])


def matrix(shape, size, seed):
    return size * np.random.default_rng(seed).normal(size=shape)


@given(shape=shapes, size=sizes, seed=st.integers(0, 10**6))
def test_singular_values_are_bent_and_vectors_kept(shape, size, seed):
    X = matrix(shape, size, seed)
    U, x, Vt = np.linalg.svd(X, full_matrices=False)
    t = SHARPNESS**0.5 * np.sin(x / SHARPNESS**0.5)
    y = np.sqrt((1 + SHARPNESS) / SHARPNESS) * t / np.sqrt(1 + t**2)
    Y, _ = to_ball(X)
    np.testing.assert_allclose(Y, (U * y) @ Vt, atol=1e-9 * size)
    assert np.linalg.norm(Y, 2) <= 1 + 1e-12


@given(shape=shapes, size=sizes, seed=st.integers(0, 10**6))
def test_gradients_are_those_of_finite_differences(shape, size, seed):
    X, G, D = matrix(shape, size, seed), matrix(shape, 1.0, seed + 1), matrix(shape, 1.0, seed + 2)
    step = 1e-5 * min(size, 1.0)
    measured = np.sum(G * (to_ball(X + step * D)[0] - to_ball(X - step * D)[0])) / (2 * step)
    assert np.sum(to_ball(X)[1](G) * D) == pytest.approx(measured, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("x", [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0 + 1e-9, 1.0 + 1e-4], [30.0, 30.0, 1e-9]])
def test_gradients_where_singular_values_coincide(x):
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.normal(size=(size, 3)))[0] for size in (5, 3))
    X, G, D = (U * np.array(x)) @ V.T, rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    measured = np.sum(G * (to_ball(X + 1e-5 * D)[0] - to_ball(X - 1e-5 * D)[0])) / 2e-5
    assert np.sum(to_ball(X)[1](G) * D) == pytest.approx(measured, rel=1e-6, abs=1e-8)


@given(shape=shapes, share=st.floats(0.0, 0.998), seed=st.integers(0, 10**6))
def test_there_and_back(shape, share, seed):
    Y = matrix(shape, 1.0, seed)
    Y *= share / np.linalg.norm(Y, 2)
    np.testing.assert_allclose(to_ball(from_ball(Y))[0], Y, atol=1e-9)


def test_a_matrix_on_the_boundary_is_moved_inwards():
    X = from_ball(np.diag([1.0, 0.5]))
    np.testing.assert_allclose(to_ball(X)[0], np.diag([INNERMOST, 0.5]), atol=1e-12)


def test_the_boundary_is_reached_at_a_finite_place_with_no_slope():
    Y, pull_back = to_ball(np.diag([FOLD, 1.0]))
    assert Y[0, 0] == pytest.approx(1.0)
    assert pull_back(np.diag([1.0, 0.0]))[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_a_stack_is_its_members(xp):
    X, G = matrix((4, 5, 3), 2.0, 0), matrix((4, 5, 3), 1.0, 1)
    Y, pull_back = to_ball(xp.asarray(X))
    slopes, back = pull_back(xp.asarray(G)), from_ball(Y)
    for at in range(4):
        one, pull_one = to_ball(X[at])
        np.testing.assert_allclose(to_numpy(Y)[at], one, atol=1e-12)
        np.testing.assert_allclose(to_numpy(slopes)[at], pull_one(G[at]), atol=1e-12)
        np.testing.assert_allclose(to_numpy(back)[at], from_ball(one), atol=1e-9)


@given(size=st.floats(0.01, 20.0), seed=st.integers(0, 10**6))
def test_the_inverse_that_has_a_pole_is_a_square_in_them(size, seed):
    """R = (I - What^T What)^-1 is I + T^T T within half a percent, where T is X with its singular values bent."""
    similarity = AdaptiveSimilarity((2.0, 3.0, 0.5, 0.0))
    X = matrix((5, 3), size, seed)
    W, _ = similarity.domain().chart.point(X)
    hat = W / similarity.omega.limit
    R = np.linalg.inv(np.eye(3) - hat.T @ hat)
    U, x, Vt = np.linalg.svd(X, full_matrices=False)
    T = (U * (SHARPNESS**0.5 * np.sin(x / SHARPNESS**0.5))) @ Vt
    square = np.eye(3) + T.T @ T
    assert np.linalg.norm(R - square, 2) <= 5e-3 * np.linalg.norm(square, 2)


def test_the_ball_scales_points_and_gradients():
    ball, X, G = SpectralBall(7.0), matrix((4, 3), 1.0, 0), matrix((4, 3), 1.0, 1)
    Y, pull_back = to_ball(X)
    W, slope = ball.chart.point(X)
    np.testing.assert_allclose(W, 7 * Y)
    np.testing.assert_allclose(slope(G), 7 * pull_back(G))
    np.testing.assert_allclose(ball.chart.coordinates(W), X, atol=1e-9)
    assert ball.contains(W)
    assert not ball.chart.is_in_core(W)
    assert ball.chart.is_in_core(0.01 * W)
