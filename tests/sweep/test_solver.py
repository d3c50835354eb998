"""The stacked kernels and the joint descent, against the ordinary objective and estimator."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score

from unseen import JFA
from unseen.features import Rows
from unseen.learning import LatentSVM, Smooth, SoftMaximum
from unseen.similarity import AdaptiveSimilarity, SpectralBall
from unseen.sweep.batched_objective import Numbers, Stack, positive_definite
from unseen.sweep.data import Material, split_of
from unseen.sweep.outcome import merge_error
from unseen.sweep.problems import coordinates
from unseen.sweep.solver import Task, solve
from unseen.sweep.starts import bilinear_starts
from unseen.sweep.still import largest_gain, settled
from unseen.utils.arrays import like, to_numpy

SETTINGS = np.array(
    [
        [1000.0, 10.0, 0.1, 1.0, 1.0],
        [100.0, 100.0, 10.0, 1.0, 0.1],
        [1.0, 1.0, 0.1, 0.1, 1.0],
        [100.0, 0.01, 10.0, 1e-4, 1.0],
        [0.01, 1e-5, 1e-5, 1e-5, 1.0],
        [1.0, 10.0, 1e3, 1e2, 1.0],
        [0.1, 1e3, 0.01, 1e-3, 10.0],
    ]
)
NO_SPREAD = np.zeros(3)


@pytest.fixture(scope="module")
def split(data):
    """In double precision, so that long descents agree to the end."""
    single = split_of(data)
    return replace(single, X=single.X.astype(float), X_test=single.X_test.astype(float))


@pytest.fixture(params=["numpy", "torch"])
def stack(request, split):
    library = pytest.importorskip(request.param)
    material = split.material().map(lambda array: library.asarray(array))
    return Stack(material, SoftMaximum(), 20_000)


def weights(stack, share, seed=0):
    """Random weights for all settings, at a share of the radius of the positive-definite set."""
    W = np.random.default_rng(seed).normal(size=(len(SETTINGS), *stack.shape))
    limit = np.sqrt((SETTINGS[:, 0] + SETTINGS[:, 2]) * (SETTINGS[:, 1] + SETTINGS[:, 3]))
    W *= (share * limit / np.linalg.norm(W, 2, axis=(1, 2)))[:, None, None]
    return as_arrays_of(stack, W)


def as_arrays_of(stack, array):
    return like(array, stack.material.train.psi)


@pytest.mark.parametrize("share", [0.01, 0.9, 1.7])
def test_evaluate_is_the_ordinary_objective(stack, share):
    W = weights(stack, share)
    values, gradients = stack.evaluate(Numbers.of(SETTINGS, stack.material.train.psi), W)
    train = Material.map(stack.material, to_numpy).train
    for at, setting in enumerate(SETTINGS):
        objective = LatentSVM(
            AdaptiveSimilarity(setting[:4]),
            Rows(train.phi.astype(float)), train.y, train.psi, setting[4], SoftMaximum(),
        )  # fmt: skip
        value, gradient = objective.evaluate(to_numpy(W)[at])
        assert float(values[at]) == pytest.approx(value, rel=1e-4)
        np.testing.assert_allclose(to_numpy(gradients)[at], gradient, atol=2e-3 * np.abs(gradient).max())


def test_at_zero_needs_no_pass(stack):
    zeros = weights(stack, 0.0)
    values, gradients = stack.evaluate(Numbers.of(SETTINGS, stack.material.train.psi), zeros)
    for at, setting in enumerate(SETTINGS):
        value, gradient = stack.at_zero(setting)
        assert value == pytest.approx(float(values[at]), rel=1e-6)
        size = float(np.abs(to_numpy(gradients)[at]).max())
        np.testing.assert_allclose(to_numpy(gradient), to_numpy(gradients)[at], atol=1e-4 * size)


def test_coordinates_are_those_of_the_spectral_ball(stack):
    numbers = Numbers.of(SETTINGS, stack.material.train.psi)
    W = weights(stack, 0.9)
    W[2] *= 0.1
    assert stack.in_core(numbers, W) == [at == 2 for at in range(len(SETTINGS))]
    X = np.random.default_rng(1).normal(size=W.shape)
    points, pull_back = stack.point(numbers, as_arrays_of(stack, X))
    slopes = pull_back(as_arrays_of(stack, X[::-1].copy()))
    for at, setting in enumerate(SETTINGS):
        ball: SpectralBall = AdaptiveSimilarity(setting[:4]).domain()
        expected, slope = ball.chart.point(X[at])
        np.testing.assert_allclose(to_numpy(points[at]), expected, rtol=1e-9, atol=1e-12 * ball.radius)
        np.testing.assert_allclose(to_numpy(slopes[at]), slope(X[::-1][at]), rtol=1e-8, atol=1e-11 * ball.radius)
        found, unit = stack.coordinates(setting, W[at])
        assert unit == pytest.approx(ball.radius)
        np.testing.assert_allclose(to_numpy(found), ball.chart.coordinates(to_numpy(W[at])), atol=1e-9)


def test_definiteness_of_a_stack():
    rng = np.random.default_rng(0)
    signs = rng.uniform(size=13) > 0.3
    matrices = np.stack([np.diag([1.0, 2.0, 0.5 if sign else -0.5]) for sign in signs])
    assert positive_definite(matrices) == signs.tolist()


def test_outcomes_are_those_of_the_estimator(stack, split):
    outcomes = list(solve(stack, [Task(at, s, NO_SPREAD) for at, s in enumerate(SETTINGS)], 3, solver=Smooth()))
    assert len(outcomes) == 2 * len(SETTINGS)
    for outcome in outcomes:
        setting = SETTINGS[outcome.problem]
        model = JFA(tuple(setting[:4]), setting[4], weights=outcome.way).fit(split.X, split.y, classes=split.seen)
        answers = model.predict(split.X_test, classes=split.candidates)
        sigma = float(model.similarity_.singular_values[0]) / model.similarity_.omega.limit
        # In long descents rounding adds up; among the poles, where free ones go, it decides between basins.
        short = len(model.history_) < 50
        if short:
            assert outcome.converged == model.converged_
            assert outcome.iterations == len(model.history_) - 1
        assert outcome.objective == pytest.approx(model.objective_, rel=1e-6 if short else 0.03)
        if short or outcome.way == "positive-definite":
            tolerance = 1e-9 if short else 0.07
            assert outcome.per_class == pytest.approx(balanced_accuracy_score(split.y_test, answers), abs=tolerance)
            assert outcome.per_image == pytest.approx(accuracy_score(split.y_test, answers), abs=tolerance)
        assert outcome.sigma == pytest.approx(sigma, rel=1e-6 if short else 1e-2)


def test_warm_starts_find_the_same_optimum_in_fewer_steps(stack):
    near = np.array([[1e4, 1e3, 10.0, 1.0, 1.0], [1e5, 1e4, 1e5, 1.0, 1.0], [1e3, 1e3, 1e-5, 1e-5, 1.0]])
    solver = Smooth(tol=1e-8, max_iter=1000)
    starts = bilinear_starts(stack, near, solver)
    assert all(starts.find(stack, setting) is not None for setting in near)
    assert starts.find(stack, np.array([1.0, 1.0, 1e-5, 1e-5, 1.0])) is None
    tasks = [Task(at, setting, NO_SPREAD) for at, setting in enumerate(near)]
    warm, cold = (
        sorted(solve(stack, tasks, 2, solver=solver, starts=given), key=lambda o: (o.problem, o.way))
        for given in (starts, None)
    )
    for one, two in zip(warm, cold, strict=True):
        assert one.objective == pytest.approx(two.objective, rel=1e-6)
        assert one.iterations < two.iterations


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_of_merging_holds(stack, seed):
    """Any setting within the spread has, at the same What, an objective within the bound."""
    rng = np.random.default_rng(seed)
    spread = rng.uniform(0, 0.05, size=3)
    setting = SETTINGS[rng.integers(len(SETTINGS))]
    log_kappa, log_beta, log_mu, _ = coordinates(setting[None])[0]
    signs = rng.choice([-1, 1], size=3)
    kappa, beta, mu = np.exp(np.log(10) * np.array([log_kappa, log_beta, log_mu]) + signs * spread)
    # A setting with these numbers: w4 = 0 gives w2 = beta = b; a then follows from lambda, w1 from kappa.
    lam = setting[4]
    a = mu / lam / beta
    w1 = kappa * np.sqrt(a * beta) / beta
    other = np.array([w1, beta, a - w1, 0.0, lam])
    of_first = Numbers.of(SETTINGS[:1], stack.material.train.psi)
    at = weights(stack, 0.8, seed)[0] / float(of_first.limit[0])
    values = []
    for one in (setting, other):
        numbers = Numbers.of(one[None], stack.material.train.psi)
        values.append(float(stack.evaluate(numbers, (at * float(numbers.limit[0]))[None])[0][0]))
    limit = float(np.sqrt((setting[0] + setting[2]) * (setting[1] + setting[3])))
    bound = merge_error(stack, setting, at * limit, spread)
    assert abs(values[0] - values[1]) <= bound * (1 + 1e-3) + 1e-4 * abs(values[0])
    assert merge_error(stack, setting, at * limit, NO_SPREAD) == 0


@pytest.mark.parametrize("nu_of", [1.0, 1e2, 1e4, 1e8])
def test_no_descent_gains_more_than_the_bound(stack, nu_of):
    settings = SETTINGS * np.array([1.0, 1.0, nu_of, 1.0, 1.0])
    tasks = [Task(at, setting, NO_SPREAD) for at, setting in enumerate(settings)]
    for outcome in solve(stack, tasks, 4, solver=Smooth()):
        if outcome.way == "positive-definite":
            gained = stack.value_at_zero - outcome.objective
            assert gained <= largest_gain(stack, settings[outcome.problem]) + 1e-6 * stack.value_at_zero


def test_where_nothing_moves_no_row_is_read(stack, monkeypatch):
    setting = np.array([1.0, 10.0, 1e5, 1e3, 1.0])
    assert stack.value_at_zero > 0
    monkeypatch.setattr(Stack, "evaluate", None)
    solution = settled(stack, setting)
    assert solution is not None
    assert settled(stack, SETTINGS[0]) is None
    monkeypatch.undo()
    start = to_numpy(solution.W)
    train = Material.map(stack.material, to_numpy).train
    similarity = AdaptiveSimilarity(setting[:4])
    objective = LatentSVM(similarity, Rows(train.phi), train.y, train.psi, 1.0, SoftMaximum())
    best = Smooth().solve(objective, np.zeros_like(start), similarity.domain(), None, lambda *_: None)
    assert best.value == pytest.approx(solution.value, rel=1e-6)
    np.testing.assert_allclose(best.W, start, atol=1e-4 * np.abs(start).max())
