"""What every solver takes and gives."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from unseen.learning.objective import LatentSVM
from unseen.similarity.sets.weights import WeightSet
from unseen.utils.arrays import Array
from unseen.utils.validation import check_positive

# Called after every step with the number of the step, the weights and the objective there.
Watcher = Callable[[int, Array, float], None]


@dataclass(frozen=True, eq=False)
class Solution:
    """Where a solver ended.

    Attributes
    ----------
    W : array
        The best weights found, inside the weight set.
    value : float
        The objective there.
    history : list of float
        The objective after every step.
    converged : bool
        Whether the solver's own criterion was met, rather than its limit of steps.
    certificate : dict of float
        What the solver can prove about the result, e.g. its duality gap.
    """

    W: Array
    value: float
    history: list[float]
    converged: bool
    certificate: dict[str, float] = field(default_factory=dict)


class Solver(Protocol):
    """Minimises a `LatentSVM` over a set of weights, from a start that lies in the set."""

    def check(self, objective: LatentSVM, weight_set: WeightSet) -> None:
        """Refuse, with a sentence, an objective or weight set that lacks what this solver needs."""

    def solve(
        self, objective: LatentSVM, start: Array, weight_set: WeightSet, rng: np.random.Generator, watch: Watcher
    ) -> Solution:
        """Return the solution; `watch` is told of every step."""


def require_positive(**numbers: float) -> None:
    """Refuse a solver's parameter that is not positive."""
    for name, value in numbers.items():
        check_positive(value, name)
