"""Solve the latent structural SVM as a sequence of convex problems by CCCP (Yu & Joachims, 2009).

Each round replaces the concave part of the objective by its tangent at the current W, which fixes the latent features
of the true classes, and minimises the resulting convex problem with cutting planes. The objective never rises.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from unseen.learning.objective import LatentSVM
from unseen.learning.solvers.base import Solution, Watcher, require_positive
from unseen.learning.solvers.cutting_plane import Bundle, CuttingPlane
from unseen.similarity.sets.weights import WeightSet
from unseen.utils.arrays import Array
from unseen.utils.errors import InputError

# Relative duality gap of the first convex problem. Later ones are solved more exactly, down to the inner tolerance.
FIRST_INNER_TOL = 1e-2


@dataclass(frozen=True)
class CCCP:
    """Concave-convex procedure with a one-slack cutting-plane inner solver.

    Parameters
    ----------
    max_rounds : int
        Maximum number of convex problems.
    tol : float
        CCCP stops when a round lowers the objective by less than `tol` times its value.
    inner : CuttingPlane
        Solver of each convex problem. Its last duality gap is in the certificate.
    """

    max_rounds: int = 20
    tol: float = 1e-3
    inner: CuttingPlane = field(default_factory=CuttingPlane)

    def __post_init__(self) -> None:
        require_positive(max_rounds=self.max_rounds, tol=self.tol)

    def check(self, objective: LatentSVM, weight_set: WeightSet) -> None:
        """Refuse a similarity that is not convex in W, and an objective without a regulariser."""
        if not objective.similarity.convex:
            name = type(objective.similarity).__name__
            raise InputError(
                f"solver='cccp' needs scores that are convex in W, which {name} does not promise "
                "(convex = True): use solver='stochastic'"
            )
        if objective.similarity.domain().constrains and not weight_set.constrains:
            raise InputError(
                "solver='cccp' with weights='free' would leave the set on which the score is convex: "
                "use weights='positive-definite', or solver='smooth' or 'stochastic'"
            )
        if not objective.lam > 0:
            raise InputError(
                f"lam={objective.lam!r}: cutting planes need lam > 0; use another solver or a positive lam"
            )

    def solve(
        self, objective: LatentSVM, start: Array, weight_set: WeightSet, rng: np.random.Generator, watch: Watcher
    ) -> Solution:
        """Descend from `start`. The result is deterministic; `rng` is not used."""
        W, (value, _) = start, objective.evaluate(start)
        # The planes of the convex part stay valid in every round, because only the tangent changes.
        bundle = Bundle(objective.convex_part, objective.lam)
        history, converged, gap, tol = [value], False, float("inf"), max(self.inner.tol, FIRST_INNER_TOL)
        watch(0, W, value)
        for step in range(1, self.max_rounds + 1):
            _, tangent = objective.concave_part(W)
            inner = replace(self.inner, tol=tol).minimise(bundle, W, tangent, weight_set)
            gap = inner.gap
            candidate_value, _ = objective.evaluate(inner.W)
            improvement = (value - candidate_value) / max(1.0, abs(value))
            if improvement > 0:
                W, value = inner.W, candidate_value
            history.append(value)
            watch(step, W, value)
            if improvement <= self.tol and tol <= self.inner.tol:
                converged = True
                break
            # Each convex problem is solved about ten times more exactly than the last improvement.
            tol = max(self.inner.tol, min(tol, 0.1 * improvement))
        return Solution(W, value, history, converged, {"duality_gap": gap})
