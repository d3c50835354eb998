"""From an objective and a solver to weights: the span, the starts, and the set that W is kept in."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from unseen.learning import CCCP, Maximum, Smooth, SoftMaximum, Stochastic, learn
from unseen.learning.training import choose_weight_set, reduce_to_rows, reduce_to_span
from unseen.similarity import AllMatrices, FrobeniusBall, Intersection, NonNegativeMatrices, WeightSet
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError

EXACT = Smooth(tol=1e-10, max_iter=2000)
WIDE = {"m": 4, "d_s": 9, "d_t": 6}  # four descriptions of nine attributes: a span of four dimensions


def run(problem, solver=EXACT, weights="positive-definite", seed=0, **options):
    return learn(problem, solver, weights, rng=np.random.default_rng(seed), **options)


class Spy(Smooth):
    """A solver that remembers the starts it was given."""

    def solve(self, objective, start, weight_set, rng, watch):
        self.starts.append(start)
        return super().solve(objective, start, weight_set, rng, watch)

    @property
    def starts(self):
        return self.__dict__.setdefault("_starts", [])


@dataclass(frozen=True)
class Pattern(WeightSet):
    """A weight set of one's own: entries outside a pattern stay zero."""

    mask: np.ndarray

    def project(self, W):
        return W * self.mask

    def contains(self, W):
        return bool(np.all(W[~self.mask] == 0))


@dataclass(frozen=True)
class AtLeast(WeightSet):
    """A weight set that does not hold the zero matrix."""

    least: float

    def project(self, W):
        return np.maximum(W, self.least)

    def contains(self, W):
        return bool(np.all(self.least <= W))


# The span of the descriptions


