"""Projected L-BFGS, for losses that have a gradient everywhere."""

from collections import deque
from dataclasses import dataclass

import numpy as np

from unseen.arrays import Array, inner
from unseen.errors import InputError
from unseen.learning.objective import LatentSVM
from unseen.learning.solvers import Solution, Watcher, require_positive
from unseen.similarity.weight_sets import WeightSet

# A step must bring at least this share of the decrease that the gradient promises.
ARMIJO = 1e-4

# Halvings of a step before it counts as useless.
MAX_HALVINGS = 30


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
        W = start
        value, gradient = objective.evaluate(W)
        history, curvature, idle = [value], _Curvature(self.memory), 0
        watch(0, W, value)
        for step in range(1, self.max_iter + 1):
            direction = _direction(weight_set, W, gradient, curvature)
            move = _line_search(objective, weight_set, W, value, gradient, direction)
            if move is None and curvature.known:
                curvature.forget()
                move = _line_search(objective, weight_set, W, value, gradient, curvature.direction(gradient))
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


def _direction(weight_set: WeightSet, W: Array, gradient: Array, curvature: "_Curvature") -> Array:
    """Return the quasi-Newton step, or the gradient step if that promises more once both are projected."""
    step = curvature.direction(gradient)
    if weight_set.contains(W + step):
        return step
    steepest = curvature.steepest(gradient)
    promises = [inner(gradient, weight_set.project(W + move) - W) for move in (step, steepest)]
    return step if promises[0] <= 0.5 * promises[1] else steepest


def _line_search(
    objective: LatentSVM, weight_set: WeightSet, W: Array, value: float, gradient: Array, direction: Array
) -> tuple[Array, float, Array] | None:
    """Halve the step until its projection brings enough descent; None if no step does."""
    for halving in range(MAX_HALVINGS):
        candidate = W + 0.5**halving * direction
        if not weight_set.contains(candidate):
            candidate = weight_set.project(candidate)
        promised = inner(gradient, candidate - W)
        if promised >= 0:
            continue
        new_value, new_gradient = objective.evaluate(candidate)
        if new_value <= value + ARMIJO * promised:
            return candidate, new_value, new_gradient
    return None


class _Curvature:
    """The inverse Hessian as L-BFGS knows it, from the last few steps."""

    def __init__(self, memory: int) -> None:
        self.pairs: deque[tuple[Array, Array, float]] = deque(maxlen=memory)

    @property
    def known(self) -> bool:
        return bool(self.pairs)

    def forget(self) -> None:
        self.pairs.clear()

    def learn(self, step: Array, change: Array) -> None:
        product = inner(step, change)
        # A pair without positive curvature would make the next direction one of ascent.
        if product > 1e-10 * (inner(step, step) * inner(change, change)) ** 0.5:
            self.pairs.append((step, change, product))

    def steepest(self, gradient: Array) -> Array:
        """Return minus the gradient, scaled by the last step (Barzilai & Borwein) or to length 1 at the most."""
        if not self.pairs:
            return -gradient / max(1.0, inner(gradient, gradient) ** 0.5)
        _, change, product = self.pairs[-1]
        return -gradient * (product / inner(change, change))

    def direction(self, gradient: Array) -> Array:
        """Return minus the inverse Hessian times the gradient (two-loop recursion)."""
        if not self.pairs:
            return self.steepest(gradient)
        direction, factors = -gradient, []
        for step, change, product in reversed(self.pairs):
            factors.append(inner(step, direction) / product)
            direction = direction - factors[-1] * change
        _, change, product = self.pairs[-1]
        direction = direction * (product / inner(change, change))
        for (step, change, product), factor in zip(self.pairs, reversed(factors), strict=True):
            direction = direction + (factor - inner(change, direction) / product) * step
        return direction
