"""The questions that a descent asks on its way: values, gradients, projections, and numbers to decide by."""

from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeVar

from unseen.learning.solvers.base import Solution
from unseen.utils.arrays import Array, to_numpy


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


class Look(NamedTuple):
    """Request for the numbers of a small array, as NumPy.

    A look at an array on a device waits for all the work there, so that many descents look together.
    """

    array: Array


Question = Evaluate | Project | FindCoordinates | EvaluateAt | Look

Result = TypeVar("Result")

# A generator that asks on its way to a result.
Asking = Generator[Question, Any, Result]

# A descent asks, so that many descents can be answered together.
Questions = Asking[Solution]


def answer_all(asking: Asking[Result], answer: Callable[[Question], Any]) -> Result:
    """Answer one question after the other, all but looks by a function, and return the result."""
    given = None
    while True:
        try:
            question = asking.send(given)
        except StopIteration as end:
            result: Result = end.value
            return result
        given = to_numpy(question.array) if isinstance(question, Look) else answer(question)


def look_at(number: Array) -> Asking[float]:
    """Ask for one number, an array without dimensions."""
    return float((yield Look(number)))
