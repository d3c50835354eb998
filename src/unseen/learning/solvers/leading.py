"""Learn from wide features in their leading directions alone, for trials that need not be exact."""

from dataclasses import dataclass, replace

import numpy as np

from unseen.features.directions import find_leading_directions
from unseen.features.reading.dask_rows import DaskRows
from unseen.learning.objective import LatentSVM
from unseen.learning.solvers.base import Solution, Solver, Watcher, require_positive
from unseen.similarity.sets.weights import WeightSet
from unseen.utils.arrays import Array, to_float64

# Features of at most this many times as many columns as directions are not worth reducing.
WORTHWHILE = 1.2

# The reduced rows must fit into memory.
MOST_BYTES = 2**30


@dataclass(frozen=True)
class InLeadingDirections:
    """Another solver, for a W whose columns lie in the leading directions of the features.

    It reduces only wide features, and only where similarity and weight set are invariant under rotations. The
    certificate of the solution then has `left_out`, the share of the rows' squared length outside of the directions.

    Parameters
    ----------
    solver : Solver
    count : int, default 500
        Number of directions.

    Examples
    --------
    >>> from unseen import JFA, load_dataset
    >>> from unseen.learning.solvers.smooth import Smooth
    >>> data = load_dataset("digit-pairs")
    >>> model = JFA(solver=InLeadingDirections(Smooth(), 50)).fit(data.X_train, data.y_train, classes=data.classes)
    >>> round(model.certificate_["left_out"], 2)
    0.07
    """

    solver: Solver
    count: int = 500

    def __post_init__(self) -> None:
        require_positive(count=self.count)

    def check(self, objective: LatentSVM, weight_set: WeightSet) -> None:
        """Refuse what the other solver refuses."""
        self.solver.check(objective, weight_set)

    def solve(
        self, objective: LatentSVM, start: Array, weight_set: WeightSet, rng: np.random.Generator, watch: Watcher
    ) -> Solution:
        """Solve the reduced problem, and return the solution in the full space."""
        if not self._is_worthwhile(objective, weight_set):
            return self.solver.solve(objective, start, weight_set, rng, watch)
        found = find_leading_directions(objective.phi, self.count)
        V = to_float64(found.basis)
        solution = self.solver.solve(
            replace(objective, phi=found.rows),
            V.T @ start,
            weight_set,
            rng,
            lambda step, W, value: watch(step, V @ W, value),
        )
        return replace(solution, W=V @ solution.W, certificate={**solution.certificate, "left_out": found.left_out})

    def _is_worthwhile(self, objective: LatentSVM, weight_set: WeightSet) -> bool:
        n, width = objective.phi.shape
        return (
            min(n, width) > WORTHWHILE * self.count
            and 8 * n * self.count <= MOST_BYTES
            and objective.similarity.rotation_invariant
            and weight_set.rotation_invariant
            and not isinstance(objective.phi, DaskRows)
        )
