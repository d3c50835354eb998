"""The variables in which a descent takes its steps, and the requests that it makes."""

from collections.abc import Generator
from typing import Any, NamedTuple, Protocol

from unseen.learning.solvers.base import Solution
from unseen.learning.solvers.preconditioner import Preconditioner
from unseen.utils.arrays import Array


class Evaluate(NamedTuple):
    """Request for the objective and its gradient at W."""

    W: Array


class Project(NamedTuple):
    """Request for the nearest point of the weight set: the same object `W` if it lies inside.

    For a set with coordinates the answer is None if W lies beyond its core; the descent then continues in coordinates.
    """

    W: Array


class FindCoordinates(NamedTuple):
    """Request for the coordinates X of W, and for the length in W of one unit of X at zero."""

    W: Array


class EvaluateAt(NamedTuple):
    """Request for the W with coordinates X, its objective, and the gradient with respect to X."""

    X: Array


Question = Evaluate | Project | FindCoordinates | EvaluateAt

# A descent is a generator of requests, so that many descents can be answered together.
Questions = Generator[Question, Any, "Solution"]


class Place(NamedTuple):
    """A point of a descent: its variable, its weights, the objective and the gradient."""

    at: Array
    W: Array
    value: float
    gradient: Array


class BeyondCore(Exception):
    """Raised when a step would leave the core of a set with coordinates."""


class Variable(Protocol):
    """What a descent needs of the variable in which it takes its steps."""

    def evaluate(self, at: Array) -> Generator[Question, Any, Place]:
        """Return the place with this variable."""

    def find_nearest(self, at: Array) -> Generator[Question, Any, Array]:
        """Return the nearest variable that is allowed: the same object if it is."""


class Weights:
    """Take steps in W, and project them."""

    def __init__(self, preconditioner: Preconditioner) -> None:
        self.preconditioner = preconditioner

    def evaluate(self, at: Array) -> Generator[Question, Any, Place]:
        """Ask for value and gradient at the weights."""
        W = self.preconditioner.to_weights(at)
        value, gradient = yield Evaluate(W)
        return Place(at, W, value, self.preconditioner.pull_back(gradient))

    def find_nearest(self, at: Array) -> Generator[Question, Any, Array]:
        """Ask for the projection; raise `BeyondCore` where the descent goes on in coordinates."""
        W = self.preconditioner.to_weights(at)
        nearest = yield Project(W)
        if nearest is None:
            raise BeyondCore
        return at if nearest is W else self.preconditioner.from_weights(nearest)


class Coordinates:
    """Take steps in coordinates of the set, all of which are allowed.

    They are preconditioned as weights are, because at zero they are weights up to their unit.
    """

    def __init__(self, preconditioner: Preconditioner, unit: float) -> None:
        self.preconditioner = preconditioner
        self.unit = unit

    def at(self, X: Array) -> Array:
        """Return the variable with coordinates X."""
        return self.preconditioner.from_weights(self.unit * X)

    def evaluate(self, at: Array) -> Generator[Question, Any, Place]:
        """Ask for weights, value and gradient at the coordinates."""
        W, value, gradient = yield EvaluateAt(self.preconditioner.to_weights(at) / self.unit)
        return Place(at, W, value, self.preconditioner.pull_back(gradient) / self.unit)

    def find_nearest(self, at: Array) -> Generator[Question, Any, Array]:
        """Return the same."""
        return at
        yield  # makes this a generator, like the method of `Weights`
