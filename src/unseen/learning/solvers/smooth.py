"""L-BFGS inside a set of weights, for losses that have a gradient everywhere."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from unseen.learning.objective import LatentSVM
from unseen.learning.solvers.base import Solution, Watcher, require_positive
from unseen.learning.solvers.curvature import Curvature
from unseen.similarity.sets.weights import WeightSet
from unseen.utils.arrays import Array, inner
from unseen.utils.errors import InputError

# A step must bring at least this share of the decrease that the gradient promises.
ARMIJO = 1e-4

# A step that fails is cut to where a parabola is lowest, within these shares of it. From the third failure on it was
# far too long, perhaps across poles of H, and each cut is the sharpest.
SHARPEST_CUT, GENTLEST_CUT = 0.1, 0.5
PARABOLAS = 2

# A step cut to less than this is useless.
USELESS = 1e-9

# After a step was cut to some share, the next is not begun with more than this many times that share.
GROWTH = 10.0

# Decreases below this share of the objective drown in the rounding of single-precision scores. Whether a step brought
# one is then told by the slope at its end (the approximate Wolfe condition of Hager & Zhang, 2005).
ROUNDING = 1e-8


class Evaluate(NamedTuple):
    """Asks for the objective and its gradient at W."""

    W: Array


class Project(NamedTuple):
    """Asks for the nearest point of the weight set: `W` itself, the same object, where it lies inside.

    A set that has coordinates answers None for a W beyond its core, and the descent goes on in these.
    """

    W: Array


class FindCoordinates(NamedTuple):
    """Asks for the coordinates X of W, and for the length in W of a unit of them at zero."""

    W: Array


class EvaluateAt(NamedTuple):
    """Asks for the W that has the coordinates X, the objective there, and its gradient with respect to X."""

    X: Array


Question = Evaluate | Project | FindCoordinates | EvaluateAt

# A descent asks and is answered, so that one or many may be answered at a time.
Questions = Generator[Question, Any, "Solution"]


@dataclass(frozen=True)
class Smooth:
    """L-BFGS with backtracking: every iterate lies in the weight set and none is worse than the last.

    Steps are projected onto the set. At its boundary the projection may take most of a quasi-Newton step away; where a
    gradient step then promises more, or the quasi-Newton step brings no descent, the gradient step is made instead.

    A spectral ball, the set on which H is positive definite, has coordinates without a boundary (see
    `unseen.similarity.sets.ball_coordinates`). From the first step that would leave its core the descent uses them, and
    nothing is projected any more.

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
            answer = _answer(question, objective, weight_set)

    def descend(self, start: Array, watch: Watcher = lambda step, W, value: None) -> Questions:
        """Descend from `start` by asking for values, gradients and projections; return the solution."""
        path = _Path((yield from _Weights().evaluate(start)), Curvature(self.memory), watch)
        try:
            return (yield from self._follow(path, _Weights()))
        except _BeyondCore:
            X, unit = yield FindCoordinates(path.here.W)
            path.change_variable((yield from _Coordinates().evaluate(X)), unit)
            return (yield from self._follow(path, _Coordinates()))

    def _follow(self, path: "_Path", variable: "_Variable") -> Questions:
        while path.steps < self.max_iter:
            here = path.here
            direction, candidate = yield from _find_direction(path, variable)
            promised = abs(inner(here.gradient, candidate - here.at)) / path.trust
            if path.steps and promised <= min(0.1 * ROUNDING, 0.01 * self.tol) * abs(here.value):
                return path.make_solution(True)
            step = yield from _search_line(here, direction, candidate, variable)
            if step is None and path.curvature.known:
                path.forget()
                direction, candidate = yield from _find_direction(path, variable)
                step = yield from _search_line(here, direction, candidate, variable)
            if step is None:
                return path.make_solution(True)
            path.go(step, self.tol)
            if path.idle == 3:
                return path.make_solution(True)
        return path.make_solution(False)


def _answer(question: Question, objective: LatentSVM, weight_set: WeightSet) -> Any:
    chart = weight_set.chart
    if isinstance(question, Evaluate):
        return objective.evaluate(question.W)
    if isinstance(question, Project):
        if chart is not None:
            return question.W if chart.is_in_core(question.W) else None
        return question.W if weight_set.contains(question.W) else weight_set.project(question.W)
    assert chart is not None  # these questions follow an answer that only a chart leads to
    if isinstance(question, FindCoordinates):
        return chart.coordinates(question.W), chart.radius
    W, pull_back = chart.point(question.X)
    value, gradient = objective.evaluate(W)
    return W, value, pull_back(gradient)


class _Place(NamedTuple):
    """A point of a descent: its variable, the weights that stand there, the objective and its gradient."""

    at: Array
    W: Array
    value: float
    gradient: Array


class _Step(NamedTuple):
    """Where a step leads, and to what share of its length it was cut."""

    there: _Place
    share: float


class _BeyondCore(Exception):
    """A step would leave the core of a set that has coordinates."""


