"""Stochastic steps: how near they come, that they stay inside, and that data on disk are the same data."""

from dataclasses import replace

import numpy as np
import pytest
from solving import solve

from unseen.features import Rows
from unseen.learning import Maximum, RankingSum, Smooth, SoftMaximum, Stochastic
from unseen.similarity import Intersection, NonNegativeMatrices
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError

SOLVER = Stochastic(epochs=40, batch_size=16)


@pytest.mark.parametrize(
    ("kind", "omega"),
    [("adaptive", (20.0, 10.0, 0.5, 0.2)), ("bilinear", (1.0, 1.0, 0.0, 0.0)), ("direct", (1.0, 1.0, 0.0, 0.0))],
)
def test_comes_near_the_smooth_optimum(make_problem, kind, omega):
    problem = make_problem(kind, n=120, loss=SoftMaximum(), omega=omega)
    best, _ = solve(Smooth(tol=1e-10), problem)
    solution, _ = solve(SOLVER, problem)
    assert best.value - 1e-6 <= solution.value <= 1.01 * best.value


def test_class_weights_are_kept_in_mind(make_problem):
    problem = make_problem("bilinear", n=120, loss=SoftMaximum(), weights=np.array([0.1, 5.0, 1.0, 1.0, 0.2]))
    best, _ = solve(Smooth(tol=1e-10), problem)
    solution, _ = solve(SOLVER, problem)
    assert solution.value <= 1.01 * best.value


@pytest.mark.parametrize("loss", [Maximum(), SoftMaximum(), RankingSum()], ids=repr)
@pytest.mark.parametrize("omega", [(5.0, 3.0, 0.5, 0.2), (0.05, 0.03, 0.0, 0.0)])
def test_H_stays_positive_definite(make_problem, loss, omega):
    problem = make_problem(loss=loss, omega=omega)
    solution, seen = solve(Stochastic(epochs=10, batch_size=8), problem)
    assert [step for step, _, _ in seen] == list(range(11))
    assert solution.history == [value for _, _, value in seen]
    assert all(np.linalg.norm(W, 2) < problem.similarity.omega.limit for _, W, _ in seen)
    assert solution.value == min(solution.history) == pytest.approx(problem.evaluate(solution.W)[0])
    assert solution.value < solution.history[0]


def test_a_set_of_the_users_own_is_kept(make_problem):
    problem = make_problem(loss=Maximum())
    both = Intersection((problem.similarity.domain(), NonNegativeMatrices()))
    _, seen = solve(Stochastic(epochs=5, batch_size=8), problem, both)
    assert all(np.all(W >= 0) for _, W, _ in seen)
    assert np.any(seen[-1][1] == 0)


def test_repeats_by_seed(make_problem):
    problem = make_problem(loss=Maximum())
    first, again, other = (solve(Stochastic(epochs=3, batch_size=8), problem, seed=seed)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.W, again.W)
    assert first.history == again.history
    assert not np.array_equal(first.W, other.W)


def test_rows_on_disk_give_the_same_weights(make_problem, tmp_path):
    problem = make_problem(n=80, loss=SoftMaximum())
    written = np.memmap(tmp_path / "rows.memmap", dtype=np.float64, mode="w+", shape=problem.phi.shape)
    written[:] = problem.phi.X
    written.flush()
    on_disk = np.memmap(tmp_path / "rows.memmap", dtype=np.float64, mode="r", shape=problem.phi.shape)
    in_memory, mapped = (
        solve(Stochastic(epochs=5, batch_size=16), p)[0] for p in (problem, replace(problem, phi=Rows(on_disk)))
    )
    np.testing.assert_array_equal(mapped.W, in_memory.W)
    assert type(mapped.W) is np.ndarray
    assert mapped.history == in_memory.history


def test_every_row_is_read_once_in_an_epoch(make_problem):
    problem = make_problem(n=50, loss=Maximum())
    read = []

    class Spy(Rows):
        def take(self, indices):
            read.append(indices)
            return super().take(indices)

    solve(Stochastic(epochs=2, batch_size=16), replace(problem, phi=Spy(problem.phi.X)))
    epochs = [np.concatenate(read[:4]), np.concatenate(read[4:])]
    assert all(np.all(np.diff(batch) > 0) for batch in read)
    assert all(sorted(epoch) == list(range(50)) for epoch in epochs)
    assert not np.array_equal(epochs[0], epochs[1])


def test_every_library_gives_the_same(xp, make_problem):
    expected, _ = solve(Stochastic(epochs=5, batch_size=8), make_problem(loss=SoftMaximum()))
    solution, _ = solve(Stochastic(epochs=5, batch_size=8), make_problem(loss=SoftMaximum(), xp=xp))
    np.testing.assert_allclose(to_numpy(solution.W), expected.W, atol=1e-8)


@pytest.mark.parametrize("option", [{"epochs": 0}, {"batch_size": 0}, {"step": -0.1}])
def test_bad_options_are_refused_with_a_sentence(option):
    with pytest.raises(InputError, match="must be a finite number above 0"):
        Stochastic(**option)
