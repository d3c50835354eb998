"""Running a solver on a small problem, for the tests of all of them."""

import numpy as np


def solve(solver, problem, weight_set=None, start=None, seed=0):
    """Run from zeros, or the start given; returns the solution and what was watched."""
    start = problem.zeros() if start is None else start
    weight_set = weight_set or problem.similarity.domain()
    solver.check(problem, weight_set)
    seen = []
    watch = lambda step, W, value: seen.append((step, W, value))  # noqa: E731
    return solver.solve(problem, start, weight_set, np.random.default_rng(seed), watch), seen
