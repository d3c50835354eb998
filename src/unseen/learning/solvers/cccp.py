"""Solve the latent structural SVM as a sequence of convex problems by CCCP (Yu & Joachims, 2009).

Each round replaces the concave part of the objective by its tangent at the current W, which fixes the latent features
of the true classes, and minimises the resulting convex problem with cutting planes. The objective never rises.

The tangent is loose: the latent features of all rows resist a step, although most of what they say cancels in the
objective. So rounds are short, and from a random start there are very many. Before them the objective itself is
lowered, with smooth forms of the loss at falling temperatures. This is CCCP in the limit of a new tangent at every
step. The rounds then start near a stationary point, and their last duality gap proves how near.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from unseen.learning.losses import soften
from unseen.learning.objective import LatentSVM
from unseen.learning.solvers.base import Solution, Watcher, require_positive
from unseen.learning.solvers.planes.cutting_plane import Bundle, CuttingPlane
from unseen.learning.solvers.planes.soft_planes import make_oracle
from unseen.learning.solvers.smooth import Smooth
from unseen.similarity.sets.weights import WeightSet
from unseen.utils.arrays import Array, inner
from unseen.utils.errors import InputError

# Relative duality gap of the first convex problem. Later ones are solved more exactly, down to the inner tolerance.
FIRST_INNER_TOL = 1e-2

# What lowers the objective with smooth forms of the loss.
SOFT = Smooth(max_iter=100, tol=1e-4)


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
        Solver of each convex problem. Its last duality gap is in the certificate; tolerances are relative to the
        objective.
    temperatures : sequence of float
        Temperatures of the soft maxima (or of another loss's smooth form) that are minimised before the first round.
        What they find is kept where it is better. An empty sequence leaves them out: rounds from the start itself, as
        in the paper, which take longer and end higher.
    """

    max_rounds: int = 20
    tol: float = 1e-3
    inner: CuttingPlane = field(default_factory=CuttingPlane)
    temperatures: Sequence[float] = (0.1, 0.03, 0.01, 0.003)

    def __post_init__(self) -> None:
        require_positive(max_rounds=self.max_rounds, tol=self.tol)
        for temperature in self.temperatures:
            require_positive(temperatures=temperature)

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
        path = _Path(start, objective.evaluate(start)[0], watch)
        for temperature in self.temperatures:
            loss = soften(objective.loss, temperature)
            if loss is not None:
                softly = SOFT.solve(replace(objective, loss=loss), path.W, weight_set, rng, lambda *step: None)
                path.step_to(softly.W, objective.evaluate(softly.W)[0])
        return self._solve_rounds(objective, path, weight_set)

    def _solve_rounds(self, objective: LatentSVM, path: "_Path", weight_set: WeightSet) -> Solution:
        # The planes of the convex part stay valid in every round, because only the tangent changes.
        bundle = Bundle(make_oracle(objective), objective.lam)
        converged, gap, tol = False, float("inf"), max(self.inner.tol, FIRST_INNER_TOL)
        for _ in range(self.max_rounds):
            true, tangent = objective.concave_part(path.W)
            # With this constant the convex problem touches the objective from above, and their tolerances agree.
            constant = inner(tangent, path.W) - true
            inner_solver = replace(self.inner, tol=tol)
            convex = inner_solver.minimise(bundle, path.W, tangent, weight_set, constant)
            gap = convex.gap
            improvement = path.step_to(convex.W, objective.evaluate(convex.W)[0])
            if improvement <= self.tol and tol <= self.inner.tol:
                converged = True
                break
            # Each convex problem is solved about ten times more exactly than the last improvement.
            tol = max(self.inner.tol, min(tol, 0.1 * improvement))
        return Solution(path.W, path.value, path.history, converged, {"duality_gap": gap})


class _Path:
    """The best weights so far, and the objective after every step, of which `watch` is told."""

    def __init__(self, W: Array, value: float, watch: Watcher) -> None:
        self.W, self.value, self.watch = W, value, watch
        self.history = [value]
        watch(0, W, value)

    def step_to(self, W: Array, value: float) -> float:
        """Move to W if it is better, and return the relative improvement."""
        improvement = (self.value - value) / max(1.0, abs(self.value))
        if improvement > 0:
            self.W, self.value = W, value
        self.history.append(self.value)
        self.watch(len(self.history) - 1, self.W, self.value)
        return improvement
