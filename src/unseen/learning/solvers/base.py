"""Define the interface of a solver."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from unseen.learning.objective import LatentSVM
from unseen.similarity.sets.weights import WeightSet
from unseen.utils.arrays import Array
from unseen.utils.validation import check_positive

# Called after every step with the number of the step, the weights and the objective.
Watcher = Callable[[int, Array, float], None]


@dataclass(frozen=True, eq=False)
class Solution:
    """The result of a solver.

    Attributes
    ----------
    W : array
        The best weights found, inside the weight set.
    value : float
        The objective at `W`.
    history : list of float
        The objective after every step.
    converged : bool
        Whether the solver stopped by its own criterion, not by its limit of steps.
    certificate : dict of float
        Numbers that prove something about the result, such as its duality gap.
    """

    W: Array
    value: float
    history: list[float]
    converged: bool
    certificate: dict[str, float] = field(default_factory=dict)


class Solver(Protocol):
    """Minimise a `LatentSVM` over a set of weights, from a start inside the set."""

    def check(self, objective: LatentSVM, weight_set: WeightSet) -> None:
        """Refuse an objective or a weight set that this solver cannot handle."""

    def solve(
        self, objective: LatentSVM, start: Array, weight_set: WeightSet, rng: np.random.Generator, watch: Watcher
    ) -> Solution:
        """Return the solution; `watch` is called after every step."""


def require_positive(**numbers: float) -> None:
    """Refuse parameters of a solver that are not positive."""
    for name, value in numbers.items():
        check_positive(value, name)
