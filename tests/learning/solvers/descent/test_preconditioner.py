"""The variable of a descent: a linear change of W in which the Hessian at zero is known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from solving import solve

from unseen.features import Rows
from unseen.learning import Smooth, SoftMaximum
from unseen.learning.solvers.descent import preconditioner as module
from unseen.learning.solvers.descent.preconditioner import (
    NO_PRECONDITIONER,
    EigenScaling,
    LeadingScaling,
    find_preconditioner,
)
from unseen.similarity import AllMatrices, FrobeniusBall, NonNegativeMatrices
from unseen.utils.arrays import inner, to_numpy

KINDS = ("correlated", "uncorrelated", "wide")


def make_problem_of(kind, make_problem, monkeypatch, **options):
    if kind == "wide":
        monkeypatch.setattr(module, "WIDE", 6)
        return make_problem("bilinear", loss=SoftMaximum(), n=40, d_t=20, **options)
    problem = make_problem("bilinear", loss=SoftMaximum(), n=200, **options)
    if kind == "uncorrelated":
        phi, _, _ = np.linalg.svd(problem.phi.X, full_matrices=False)
        psi, sizes, _ = np.linalg.svd(problem.psi, full_matrices=False)
        problem = replace(problem, phi=Rows(10 * phi), psi=psi * sizes)
    return problem


@pytest.fixture(params=KINDS)
def problem(request, make_problem, monkeypatch):
    return make_problem_of(request.param, make_problem, monkeypatch)


@pytest.fixture
def preconditioner(problem):
    return find_preconditioner(problem, AllMatrices())


def test_every_kind_is_met(make_problem):
    def make(kind):
        with pytest.MonkeyPatch.context() as patch:
            return find_preconditioner(make_problem_of(kind, make_problem, patch), AllMatrices())

    correlated, uncorrelated, wide = map(make, KINDS)
    assert isinstance(correlated, EigenScaling)
    assert correlated.U is not None
    assert correlated.V is not None
    assert isinstance(uncorrelated, EigenScaling)
    assert uncorrelated.U is uncorrelated.V is None
    assert isinstance(wide, LeadingScaling)
    assert wide.U.shape[1] < 20


@given(seed=st.integers(0, 2**32 - 1), size=st.floats(1e-3, 1e3), kind=st.sampled_from(KINDS))
def test_there_and_back_and_the_gradient(make_problem, seed, size, kind):
    """W -> Z -> W is the identity, and the gradient in Z is that in W pulled back: <pull_back(G), Z> = <G, W(Z)>."""
    with pytest.MonkeyPatch.context() as patch:
        problem = make_problem_of(kind, make_problem, patch)
        preconditioner = find_preconditioner(problem, AllMatrices())
    W, G, Z = np.random.default_rng(seed).normal(size=(3, *problem.shape)) * size
    np.testing.assert_allclose(preconditioner.to_weights(preconditioner.from_weights(W)), W, atol=1e-9 * size)
    np.testing.assert_allclose(
        inner(preconditioner.pull_back(G), Z), inner(G, preconditioner.to_weights(Z)), rtol=1e-8, atol=1e-9 * size**2
    )


def hessian_in(preconditioner, problem):
    """The Hessian with respect to Z at W = 0, by differences of gradients."""
    shape, step = problem.shape, 1e-5
    columns = []
    for direction in np.eye(shape[0] * shape[1]).reshape(-1, *shape):
        ends = [problem.evaluate(preconditioner.to_weights(sign * step * direction))[1] for sign in (1, -1)]
        columns.append((preconditioner.pull_back(ends[0] - ends[1]) / (2 * step)).ravel())
    return np.stack(columns)


def test_the_hessian_at_zero_is_better_conditioned_in_the_variable(problem, preconditioner):
    conditions = [np.linalg.cond(hessian_in(change, problem)) for change in (NO_PRECONDITIONER, preconditioner)]
    assert conditions[1] < 0.7 * conditions[0]


def test_the_first_step_is_safe(problem, preconditioner):
    """Without the margin the Hessian at zero is at most 1 / first; the margin and unlike classes add to it."""
    assert np.linalg.eigvalsh(hessian_in(preconditioner, problem))[-1] < 5 / preconditioner.first


def test_the_optimum_is_the_same(problem, preconditioner, monkeypatch):
    exact = Smooth(tol=1e-12, max_iter=2000)
    with_it, _ = solve(exact, problem)
    monkeypatch.setattr("unseen.learning.solvers.smooth.find_preconditioner", lambda *_: NO_PRECONDITIONER)
    without, _ = solve(exact, problem)
    assert with_it.value == pytest.approx(without.value, rel=1e-9)
    np.testing.assert_allclose(with_it.W, without.W, atol=1e-3 * np.abs(without.W).max())


def test_an_ill_conditioned_problem_takes_fewer_evaluations(make_problem, monkeypatch):
    problem = make_problem("bilinear", loss=SoftMaximum(), n=300, m=12, d_t=8, d_s=6, lam=1e-3)
    problem = replace(problem, phi=Rows(problem.phi.X * 10.0 ** -(0.5 * np.arange(8))))
    ours, _ = solve(Smooth(max_iter=2000), problem)
    monkeypatch.setattr("unseen.learning.solvers.smooth.find_preconditioner", lambda *_: NO_PRECONDITIONER)
    plain, _ = solve(Smooth(max_iter=2000), problem)
    assert len(ours.history) < 0.4 * len(plain.history)
    assert ours.value <= plain.value


def test_weights_of_rows_count(make_problem):
    """A row of weight 3 counts as three rows do."""
    weights = np.array([3.0, 1.0, 1.0, 1.0, 1.0])
    weighted = make_problem(loss=SoftMaximum(), weights=weights)
    times = weights[weighted.y].astype(int)
    rows = Rows(np.repeat(weighted.phi.X, times, axis=0))
    repeated = replace(weighted, phi=rows, y=np.repeat(weighted.y, times), weights=None)
    one, other = (find_preconditioner(problem, AllMatrices()) for problem in (weighted, repeated))
    np.testing.assert_allclose(np.sort(one.roots, axis=None), np.sort(other.roots, axis=None))


def test_a_sample_stands_for_all_rows(make_problem, monkeypatch):
    problem = make_problem(loss=SoftMaximum(), n=3000)
    whole = find_preconditioner(problem, AllMatrices())
    monkeypatch.setattr(module, "SAMPLE", 1000)
    sample = find_preconditioner(problem, AllMatrices())
    np.testing.assert_allclose(np.sort(sample.roots, axis=None), np.sort(whole.roots, axis=None), rtol=0.1)


@pytest.mark.parametrize("weight_set", [FrobeniusBall(1.0), NonNegativeMatrices()], ids=repr)
def test_sets_that_project_have_none(make_problem, weight_set):
    assert find_preconditioner(make_problem(loss=SoftMaximum()), weight_set) is NO_PRECONDITIONER


def test_similarities_of_unknown_gain_have_none(make_problem):
    assert find_preconditioner(make_problem("direct", loss=SoftMaximum()), AllMatrices()) is NO_PRECONDITIONER


def test_no_regulariser_is_fine(make_problem):
    problem = make_problem("bilinear", loss=SoftMaximum(), lam=0.0)
    solution, _ = solve(Smooth(max_iter=50), problem)
    assert np.isfinite(solution.value)
    assert solution.value < 0.5 * solution.history[0]


def test_every_library_gives_the_same(xp, make_problem):
    expected = find_preconditioner(make_problem(loss=SoftMaximum()), AllMatrices())
    ours = find_preconditioner(make_problem(loss=SoftMaximum(), xp=xp), AllMatrices())
    np.testing.assert_allclose(to_numpy(ours.roots), expected.roots, rtol=1e-6)
    assert ours.first == pytest.approx(expected.first)


def test_near_the_boundary_the_regulariser_counts_less(make_problem):
    """W cannot grow there, so its cost cannot either; the loss counts as before."""
    stiff = find_preconditioner(make_problem(loss=SoftMaximum(), lam=1e-4), AllMatrices())
    np.testing.assert_allclose(stiff.outer.roots, stiff.roots, rtol=0.01)
    flat = find_preconditioner(make_problem(loss=SoftMaximum(), lam=1e4), AllMatrices())
    assert np.all(flat.outer.roots > 5 * flat.roots)
    assert flat.outer.outer is flat.outer
    assert NO_PRECONDITIONER.outer is NO_PRECONDITIONER