class _Variable(Protocol):
    def evaluate(self, at: Array) -> Generator[Question, Any, _Place]: ...

    def find_nearest(self, at: Array) -> Generator[Question, Any, Array]: ...


class _Weights:
    """Steps are taken in W, and projected."""

    def evaluate(self, at: Array) -> Generator[Question, Any, _Place]:
        value, gradient = yield Evaluate(at)
        return _Place(at, at, value, gradient)

    def find_nearest(self, at: Array) -> Generator[Question, Any, Array]:
        answer = yield Project(at)
        if answer is None:
            raise _BeyondCore
        return answer


class _Coordinates:
    """Steps are taken in coordinates of the set, all of which are allowed."""

    def evaluate(self, at: Array) -> Generator[Question, Any, _Place]:
        return _Place(at, *(yield EvaluateAt(at)))

    def find_nearest(self, at: Array) -> Generator[Question, Any, Array]:
        return at
        yield  # a generator, like that of the weights


@dataclass
class _Path:
    """The way that a descent has come."""

    here: _Place
    curvature: Curvature
    watch: Watcher
    history: list[float] = field(init=False)
    trust: float = 1.0  # the share of a quasi-Newton step that is tried first
    idle: int = 0  # steps in a row that brought next to nothing

    def __post_init__(self) -> None:
        self.history = [self.here.value]
        self.watch(0, self.here.W, self.here.value)

    @property
    def steps(self) -> int:
        return len(self.history) - 1

    def forget(self) -> None:
        """Begin afresh from here: what was learned of curvature has led nowhere."""
        self.curvature.forget()
        self.trust = 1.0

    def go(self, step: _Step, tol: float) -> None:
        there = step.there
        self.trust = min(1.0, GROWTH * step.share * self.trust)
        more = self.curvature.learn(there.at - self.here.at, there.gradient - self.here.gradient)
        little = self.here.value - there.value <= tol * abs(there.value)
        self.idle = self.idle + 1 if little and not more else 0
        self.here = there
        self.history.append(there.value)
        self.watch(self.steps, there.W, there.value)

    def change_variable(self, here: _Place, unit: float) -> None:
        """Go on in another variable, where what is known of curvature holds but for the unit, near enough.

        A start on the boundary has been moved inwards; any other point is the same but for rounding.
        """
        self.here = here
        self.curvature.change_unit(unit)
        if here.value > self.history[-1] + ROUNDING * abs(here.value):
            self.history[-1] = here.value

    def make_solution(self, converged: bool) -> Solution:
        return Solution(self.here.W, self.here.value, self.history, converged)


def _find_direction(path: _Path, variable: _Variable) -> Generator[Question, Any, tuple[Array, Array]]:
    """Return a step and where it leads once projected: quasi-Newton, or along the gradient if that promises more."""
    here = path.here
    step = path.trust * path.curvature.direction(here.gradient)
    ahead = here.at + step
    candidate = yield from variable.find_nearest(ahead)
    if candidate is ahead:
        return step, candidate
    steepest = path.trust * path.curvature.steepest(here.gradient)
    other = yield from variable.find_nearest(here.at + steepest)
    promises = [inner(here.gradient, end - here.at) for end in (candidate, other)]
    return (step, candidate) if promises[0] <= 0.5 * promises[1] else (steepest, other)


def _search_line(
    here: _Place, direction: Array, candidate: Array, variable: _Variable
) -> Generator[Question, Any, _Step | None]:
    """Cut the step until its projection, at first `candidate`, brings enough descent; None if no step does."""
    share, failures = 1.0, 0
    while share >= USELESS:
        if failures:
            candidate = yield from variable.find_nearest(here.at + share * direction)
        promised = inner(here.gradient, candidate - here.at)
        cut = SHARPEST_CUT
        if promised < 0:
            there = yield from variable.evaluate(candidate)
            if _is_descent(here, there, promised):
                return _Step(there._replace(value=min(there.value, here.value)), share)
            if failures < PARABOLAS:
                cut = _find_lowest(promised, there.value - here.value)
        share *= cut
        failures += 1
    return None


def _is_descent(here: _Place, there: _Place, promised: float) -> bool:
    """Tell whether a step brought enough of what the gradient promised, or brings it as far as rounding lets us see."""
    if there.value <= here.value + ARMIJO * promised:
        return True
    slight = ROUNDING * abs(here.value)
    too_small_to_tell = -promised <= slight and abs(there.value - here.value) <= slight
    return too_small_to_tell and inner(there.gradient, there.at - here.at) <= (2 * ARMIJO - 1) * promised


def _find_lowest(promised: float, brought: float) -> float:
    """Return where on the way, within bounds, a parabola is lowest that sets out as promised and ends as brought."""
    share = 0.5 * promised / (promised - brought)
    return float(np.clip(share, SHARPEST_CUT, GENTLEST_CUT)) if np.isfinite(brought) else SHARPEST_CUT
