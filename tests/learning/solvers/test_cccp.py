"""CCCP: descent, positive definiteness at every step, and where it ends."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from solving import solve

from unseen.learning import CCCP, CuttingPlane, LatentSVM, Maximum, RankingSum, Smooth, SoftMaximum
from unseen.similarity import AllMatrices, BilinearSimilarity, FrobeniusBall, Intersection
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError

LOSSES = [Maximum(), SoftMaximum(0.3), RankingSum()]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
EXACT = CCCP(max_rounds=40, tol=1e-7, inner=CuttingPlane(tol=1e-7, max_rounds=500))


@every_loss
@pytest.mark.parametrize("omega", [(5.0, 3.0, 0.5, 0.2), (0.4, 0.3, 0.1, 0.0)])
def test_objective_never_rises_and_H_stays_positive_definite(make_problem, random_weights, loss, omega):
    problem = make_problem(loss=loss, omega=omega)
    solution, seen = solve(CCCP(), problem, start=random_weights(problem, share=0.9))
    assert [step for step, _, _ in seen] == list(range(len(seen)))
    assert solution.history == [value for _, _, value in seen]
    assert all(after <= before for before, after in itertools.pairwise(solution.history))
    assert solution.value == solution.history[-1] == pytest.approx(problem.evaluate(solution.W)[0])
    for _, W, value in seen:
        assert np.linalg.norm(W, 2) < problem.similarity.omega.limit
        assert problem.evaluate(W)[0] == pytest.approx(value)
    assert solution.value < 0.9 * solution.history[0]


def test_certificate_is_the_gap_of_the_last_convex_problem(make_problem):
    problem = make_problem("bilinear", loss=Maximum())
    solution, _ = solve(CCCP(), problem)
    assert solution.converged
    assert set(solution.certificate) == {"duality_gap"}
    assert 0 <= solution.certificate["duality_gap"] <= 1e-3 * max(1.0, solution.value)
    # A bilinear objective is convex, so the gap bounds what is missing.
    best, _ = solve(EXACT, problem)
    assert best.value <= solution.value + 1e-9
    assert solution.value - solution.certificate["duality_gap"] <= best.value + 1e-9


@pytest.mark.parametrize("kind", ["adaptive", "direct", "bilinear"])
def test_ends_where_the_smooth_solver_does(make_problem, kind):
    problem = make_problem(kind, loss=SoftMaximum(0.3), omega=(20.0, 10.0, 0.5, 0.2))
    ours, _ = solve(EXACT, problem)
    theirs, _ = solve(Smooth(tol=1e-10, max_iter=2000), problem)
    assert ours.value == pytest.approx(theirs.value, rel=1e-4)
    np.testing.assert_allclose(ours.W, theirs.W, atol=2e-2 * np.abs(theirs.W).max())


def test_the_end_is_stationary(make_problem):
    problem = make_problem(loss=SoftMaximum(0.3), omega=(20.0, 10.0, 0.5, 0.2))
    solution, seen = solve(EXACT, problem)
    slopes = [np.linalg.norm(problem.evaluate(W)[1]) for W in (seen[0][1], solution.W)]
    assert solution.converged
    assert slopes[1] < 2e-2 * slopes[0]


def test_a_set_of_the_users_own_is_kept(make_problem):
    problem = make_problem(loss=Maximum())
    both = Intersection((problem.similarity.domain(), FrobeniusBall(0.5)))
    solution, seen = solve(CCCP(), problem, both)
    assert all(np.linalg.norm(W) <= 0.5 + 1e-6 for _, W, _ in seen)
    assert np.linalg.norm(solution.W) == pytest.approx(0.5, rel=1e-2)


def test_stops_at_the_limit_of_rounds_without_claiming_convergence(make_problem):
    once = replace(EXACT, max_rounds=1)
    solution, seen = solve(replace(once, temperatures=()), make_problem(loss=Maximum()))
    assert len(seen) == 2
    assert not solution.converged
    # Each soft maximum is a step of its own, before the rounds.
    for loss, steps in ((Maximum(), 4), (RankingSum(), 4), (SoftMaximum(0.3), 2)):
        _, seen = solve(replace(once, temperatures=(0.1, 0.01)), make_problem(loss=loss))
        assert len(seen) == steps


@pytest.mark.parametrize("temperatures", [(), CCCP().temperatures], ids=["plain", "softly"])
@pytest.mark.parametrize("omega", [(5.0, 3.0, 0.5, 0.2), (0.4, 0.3, 0.1, 0.0)])
@pytest.mark.parametrize("weighted", [False, True])
def test_no_point_of_the_last_convex_problem_is_below_the_bound(make_problem, temperatures, omega, weighted):
    """Brute force: the same convex problem by many steps of a solver that knows nothing of planes."""
    weights = np.array([0.2, 3.0, 1.0, 0.5, 2.0]) if weighted else None
    problem = make_problem(loss=Maximum(), omega=omega, noise=0.8, weights=weights)
    centre, _ = solve(CCCP(temperatures=temperatures), problem)
    # One more round from the end: its convex problem touches the objective there.
    once = CCCP(max_rounds=1, temperatures=(), inner=CuttingPlane(tol=1e-3))
    last, _ = solve(once, problem, start=centre.W)
    true, tangent = problem.concave_part(centre.W)
    domain = problem.similarity.domain()

    def convex(W):
        risk, slope = problem.convex_part(W)
        value = problem.regulariser(W)[0] + risk - true - np.sum(tangent * (W - centre.W))
        return value, problem.lam * W + slope - tangent

    assert convex(centre.W)[0] == pytest.approx(centre.value)
    lowest, W = np.inf, centre.W
    for step in range(1000):
        value, slope = convex(W)
        lowest = min(lowest, value)
        W = domain.project(W - slope / (problem.lam * (step + 20)))
    # The objective at the end of the round is at most the value of its convex problem there, which is at most the gap
    # above the minimum.
    assert last.value <= lowest + last.certificate["duality_gap"] + 1e-9
    assert centre.value - lowest <= last.certificate["duality_gap"] + (centre.value - last.value) + 1e-9


def test_soft_maxima_end_lower_than_plain_rounds(make_problem, random_weights):
    gained = []
    for seed in range(4):
        problem = make_problem(loss=Maximum(), seed=seed, n=80, m=8, d_t=6, d_s=5, omega=(20.0, 0.5, 0.0, 0.1))
        start = random_weights(problem, seed, share=0.1)
        plain, _ = solve(CCCP(temperatures=()), problem, start=start)
        softly, _ = solve(CCCP(), problem, start=start)
        gained.append((plain.value - softly.value) / plain.value)
    assert np.mean(gained) > 0
    assert min(gained) > -2e-2


def test_a_good_start_is_kept(make_problem):
    problem = make_problem(loss=Maximum())
    best, _ = solve(EXACT, problem)
    again, seen = solve(CCCP(temperatures=(10.0,)), problem, start=best.W)
    assert seen[1][2] == seen[0][2]
    assert again.value <= best.value


def test_every_library_gives_the_same(xp, make_problem):
    expected, _ = solve(CCCP(max_rounds=3), make_problem(loss=Maximum()))
    solution, _ = solve(CCCP(max_rounds=3), make_problem(loss=Maximum(), xp=xp))
    assert solution.value == pytest.approx(expected.value, rel=2e-3)
    assert to_numpy(solution.W).shape == expected.W.shape


class NotConvex(BilinearSimilarity):
    """A similarity that promises nothing."""

    convex = False


@pytest.mark.parametrize(
    ("change", "weight_set", "sentence"),
    [
        ({"lam": 0.0}, None, r"lam=0.0: cutting planes need lam > 0; use another solver or a positive lam"),
        ({"similarity": NotConvex()}, None, r"convex in W, which NotConvex does not promise"),
        ({}, AllMatrices(), r"weights='free' would leave the set .*: use weights='positive-definite', or solver="),
    ],
)
def test_what_it_cannot_solve_is_refused_with_a_sentence(make_problem, change, weight_set, sentence):
    problem: LatentSVM = replace(make_problem(loss=Maximum()), **change)
    with pytest.raises(InputError, match=sentence):
        CCCP().check(problem, weight_set or problem.similarity.domain())


@pytest.mark.parametrize("option", [{"max_rounds": 0}, {"tol": -1.0}, {"temperatures": (0.1, 0.0)}])
def test_bad_options_are_refused_with_a_sentence(option):
    with pytest.raises(InputError, match="must be a finite number above 0"):
        CCCP(**option)
