"""Projected L-BFGS: descent inside the set, and the optimum of problems whose optimum is known."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from solving import solve

from unseen.learning import CuttingPlane, Maximum, RankingSum, Smooth, SoftMaximum
from unseen.learning.objective import LatentSVM
from unseen.learning.solvers.descent.preconditioner import EigenScaling
from unseen.learning.solvers.planes.cutting_plane import Bundle, touching
from unseen.similarity import AllMatrices, FrobeniusBall, Intersection, NonNegativeMatrices, SpectralBall
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError

EXACT = Smooth(tol=1e-12, max_iter=2000)


def gradient_mapping(problem, W, weight_set, step=1e-3):
    """How far a small projected gradient step moves W, in units of the step: 0 at a stationary point."""
    return np.linalg.norm(W - weight_set.project(W - step * problem.evaluate(W)[1])) / step


@pytest.mark.parametrize("kind", ["bilinear", "direct"])
@pytest.mark.parametrize("lam", [0.1, 1.0, 10.0])
def test_agrees_with_scipy_without_constraints(make_problem, kind, lam):
    problem = make_problem(kind, loss=SoftMaximum(), lam=lam)
    shape = problem.shape

    def function(w):
        value, gradient = problem.evaluate(w.reshape(shape))
        return value, gradient.ravel()

    options = {"maxiter": 5000, "maxfun": 10**5, "ftol": 1e-15, "gtol": 1e-10}
    theirs = minimize(function, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options=options)
    ours, _ = solve(EXACT, problem)
    assert ours.value == pytest.approx(theirs.fun, rel=1e-8)
    np.testing.assert_allclose(ours.W, theirs.x.reshape(shape), atol=1e-3 * np.abs(theirs.x).max())
    assert solve(Smooth(), problem)[0].value == pytest.approx(theirs.fun, rel=5e-3)


@pytest.mark.parametrize("omega", [(20.0, 10.0, 0.5, 0.2), (5.0, 3.0, 0.5, 0.2), (0.4, 0.3, 0.1, 0.0)])
def test_objective_never_rises_inside_the_domain(make_problem, random_weights, omega):
    problem = make_problem(loss=SoftMaximum(), omega=omega)
    for start in (None, random_weights(problem, share=0.9)):
        solution, seen = solve(Smooth(), problem, start=start)
        assert [step for step, _, _ in seen] == list(range(len(seen)))
        assert solution.history == [value for _, _, value in seen]
        assert all(after <= before for before, after in itertools.pairwise(solution.history))
        assert solution.value == pytest.approx(problem.evaluate(solution.W)[0])
        assert all(np.linalg.norm(W, 2) < problem.similarity.omega.limit for _, W, _ in seen)


@pytest.mark.parametrize("omega", [(20.0, 10.0, 0.5, 0.2), (5.0, 3.0, 0.5, 0.2)])
def test_the_end_is_stationary(make_problem, omega):
    problem = make_problem(loss=SoftMaximum(), omega=omega)
    solution, seen = solve(EXACT, problem)
    domain = problem.similarity.domain()
    assert solution.converged
    assert gradient_mapping(problem, solution.W, domain) < 1e-4 * gradient_mapping(problem, seen[0][1], domain)


@pytest.mark.parametrize(
    "weight_set",
    [
        FrobeniusBall(1.0),
        SpectralBall(0.6),
        NonNegativeMatrices(),
        Intersection((SpectralBall(0.6), NonNegativeMatrices())),
    ],
    ids=repr,
)
@pytest.mark.parametrize("seed", range(3))
def test_finds_the_optimum_on_the_boundary_of_a_set(make_problem, weight_set, seed):
    """A bilinear objective is convex: cutting planes bound its constrained minimum from below."""
    problem = make_problem("bilinear", seed=seed, loss=SoftMaximum(0.3), d_t=6)
    start = problem.zeros()
    free, _ = solve(EXACT, problem)
    assert not weight_set.contains(free.W)
    bundle = Bundle(touching(problem.convex_part), problem.lam)
    bound = CuttingPlane(tol=1e-4, max_rounds=300).minimise(bundle, start, problem.concave_part(start)[1], weight_set)
    for solver, rtol in ((Smooth(), 2e-3), (EXACT, 2e-4)):
        solution, seen = solve(solver, problem, weight_set)
        assert solution.converged
        assert bound.lower_bound - 1e-6 <= solution.value <= bound.lower_bound * (1 + rtol)
        for _, W, _ in seen:
            np.testing.assert_allclose(weight_set.project(W), W, atol=1e-6)


def test_tiny_omega_makes_the_domain_bind(make_problem):
    """Where moving is almost free learning would leave the domain; it ends at its boundary, with H definite."""
    problem = make_problem(loss=SoftMaximum(), omega=(0.01, 0.01, 0.0, 0.0), lam=0.1)
    domain = problem.similarity.domain()
    solution, _ = solve(Smooth(), problem)
    assert np.linalg.norm(solution.W, 2) == pytest.approx(domain.radius, rel=1e-6)
    assert problem.similarity.with_weights(solution.W).is_positive_definite
    assert solution.value < 0.9 * solution.history[0]
    inward = problem.evaluate(0.99 * solution.W)[0]
    assert solution.value < inward


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("omega", [(0.01, 0.01, 0.0, 0.0), (0.3, 0.001, 0.1, 0.01), (10.0, 1e-4, 1.0, 1e-3)])
def test_projected_steps_gain_nothing_after_the_end_at_the_boundary(make_problem, omega, seed):
    problem = make_problem(loss=SoftMaximum(), omega=omega, lam=0.1, seed=seed)
    domain = problem.similarity.domain()
    solution, seen = solve(Smooth(tol=1e-10, max_iter=3000), problem)
    assert np.linalg.norm(solution.W, 2) > 0.9 * domain.radius
    assert solution.value - lowered_by_projected_steps(problem, solution.W, domain) < 1e-8 * solution.value
    _, halfway, value = seen[len(seen) // 2]
    assert value - lowered_by_projected_steps(problem, halfway, domain) > 1e-6 * value


def lowered_by_projected_steps(problem, W, ball):
    """The objective after fifty projected gradient steps, each of the best of eight lengths."""
    value, gradient = problem.evaluate(W)
    for _ in range(50):
        lengths = ball.radius * 10.0 ** -np.arange(8) / np.linalg.norm(gradient)
        ends = [ball.project(W - length * gradient) for length in lengths]
        lowest, W = min(((problem.evaluate(end)[0], end) for end in ends), key=lambda pair: pair[0])
        if lowest >= value:
            break
        value, gradient = problem.evaluate(W)
    return value


@pytest.mark.parametrize("seed", range(4))
def test_steps_that_cross_poles_are_soon_cut_short(make_problem, monkeypatch, seed):
    """Free weights at tiny omega: quasi-Newton steps are far too long, one after the other."""
    problem = make_problem(loss=SoftMaximum(), omega=(1e-2, 1e-4, 1e-3, 1e-5), lam=0.1, seed=seed)
    asked, evaluate = [], LatentSVM.evaluate
    monkeypatch.setattr(LatentSVM, "evaluate", lambda self, W: asked.append(W) or evaluate(self, W))
    solution, _ = solve(Smooth(), problem, AllMatrices())
    assert len(asked) <= 3 * len(solution.history) + 10


def test_a_start_on_the_boundary_is_left_behind(make_problem, random_weights):
    """Coordinates have no slope on the boundary itself; a start there must not stay there for that."""
    problem = make_problem(loss=SoftMaximum(), omega=(5.0, 3.0, 0.5, 0.2), lam=10.0)
    domain = problem.similarity.domain()
    start = random_weights(problem, share=0.5)
    start = domain.project(start * (10 * domain.radius / np.linalg.norm(start, -2)))
    solution, _ = solve(EXACT, problem, start=start)
    best, _ = solve(EXACT, problem)
    assert solution.value == pytest.approx(best.value, rel=1e-5)
    assert all(after <= before for before, after in itertools.pairwise(solution.history))


def test_steps_lengthen_where_the_slope_grows(make_problem):
    """At tiny omega the objective falls ever faster on the way from zero: the first small gains are not the end."""
    problem = make_problem(loss=SoftMaximum(), omega=(3e-6, 1e-3, 1e-2, 1e-3), lam=1.0)
    solution, _ = solve(Smooth(), problem)
    gains = -np.diff(solution.history)
    assert gains[0] < Smooth().tol * solution.value
    assert gains.max() > 10 * gains[0]
    assert np.linalg.norm(solution.W, 2) > 0.99 * problem.similarity.domain().radius


def test_a_start_at_the_optimum_stays(make_problem):
    problem = make_problem("bilinear", loss=SoftMaximum())
    best, _ = solve(EXACT, problem)
    again, seen = solve(Smooth(), problem, start=best.W)
    assert again.converged
    assert len(seen) <= 5
    np.testing.assert_allclose(again.W, best.W, atol=1e-5)


def test_weights_of_a_step_are_computed_once(make_problem, monkeypatch):
    computed = []
    ours = EigenScaling.to_weights
    monkeypatch.setattr(EigenScaling, "to_weights", lambda self, Z: computed.append(Z) or ours(self, Z))
    problem = make_problem("bilinear", loss=SoftMaximum())
    solution, _ = solve(Smooth(max_iter=5), problem)
    assert len(solution.history) == 6
    assert len({id(Z) for Z in computed}) == len(computed)


def test_limit_of_steps(make_problem):
    solution, seen = solve(Smooth(max_iter=3), make_problem(loss=SoftMaximum()))
    assert len(seen) == 4
    assert not solution.converged


def test_every_library_gives_the_same(xp, make_problem):
    expected, _ = solve(Smooth(tol=1e-8), make_problem(loss=SoftMaximum()))
    solution, _ = solve(Smooth(tol=1e-8), make_problem(loss=SoftMaximum(), xp=xp))
    assert solution.value == pytest.approx(expected.value, rel=1e-6)
    np.testing.assert_allclose(to_numpy(solution.W), expected.W, atol=1e-2)


@pytest.mark.parametrize("loss", [Maximum(), RankingSum()], ids=repr)
def test_a_loss_with_corners_is_refused_with_a_sentence(make_problem, loss):
    problem = make_problem(loss=loss)
    with pytest.raises(
        InputError, match=rf"needs a smooth loss, and {type(loss).__name__} is not smooth: use loss='soft"
    ):
        Smooth().check(problem, problem.similarity.domain())


@pytest.mark.parametrize("option", [{"max_iter": 0}, {"tol": 0.0}, {"memory": -1}])
def test_bad_options_are_refused_with_a_sentence(option):
    with pytest.raises(InputError, match="must be a finite number above 0"):
        Smooth(**option)
