"""The variables in which a descent takes its steps."""

from typing import NamedTuple, Protocol

from unseen.learning.solvers.descent.preconditioner import Preconditioner
from unseen.learning.solvers.descent.questions import Asking, Evaluate, EvaluateAt, Project
from unseen.utils.arrays import Array


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

    def evaluate(self, at: Array) -> Asking[Place]:
        """Return the place with this variable."""

    def find_nearest(self, at: Array) -> Asking[Array]:
        """Return the nearest variable that is allowed: the same object if it is."""


class Weights:
    """Take steps in W, and project them."""

    def __init__(self, preconditioner: Preconditioner) -> None:
        self.preconditioner = preconditioner
        self._last: tuple[Array, Array] | None = None

    def evaluate(self, at: Array) -> Asking[Place]:
        """Ask for value and gradient at the weights."""
        W = self._to_weights(at)
        value, gradient = yield Evaluate(W)
        return Place(at, W, value, self.preconditioner.pull_back(gradient))

    def find_nearest(self, at: Array) -> Asking[Array]:
        """Ask for the projection; raise `BeyondCore` where the descent goes on in coordinates."""
        W = self._to_weights(at)
        nearest = yield Project(W)
        if nearest is None:
            raise BeyondCore
        return at if nearest is W else self.preconditioner.from_weights(nearest)

    def _to_weights(self, at: Array) -> Array:
        """Return the weights, which are asked for twice where the nearest variable is evaluated next."""
        if self._last is None or self._last[0] is not at:
            self._last = at, self.preconditioner.to_weights(at)
        return self._last[1]


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

    def evaluate(self, at: Array) -> Asking[Place]:
        """Ask for weights, value and gradient at the coordinates."""
        W, value, gradient = yield EvaluateAt(self.preconditioner.to_weights(at) / self.unit)
        return Place(at, W, value, self.preconditioner.pull_back(gradient) / self.unit)

    def find_nearest(self, at: Array) -> Asking[Array]:
        """Return the same."""
        return at
        yield  # makes this a generator, like the method of `Weights`
