"""Train the classifiers of phantom classes on rows of the seen classes: the three losses of SynC."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, TypeAlias

import numpy as np

from unseen.features import Rows
from unseen.learning import MatrixMargin, Smooth, SoftMaximum, Solution, ZeroOneMargin
from unseen.learning.objective import Slacks
from unseen.models.exemplars.phantom_classes import PhantomClasses, measure_median_distance
from unseen.similarity.sets.weights import AllMatrices
from unseen.utils.arrays import Array, add_to_columns, as_float, inner, namespace, pick, square_distances, to_float64

PhantomLoss: TypeAlias = Literal["ovo", "cs", "struct"]
LOSS_NAMES: tuple[PhantomLoss, ...] = ("ovo", "cs", "struct")

# Takes scores (n, C), true classes (n,) and weights (n,) or None; returns the summed loss and its derivative (n, C).
BlockLoss: TypeAlias = Callable[[Array, Array, Array | None], tuple[Array | float, Array]]

# Of the soft maximum that makes the hinges of "cs" and "struct" smooth; the margin between two classes is about 1.
TEMPERATURE = 0.1


@dataclass(frozen=True, eq=False)
class SeenRows:
    """What there is to train on.

    Attributes
    ----------
    phi : Rows
        Features of the rows, (n, d).
    y : array of shape (n,)
        The class of each row.
    psi : array of shape (C, d_s)
        Descriptions of the seen classes.
    weights : array of shape (n,), optional
    """

    phi: Rows
    y: Array
    psi: Array
    weights: Array | None = None

    @cached_property
    def total_weight(self) -> float:
        """Number of rows, or the sum of their weights."""
        return float(self.phi.shape[0]) if self.weights is None else as_float(namespace(self.y).sum(self.weights))

    def make_loss(self, name: PhantomLoss) -> tuple[BlockLoss, float]:
        """Return the loss of a block of rows, and the number that its sum over all rows is divided by."""
        n_classes = int(self.psi.shape[0])
        if name == "ovo":
            return compute_one_versus_other, self.total_weight * n_classes
        margin = ZeroOneMargin() if name == "cs" else MatrixMargin(measure_margins(self.psi))
        return Slacks(SoftMaximum(TEMPERATURE), margin, n_classes).total, self.total_weight


def measure_margins(psi: Array) -> Array:
    """Return Delta (C, C) of the loss "struct": distances between descriptions, in units of their median."""
    return namespace(psi).sqrt(square_distances(psi, psi)) / measure_median_distance(psi)


def compute_one_versus_other(scores: Array, y: Array, weights: Array | None = None) -> tuple[float, Array]:
    """Return sum_nc max(0, 1 - t_nc scores_nc)^2, with t = 1 at the true class and -1 elsewhere, and its derivative."""
    xp = namespace(scores)
    true = 1 - pick(scores, y)
    true = xp.where(true > 0, true, xp.zeros_like(true))
    excess = scores + 1
    excess = xp.where(excess > 0, excess, xp.zeros_like(excess))
    excess = add_to_columns(excess, y, -pick(excess, y) - true)
    weighted = excess if weights is None else excess * xp.astype(weights, excess.dtype, copy=False)[:, None]
    return inner(to_float64(excess), to_float64(weighted)), 2 * weighted


@dataclass(frozen=True, eq=False)
class PhantomObjective:
    """The mean loss of the scores W phi plus lam/2 ||W||^2, where W = S V, or V itself without S.

    Parameters
    ----------
    rows : SeenRows
    loss : "ovo", "cs" or "struct"
    lam : float
    S : array of shape (C, R), optional
        Weights of the phantom classes in each seen class.
    """

    rows: SeenRows
    loss: PhantomLoss
    lam: float
    S: Array | None = None

    def evaluate(self, V: Array) -> tuple[float, Array]:
        """Return the objective and its gradient by V (R, d), in one pass over the rows."""
        rows, W = self.rows, V if self.S is None else self.S @ V
        loss, divisor = rows.make_loss(self.loss)
        more = () if rows.weights is None else (rows.weights,)
        value, sums = rows.phi.add_up(partial(_evaluate_block, loss, W), rows.y, 3 * W.shape[0], *more)
        gradient = sums / divisor + self.lam * W
        return as_float(value) / divisor + 0.5 * self.lam * inner(
            W, W
        ), gradient if self.S is None else self.S.T @ gradient

    def minimise(self, solver: Smooth, start: Array | None = None) -> Solution:
        """Descend from a start (R, d), or from zeros."""
        if start is None:
            xp, psi = namespace(self.rows.psi), self.rows.psi
            start = xp.zeros((psi.shape[0], self.rows.phi.shape[1]), dtype=psi.dtype, device=psi.device)
        return solver.solve(self, start, AllMatrices(), np.random.default_rng(0), lambda step, W, value: None)


def _evaluate_block(
    loss: BlockLoss, W: Array, phi: Array, y: Array, weights: Array | None = None
) -> tuple[Array | float, Array]:
    xp = namespace(phi)
    value, G = loss(phi @ xp.astype(W, phi.dtype, copy=False).T, y, weights)
    return value, to_float64(G.T @ phi)


class PhantomTrainer:
    """Train at many values of lam and kappa on the same rows, each time from the last solution.

    There is one phantom class at each seen class.

    Parameters
    ----------
    rows : SeenRows
    """

    def __init__(self, rows: SeenRows) -> None:
        self.rows = rows
        self._of_classes: dict[tuple[PhantomLoss, float, Smooth], Solution] = {}
        self._last: dict[tuple[PhantomLoss, float | None], Array] = {}

    def train(
        self, phantoms: PhantomClasses, loss: PhantomLoss, lam: float, solver: Smooth, *, fast: bool
    ) -> tuple[Array, Solution]:
        """Return the classifiers V (R, d) of the phantom classes, and the solution that they are from.

        If `fast`, those of the seen classes are trained, once for all phantom classes, and V = pinv(S) W.
        """
        S = phantoms.weigh(phantoms.places)
        if not fast:
            solution = self._go_on(PhantomObjective(self.rows, loss, lam, S), solver, phantoms.kappa)
            return solution.W, solution
        key = loss, lam, solver
        if key not in self._of_classes:
            self._of_classes[key] = self._go_on(PhantomObjective(self.rows, loss, lam), solver, None)
        solution = self._of_classes[key]
        return invert(S) @ solution.W, solution

    def _go_on(self, objective: PhantomObjective, solver: Smooth, kappa: float | None) -> Solution:
        key = objective.loss, kappa
        solution = objective.minimise(solver, self._last.get(key))
        self._last[key] = solution.W
        return solution


def invert(S: Array) -> Array:
    """Return the pseudoinverse, with singular values below rounding taken as 0."""
    xp = namespace(S)
    return xp.linalg.pinv(S, rtol=max(S.shape) * float(xp.finfo(S.dtype).eps))
