"""Minimise smooth objectives over a set of weights by L-BFGS."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from unseen.learning.objective import LatentSVM
from unseen.learning.solvers.base import Solution, Watcher, require_positive
from unseen.learning.solvers.descent.curvature import Curvature
from unseen.learning.solvers.descent.preconditioner import NO_PRECONDITIONER, Preconditioner, find_preconditioner
from unseen.learning.solvers.descent.questions import (
    Asking,
    Evaluate,
    EvaluateAt,
    FindCoordinates,
    Project,
    Question,
    Questions,
    answer_all,
    look_at,
)
from unseen.learning.solvers.descent.variables import BeyondCore, Coordinates, Place, Variable, Weights
from unseen.similarity.sets.weights import WeightSet
from unseen.utils.arrays import Array, namespace, sum_products
from unseen.utils.errors import InputError

# A step must achieve at least this share of the decrease that the gradient predicts.
ARMIJO = 1e-4

# A step that fails is cut to the minimum of a parabola, within these shares of its length. From the third failure on
# it was much too long, perhaps across poles of H, and is cut by the smallest share.
SHARPEST_CUT, GENTLEST_CUT = 0.1, 0.5
PARABOLAS = 2

# The line search gives up when a step is cut to less than this share.
USELESS = 1e-9

# After a step was cut to some share, the next one starts with at most this many times that share. Among poles of H
# every step is cut: with 10, a third more evaluations led to about the same objectives.
GROWTH = 4.0

# Decreases below this share of the objective are smaller than the rounding errors of single-precision scores. The
# slope at the end of a step then decides (the approximate Wolfe condition of Hager & Zhang, 2005).
ROUNDING = 1e-8


# Where less than a tenth of the objective has been gained since the start, decreases count more, up to one over this.
LITTLE = 0.1


class Differentiable(Protocol):
    """All that a descent needs of an objective."""

    def evaluate(self, W: Array) -> tuple[float, Array]:
        """Return the objective at W and its gradient."""


@dataclass(frozen=True)
class Smooth:
    """L-BFGS with backtracking: every iterate lies in the weight set, and the objective never rises.

    Steps are projected onto the set. At its boundary the projection may remove most of a quasi-Newton step. If a
    gradient step then predicts a larger decrease, or the quasi-Newton step does not descend, the gradient step is used.

    A spectral ball, the set on which H is positive definite, has coordinates without a boundary (see
    `unseen.similarity.sets.ball_coordinates`). From the first step that would leave its core, the descent uses these
    coordinates, and no projection is needed.

    If the Hessian at W = 0 is known, the descent is preconditioned by it (see
    `unseen.learning.solvers.descent.preconditioner`), unless steps must be projected.

    Parameters
    ----------
    max_iter : int
        Maximum number of steps.
    tol : float
        The solver stops when three steps in a row each lower the objective by less than `tol` times its value. If the
        whole descent has lowered it by less than a tenth, smaller steps count, down to a tenth of that.
    memory : int
        Number of past steps and gradient changes that L-BFGS stores.
    """

    max_iter: int = 300
    tol: float = 1e-4
    memory: int = 10

    def __post_init__(self) -> None:
        require_positive(max_iter=self.max_iter, tol=self.tol, memory=self.memory)

    def check(self, objective: LatentSVM, weight_set: WeightSet) -> None:
        """Refuse a loss that is not smooth."""
        if not objective.loss.smooth:
            name = type(objective.loss).__name__
            raise InputError(
                f"solver='smooth' needs a smooth loss, and {name} is not smooth: "
                "use loss='soft-maximum', or solver='cccp' or 'stochastic'"
            )

    def solve(
        self, objective: Differentiable, start: Array, weight_set: WeightSet, rng: np.random.Generator, watch: Watcher
    ) -> Solution:
        """Descend from `start`. The result is deterministic; `rng` is not used."""
        descent = self.descend(start, watch, find_preconditioner(objective, weight_set))
        return answer_all(descent, lambda question: _answer(question, objective, weight_set))

    def descend(
        self,
        start: Array,
        watch: Watcher = lambda step, W, value: None,
        preconditioner: Preconditioner = NO_PRECONDITIONER,
    ) -> Questions:
        """Descend from `start`, asking for values, gradients, projections and numbers; return the solution."""
        variable = Weights(preconditioner)
        here = yield from variable.evaluate(preconditioner.from_weights(start))
        path = _Path(here, Curvature(self.memory, preconditioner.first), watch)
        try:
            return (yield from self._follow(path, variable))
        except BeyondCore:
            X, unit = yield FindCoordinates(path.here.W)
            outer = preconditioner.outer
            coordinates = Coordinates(outer, unit)
            path.change_variable((yield from coordinates.evaluate(coordinates.at(X))))
            if outer is not preconditioner:
                path.forget()
            path.curvature.know_safe_length(unit, lambda step: _measure(outer.to_weights(step)))
            return (yield from self._follow(path, coordinates))

    def _follow(self, path: "_Path", variable: "Variable") -> Questions:
        while path.steps < self.max_iter:
            here = path.here
            direction, candidate, promised = yield from _find_direction(path, variable)
            if path.steps and abs(promised) / path.trust <= min(0.1 * ROUNDING, 0.01 * self.tol) * abs(here.value):
                return path.make_solution(True)
            step = yield from _search_line(here, direction, candidate, promised, variable)
            if step is None and path.curvature.known:
                path.forget()
                direction, candidate, promised = yield from _find_direction(path, variable)
                step = yield from _search_line(here, direction, candidate, promised, variable)
            if step is None:
                return path.make_solution(True)
            yield from path.go(step, self.tol)
            if path.idle == 3:
                return path.make_solution(True)
        return path.make_solution(False)


def _answer(question: Question, objective: Differentiable, weight_set: WeightSet) -> Any:
    chart = weight_set.chart
    if isinstance(question, Evaluate):
        return objective.evaluate(question.W)
    if isinstance(question, Project):
        if chart is not None:
            return question.W if chart.is_in_core(question.W) else None
        return question.W if weight_set.contains(question.W) else weight_set.project(question.W)
    assert chart is not None  # only a set with coordinates leads to these requests
    if isinstance(question, FindCoordinates):
        return chart.coordinates(question.W), chart.radius
    assert isinstance(question, EvaluateAt)  # looks are answered for every descent in the same way
    W, pull_back = chart.point(question.X)
    value, gradient = objective.evaluate(W)
    return W, value, pull_back(gradient)


class _Step(NamedTuple):
    """The end of a step, and the share to which its length was cut."""

    there: Place
    share: float


@dataclass
class _Path:
    """The state of a descent."""

    here: Place
    curvature: Curvature
    watch: Watcher
    history: list[float] = field(init=False)
    trust: float = 1.0  # share of a quasi-Newton step that is tried first
    idle: int = 0  # steps in a row with almost no decrease

    def __post_init__(self) -> None:
        self.history = [self.here.value]
        self.watch(0, self.here.W, self.here.value)

    @property
    def steps(self) -> int:
        return len(self.history) - 1

    def forget(self) -> None:
        """Forget the curvature, which has led to no descent, and start again from here."""
        self.curvature.forget()
        self.trust = 1.0

    def go(self, step: _Step, tol: float) -> Asking[None]:
        there = step.there
        self.trust = min(1.0, GROWTH * step.share * self.trust)
        more = yield from self.curvature.learn(there.at - self.here.at, there.gradient - self.here.gradient)
        little = self.here.value - there.value <= tol * self._find_scale(there.value)
        self.idle = self.idle + 1 if little and not more else 0
        self.here = there
        self.history.append(there.value)
        self.watch(self.steps, there.W, there.value)

    def _find_scale(self, value: float) -> float:
        """Return what decreases are compared with: the objective, or less where little has been gained so far."""
        return min(abs(value), max(abs(value) * LITTLE, 10 * (self.history[0] - value)))

    def change_variable(self, here: Place) -> None:
        """Continue in another variable, in which the known curvature is approximately valid.

        A start on the boundary has been moved inwards; any other point is the same up to rounding.
        """
        self.here = here
        if here.value > self.history[-1] + ROUNDING * abs(here.value):
            self.history[-1] = here.value

    def make_solution(self, converged: bool) -> Solution:
        return Solution(self.here.W, self.here.value, self.history, converged)


def _measure(matrix: Array) -> Array:
    """Return the Frobenius norm of a matrix, as an array without dimensions."""
    return namespace(matrix).linalg.matrix_norm(matrix)


def _promise(here: Place, end: Array) -> Asking[float]:
    """Return the change of the objective that the gradient promises on the way to an end."""
    return (yield from look_at(sum_products(here.gradient, end - here.at)))


def _find_direction(path: _Path, variable: Variable) -> Asking[tuple[Array, Array, float]]:
    """Return a step, its projected end and the promised change of the objective.

    It is the quasi-Newton step, or one along the gradient if that promises a larger decrease.
    """
    here = path.here
    step = path.trust * (yield from path.curvature.direction(here.gradient))
    ahead = here.at + step
    candidate = yield from variable.find_nearest(ahead)
    promised = yield from _promise(here, candidate)
    if candidate is ahead:
        return step, candidate, promised
    steepest = path.trust * (yield from path.curvature.steepest(here.gradient))
    other = yield from variable.find_nearest(here.at + steepest)
    of_other = yield from _promise(here, other)
    return (step, candidate, promised) if promised <= 0.5 * of_other else (steepest, other, of_other)


def _search_line(
    here: Place, direction: Array, candidate: Array, promised: float, variable: Variable
) -> Asking[_Step | None]:
    """Shorten the step until its projection descends enough; return None if none does.

    It is `candidate` at first, of which the gradient promises the change `promised`.
    """
    share, failures = 1.0, 0
    while share >= USELESS:
        if failures:
            candidate = yield from variable.find_nearest(here.at + share * direction)
            promised = yield from _promise(here, candidate)
        cut = SHARPEST_CUT
        if promised < 0:
            there = yield from variable.evaluate(candidate)
            if (yield from _is_descent(here, there, promised)):
                return _Step(there._replace(value=min(there.value, here.value)), share)
            if failures < PARABOLAS:
                cut = _find_lowest(promised, there.value - here.value)
        share *= cut
        failures += 1
    return None


def _is_descent(here: Place, there: Place, promised: float) -> Asking[bool]:
    """Tell whether a step achieved enough of the predicted decrease, as far as rounding errors allow to tell."""
    if there.value <= here.value + ARMIJO * promised:
        return True
    slight = ROUNDING * abs(here.value)
    too_small_to_tell = -promised <= slight and abs(there.value - here.value) <= slight
    if not too_small_to_tell:
        return False
    slope = yield from look_at(sum_products(there.gradient, there.at - here.at))
    return slope <= (2 * ARMIJO - 1) * promised


def _find_lowest(promised: float, brought: float) -> float:
    """Return the share of a step, within bounds, at the minimum of the parabola through its slope and both values."""
    share = 0.5 * promised / (promised - brought)
    return float(np.clip(share, SHARPEST_CUT, GENTLEST_CUT)) if np.isfinite(brought) else SHARPEST_CUT
