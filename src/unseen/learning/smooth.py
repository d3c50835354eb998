"""Projected L-BFGS, for losses that have a gradient everywhere."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from unseen.arrays import Array, inner
from unseen.errors import InputError
from unseen.learning.curvature import Curvature
from unseen.learning.objective import LatentSVM
from unseen.learning.solvers import Solution, Watcher, require_positive
from unseen.similarity.weight_sets import WeightSet

# A step must bring at least this share of the decrease that the gradient promises.
ARMIJO = 1e-4

# Halvings of a step before it counts as useless.
MAX_HALVINGS = 30

# Decreases below this share of the objective drown in the rounding of single-precision scores. Whether a step brought
# one is then told by the slope at its end (the approximate Wolfe condition of Hager & Zhang, 2005).
ROUNDING = 1e-8


class Evaluate(NamedTuple):
    """Asks for the objective and its gradient at W."""

    W: Array


class Project(NamedTuple):
    """Asks for the nearest point of the weight set: `W` itself, the same object, where it lies inside."""

    W: Array


# A descent asks and is answered, so that one or many may be answered at a time.
Questions = Generator[Evaluate | Project, Any, "Solution"]


@dataclass(frozen=True)
class Smooth:
    """Projected L-BFGS with backtracking: every iterate lies in the weight set and none is worse than the last.

    Steps are projected onto the set. At its boundary the projection may take most of a quasi-Newton step away; where a
    gradient step then promises more, or the quasi-Newton step brings no descent, the gradient step is made instead.

    Parameters
    ----------
    max_iter : int
        Steps at the most.
    tol : float
        Stop when three steps in a row each lower the objective by less than `tol` times its value.
    memory : int
        Pairs of past steps and gradient changes that shape the next step.
    """

    max_iter: int = 300
    tol: float = 1e-5
    memory: int = 10

    def __post_init__(self) -> None:
        require_positive(max_iter=self.max_iter, tol=self.tol, memory=self.memory)

    def check(self, objective: LatentSVM, weight_set: WeightSet) -> None:
        """Refuse a loss without a gradient."""
        if not objective.loss.smooth:
            name = type(objective.loss).__name__
            raise InputError(
                f"solver='smooth' needs a smooth loss, and {name} has corners: "
                "use loss='soft-maximum', or solver='cccp' or 'stochastic'"
            )

    def solve(
        self, objective: LatentSVM, start: Array, weight_set: WeightSet, rng: np.random.Generator, watch: Watcher
    ) -> Solution:
        """Descend from `start`; deterministic, `rng` is not used."""
        descent, answer = self.descend(start, watch), None
        while True:
            try:
                question = descent.send(answer)
            except StopIteration as end:
                solution: Solution = end.value
                return solution
            if isinstance(question, Evaluate):
                answer = objective.evaluate(question.W)
            else:
                answer = question.W if weight_set.contains(question.W) else weight_set.project(question.W)

    def descend(self, start: Array, watch: Watcher = lambda step, W, value: None) -> Questions:
        """Descend from `start` by asking for values, gradients and projections; return the solution."""
        W = start
        value, gradient = yield Evaluate(W)
        history, curvature, idle = [value], Curvature(self.memory), 0
        watch(0, W, value)
        for step in range(1, self.max_iter + 1):
            direction, candidate = yield from _direction(W, gradient, curvature)
            if step > 1 and abs(inner(gradient, candidate - W)) <= min(0.1 * ROUNDING, 0.01 * self.tol) * abs(value):
                return Solution(W, value, history, True)
            move = yield from _line_search(W, value, gradient, direction, candidate)
            if move is None and curvature.known:
                curvature.forget()
                direction = curvature.direction(gradient)
                move = yield from _line_search(W, value, gradient, direction, (yield Project(W + direction)))
            if move is None:
                return Solution(W, value, history, True)
            new_W, new_value, new_gradient = move
            curvature.learn(new_W - W, new_gradient - gradient)
            idle = idle + 1 if value - new_value <= self.tol * abs(new_value) else 0
            W, value, gradient = new_W, new_value, new_gradient
            history.append(value)
            watch(step, W, value)
            if idle == 3:
                return Solution(W, value, history, True)
        return Solution(W, value, history, False)


def _direction(W: Array, gradient: Array, curvature: Curvature) -> Generator[Project, Array, tuple[Array, Array]]:
    """Return a step and where it leads once projected: quasi-Newton, or along the gradient if that promises more."""
    step = curvature.direction(gradient)
    ahead = W + step
    candidate = yield Project(ahead)
    if candidate is ahead:
        return step, candidate
    steepest = curvature.steepest(gradient)
    other = yield Project(W + steepest)
    promises = [inner(gradient, end - W) for end in (candidate, other)]
    return (step, candidate) if promises[0] <= 0.5 * promises[1] else (steepest, other)


def _line_search(
    W: Array, value: float, gradient: Array, direction: Array, candidate: Array
) -> Generator[Evaluate | Project, Any, tuple[Array, float, Array] | None]:
    """Halve the step until its projection, at first `candidate`, brings enough descent; None if no step does."""
    for halving in range(MAX_HALVINGS):
        if halving:
            candidate = yield Project(W + 0.5**halving * direction)
        promised = inner(gradient, candidate - W)
        if promised >= 0:
            continue
        new_value, new_gradient = yield Evaluate(candidate)
        if new_value <= value + ARMIJO * promised:
            return candidate, new_value, new_gradient
        too_small_to_tell = -promised <= ROUNDING * abs(value) and abs(new_value - value) <= ROUNDING * abs(value)
        if too_small_to_tell and inner(new_gradient, candidate - W) <= (2 * ARMIJO - 1) * promised:
            return candidate, min(new_value, value), new_gradient
    return None
