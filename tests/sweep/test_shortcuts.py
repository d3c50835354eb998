"""What is not solved, or solved from a better start, against the ordinary estimator and the plain descent."""

import numpy as np
import pytest
from sweeping import NO_SPREAD, SETTINGS

from unseen.features import Rows
from unseen.learning import LatentSVM, Smooth, SoftMaximum
from unseen.similarity import AdaptiveSimilarity
from unseen.sweep.batched_objective import BatchedObjective
from unseen.sweep.data import SweepData
from unseen.sweep.shortcuts import find_warm_starts, largest_gain, log10_nu, solution_near_zero
from unseen.sweep.solver import Task, solve
from unseen.utils.arrays import to_numpy

# Optima at W = 0


@pytest.mark.parametrize("nu_of", [1.0, 1e2, 1e4, 1e8])
def test_no_descent_gains_more_than_the_bound(objective, nu_of):
    settings = SETTINGS * np.array([1.0, 1.0, nu_of, 1.0, 1.0])
    tasks = [Task(at, setting, NO_SPREAD) for at, setting in enumerate(settings)]
    for outcome in solve(objective, tasks, 4, solver=Smooth()):
        if outcome.way == "positive-definite":
            gained = objective.value_at_zero - outcome.objective
            assert gained <= largest_gain(objective, settings[outcome.problem]) + 1e-6 * objective.value_at_zero


def test_where_the_optimum_is_zero_no_row_is_read(objective, monkeypatch):
    setting = np.array([1.0, 10.0, 1e5, 1e3, 1.0])
    assert objective.value_at_zero > 0
    monkeypatch.setattr(BatchedObjective, "evaluate", None)
    solution = solution_near_zero(objective, setting)
    assert solution is not None
    assert solution_near_zero(objective, SETTINGS[0]) is None
    monkeypatch.undo()
    start = to_numpy(solution.W)
    train = SweepData.map(objective.data, to_numpy).train
    similarity = AdaptiveSimilarity(setting[:4])
    objective = LatentSVM(similarity, Rows(train.phi), train.y, train.psi, 1.0, SoftMaximum())
    best = Smooth().solve(objective, np.zeros_like(start), similarity.domain(), None, lambda *_: None)
    assert best.value == pytest.approx(solution.value, rel=1e-6)
    np.testing.assert_allclose(best.W, start, atol=1e-4 * np.abs(start).max())


# Warm starts


def test_nu_is_the_regulariser_of_the_bilinear_limit():
    w1, w2, w3, w4, lam = SETTINGS.T
    np.testing.assert_allclose(10 ** log10_nu(SETTINGS), lam * ((1 + w3 / w1) * (1 + w4 / w2)) ** 2)


def test_warm_starts_find_the_same_optimum_in_fewer_steps(objective):
    near = np.array([[1e4, 1e3, 10.0, 1.0, 1.0], [1e5, 1e4, 1e5, 1.0, 1.0], [1e3, 1e3, 1e-5, 1e-5, 1.0]])
    solver = Smooth(tol=1e-8, max_iter=1000)
    starts = find_warm_starts(objective, near, solver)
    assert all(starts.find(objective, setting) is not None for setting in near)
    assert starts.find(objective, np.array([1.0, 1.0, 1e-5, 1e-5, 1.0])) is None
    tasks = [Task(at, setting, NO_SPREAD) for at, setting in enumerate(near)]
    warm, cold = (
        sorted(solve(objective, tasks, 2, solver=solver, warm_starts=given), key=lambda o: (o.problem, o.way))
        for given in (starts, None)
    )
    for one, two in zip(warm, cold, strict=True):
        assert one.objective == pytest.approx(two.objective, rel=1e-6)
        assert one.iterations < two.iterations