@pytest.mark.parametrize("kind", ["adaptive", "bilinear"])
@pytest.mark.parametrize("solver", [EXACT, CCCP(tol=1e-6)], ids=["smooth", "cccp"])
def test_learning_in_the_span_finds_the_same_optimum(make_problem, kind, solver):
    problem = make_problem(kind, loss=SoftMaximum(), omega=(20.0, 10.0, 0.5, 0.2), **WIDE)
    domain = problem.similarity.domain()
    reduced, basis = reduce_to_span(problem, domain)
    assert reduced.psi.shape == (4, 4)
    np.testing.assert_allclose(basis.T @ basis, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(reduced.psi @ basis.T, problem.psi, atol=1e-12)
    in_span = run(problem, solver)
    direct = solver.solve(problem, problem.zeros(), domain, np.random.default_rng(0), lambda *seen: None)
    assert in_span.W.shape == problem.shape
    assert in_span.value == pytest.approx(problem.evaluate(in_span.W)[0])
    assert in_span.value == pytest.approx(direct.value, rel=1e-6 if solver is EXACT else 5e-3)
    scores = [problem.similarity.with_weights(W).scores(problem.phi.X, problem.psi) for W in (in_span.W, direct.W)]
    np.testing.assert_allclose(*scores, atol=1e-3 if solver is EXACT else 0.2)


@pytest.mark.parametrize("kind", ["adaptive", "bilinear"])
def test_the_objective_in_the_span_is_the_objective(make_problem, random_weights, kind):
    problem = make_problem(kind, loss=SoftMaximum(), **WIDE)
    reduced, basis = reduce_to_span(problem, AllMatrices())
    small = random_weights(problem)[:, :4]
    (value, slope), (wanted, wanted_slope) = reduced.evaluate(small), problem.evaluate(small @ basis.T)
    assert value == pytest.approx(wanted)
    # The whole gradient lies in the span, so what is stationary there is stationary everywhere.
    np.testing.assert_allclose(slope @ basis.T, wanted_slope, atol=1e-9)


def test_descriptions_that_points_of_a_grid_share_are_decomposed_once(make_problem):
    problem = make_problem("adaptive", **WIDE)
    _, basis = reduce_to_span(problem, AllMatrices())
    assert reduce_to_span(replace(problem, lam=2.0), AllMatrices())[1] is basis
    reduced, other = reduce_to_span(replace(problem, psi=np.roll(problem.psi, 1, axis=1)), AllMatrices())
    np.testing.assert_allclose(reduced.psi @ other.T, np.roll(problem.psi, 1, axis=1))


def test_what_minds_rotations_is_not_reduced(make_problem):
    for problem, weight_set in (
        (make_problem("direct", **WIDE), AllMatrices()),
        (make_problem("bilinear", **WIDE), NonNegativeMatrices()),
        (make_problem("bilinear"), AllMatrices()),  # three attributes of five classes: nothing to gain
    ):
        reduced, basis = reduce_to_span(problem, weight_set)
        assert reduced is problem
        assert basis is None


FEW = {"n": 8, "m": 4, "d_s": 3, "d_t": 20}  # eight rows of twenty features


@pytest.mark.parametrize("kind", ["adaptive", "bilinear"])
def test_fewer_rows_than_features_are_learned_from_in_their_span(make_problem, kind):
    problem = make_problem(kind, loss=SoftMaximum(), omega=(20.0, 10.0, 0.5, 0.2), **FEW)
    domain = problem.similarity.domain()
    reduced, basis = reduce_to_rows(problem, domain)
    assert reduced.phi.shape == (8, 8)
    np.testing.assert_allclose(basis.T @ basis, np.eye(8), atol=1e-12)
    in_span = run(problem)
    direct = EXACT.solve(problem, problem.zeros(), domain, np.random.default_rng(0), lambda *seen: None)
    assert in_span.W.shape == problem.shape
    assert in_span.value == pytest.approx(direct.value, rel=1e-6)
    np.testing.assert_allclose(in_span.W, direct.W, atol=1e-4)
    again = run(problem, init=in_span.W)
    assert again.value <= in_span.value * (1 + 1e-9)


def test_rows_are_reduced_only_where_rotations_do_not_matter(make_problem):
    for kind, weight_set, sizes in (
        ("direct", AllMatrices(), FEW),
        ("bilinear", NonNegativeMatrices(), FEW),
        ("bilinear", AllMatrices(), {}),  # thirty rows of four features: nothing to gain
    ):
        problem = make_problem(kind, **sizes)
        assert reduce_to_rows(problem, weight_set) == (problem, None)


@pytest.mark.parametrize("sizes", [WIDE, FEW])
def test_watchers_see_the_whole_space(make_problem, sizes):
    problem = make_problem(loss=SoftMaximum(), **sizes)
    seen = []
    solution = run(problem, Smooth(), watch=lambda step, W, value: seen.append((W, value)))
    assert all(W.shape == problem.shape for W, _ in seen)
    assert all(problem.evaluate(W)[0] == pytest.approx(value) for W, value in seen)
    np.testing.assert_allclose(seen[-1][0], solution.W)


# Starts


def test_the_best_of_several_starts_is_kept(make_problem):
    # Moving is cheap here, so there are local optima.
    problem = make_problem(loss=SoftMaximum(), omega=(0.5, 0.5, 0.0, 0.0), lam=3.0, seed=1)
    ends, solver = [], Smooth(max_iter=100)
    for seed in range(4):
        values = []
        best = run(
            problem, solver, n_init=3, init="random", seed=seed, watch=lambda s, W, v, to=values: to.append((s, v))
        )
        finals = [v for (_, v), (after, _) in zip(values, [*values[1:], (0, 0.0)], strict=True) if after == 0]
        assert len(finals) == 3
        assert best.value == min(finals)
        ends += finals
    assert np.ptp(ends) > 1e-2 * min(ends)


@pytest.mark.parametrize("init", ["zeros", "random"])
def test_starts(make_problem, init):
    problem = make_problem(loss=SoftMaximum(), omega=(0.3, 0.3, 0.0, 0.0))
    solver = Spy(max_iter=1)
    run(problem, solver, n_init=3, init=init)
    first, *others = solver.starts
    assert bool(np.any(first)) == (init == "random")
    limit = problem.similarity.domain().radius
    assert all(np.linalg.norm(start, 2) == pytest.approx(limit) for start in others)  # of norm 1, brought inside
    again = Spy(max_iter=1)
    run(problem, again, n_init=3, init=init)
    np.testing.assert_array_equal(solver.starts, again.starts)


def test_a_start_of_the_users_own(make_problem, random_weights):
    problem = make_problem(loss=SoftMaximum(), **WIDE)
    best = run(problem)
    warm = run(problem, Smooth(), init=best.W)
    assert warm.value <= best.value * (1 + 1e-6)
    assert len(warm.history) <= 5
    outside = run(problem, Smooth(max_iter=1), init=random_weights(problem, share=3.0))
    assert np.linalg.norm(outside.W, 2) < problem.similarity.omega.limit


# The set that W is kept in


def test_weight_choices(make_problem):
    adaptive, bilinear = make_problem(), make_problem("bilinear")
    assert choose_weight_set(adaptive, "positive-definite") == adaptive.similarity.domain()
    assert choose_weight_set(bilinear, "positive-definite") == AllMatrices()
    assert choose_weight_set(adaptive, "free") == AllMatrices()
    ball = FrobeniusBall(1.0)
    assert choose_weight_set(bilinear, ball) is ball
    assert choose_weight_set(adaptive, ball) == Intersection((adaptive.similarity.domain(), ball))
    with pytest.raises(InputError, match=r"weights='psd' is not known: choose one of 'positive-definite', 'free', or"):
        choose_weight_set(adaptive, "psd")


@pytest.mark.parametrize("solver", [Smooth(), CCCP(max_rounds=5), Stochastic(epochs=5)], ids=lambda s: type(s).__name__)
def test_a_set_of_the_users_own(make_problem, solver):
    problem = make_problem(loss=SoftMaximum(), omega=(0.5, 0.5, 0.0, 0.0))
    mask = np.arange(12).reshape(4, 3) % 2 == 0
    solution = run(problem, solver, Pattern(mask))
    assert np.all(solution.W[~mask] == 0)
    assert np.any(solution.W[mask] != 0)
    assert problem.similarity.with_weights(solution.W).is_positive_definite
    assert solution.value < solution.history[0]


@pytest.mark.parametrize("solver", [Smooth(), CCCP(max_rounds=5), Stochastic(epochs=5)], ids=lambda s: type(s).__name__)
def test_a_set_without_zero_is_kept_from_the_start(make_problem, solver):
    seen = []
    run(make_problem("bilinear", loss=SoftMaximum()), solver, AtLeast(0.1), watch=lambda s, W, v: seen.append(W))
    assert all(np.all(W >= 0.1 - 1e-12) for W in seen)


@pytest.mark.parametrize("seed", range(3))
def test_free_weights_may_leave_the_definite_region(make_problem, seed):
    """The paper's relaxation: without the constraint the learned H need not be positive definite."""
    problem = make_problem(loss=SoftMaximum(), omega=(0.05, 0.05, 0.0, 0.0), lam=0.1, seed=seed)
    free, kept = (run(problem, Smooth(), weights, init="random") for weights in ("free", "positive-definite"))
    assert not problem.similarity.with_weights(free.W).is_positive_definite
    assert problem.similarity.with_weights(kept.W).is_positive_definite
    for solution in (free, kept):
        assert solution.value == pytest.approx(problem.evaluate(solution.W)[0])


def test_a_solver_that_cannot_is_asked_before_anything_is_done(make_problem):
    with pytest.raises(InputError, match="needs a smooth loss"):
        run(make_problem(loss=Maximum()), Smooth())
    with pytest.raises(InputError, match="weights='free' would leave"):
        run(make_problem(loss=Maximum()), CCCP(), "free")


def test_every_library_gives_the_same(xp, make_problem):
    easy = {"loss": SoftMaximum(), "omega": (20.0, 10.0, 0.5, 0.2), **WIDE}
    expected, solution = (run(make_problem(xp=library, **easy), Smooth(tol=1e-8), n_init=2) for library in (np, xp))
    assert solution.value == pytest.approx(expected.value, rel=1e-6)
    assert to_numpy(solution.W).shape == expected.W.shape
