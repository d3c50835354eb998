"""The kernels for many problems at once, against the ordinary objective and weight set of each."""

import numpy as np
import pytest
from sweeping import SETTINGS, as_arrays_of, random_weights

from unseen.features import Rows
from unseen.learning import LatentSVM, SoftMaximum
from unseen.similarity import AdaptiveSimilarity, SpectralBall
from unseen.sweep.batched_objective import ProblemNumbers, positive_definite
from unseen.sweep.data import SweepData
from unseen.utils.arrays import to_numpy


@pytest.mark.parametrize("share", [0.01, 0.9, 1.7])
def test_evaluate_is_the_ordinary_objective(objective, share):
    W = random_weights(objective, share)
    values, gradients = objective.evaluate(ProblemNumbers.of(SETTINGS, objective.data.train.psi), W)
    train = SweepData.map(objective.data, to_numpy).train
    for at, setting in enumerate(SETTINGS):
        objective = LatentSVM(
            AdaptiveSimilarity(setting[:4]),
            Rows(train.phi.astype(float)), train.y, train.psi, setting[4], SoftMaximum(),
        )  # fmt: skip
        value, gradient = objective.evaluate(to_numpy(W)[at])
        assert float(values[at]) == pytest.approx(value, rel=1e-4)
        np.testing.assert_allclose(to_numpy(gradients)[at], gradient, atol=2e-3 * np.abs(gradient).max())


def test_at_zero_needs_no_pass(objective):
    zeros = random_weights(objective, 0.0)
    values, gradients = objective.evaluate(ProblemNumbers.of(SETTINGS, objective.data.train.psi), zeros)
    for at, setting in enumerate(SETTINGS):
        value, gradient = objective.at_zero(setting)
        assert value == pytest.approx(float(values[at]), rel=1e-6)
        size = float(np.abs(to_numpy(gradients)[at]).max())
        np.testing.assert_allclose(to_numpy(gradient), to_numpy(gradients)[at], atol=1e-4 * size)


def test_coordinates_are_those_of_the_spectral_ball(objective):
    numbers = ProblemNumbers.of(SETTINGS, objective.data.train.psi)
    W = random_weights(objective, 0.9)
    W[2] *= 0.1
    assert objective.is_in_core(numbers, W) == [at == 2 for at in range(len(SETTINGS))]
    X = np.random.default_rng(1).normal(size=W.shape)
    points, pull_back = objective.point(numbers, as_arrays_of(objective, X))
    slopes = pull_back(as_arrays_of(objective, X[::-1].copy()))
    for at, setting in enumerate(SETTINGS):
        ball: SpectralBall = AdaptiveSimilarity(setting[:4]).domain()
        expected, slope = ball.chart.point(X[at])
        np.testing.assert_allclose(to_numpy(points[at]), expected, rtol=1e-9, atol=1e-12 * ball.radius)
        np.testing.assert_allclose(to_numpy(slopes[at]), slope(X[::-1][at]), rtol=1e-8, atol=1e-11 * ball.radius)
        found, unit = objective.coordinates(setting, W[at])
        assert unit == pytest.approx(ball.radius)
        np.testing.assert_allclose(to_numpy(found), ball.chart.coordinates(to_numpy(W[at])), atol=1e-9)


def test_definiteness_of_a_stack():
    rng = np.random.default_rng(0)
    signs = rng.uniform(size=13) > 0.3
    matrices = np.stack([np.diag([1.0, 2.0, 0.5 if sign else -0.5]) for sign in signs])
    assert positive_definite(matrices) == signs.tolist()
