"""Learn a bilinear score by stochastic gradient descent with early stopping on held-out classes, for SJE and ALE.

Neither paper has a regulariser. The number of epochs keeps W from overfitting the seen classes, so it is chosen on
seen classes that are held out.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from unseen.features.rows import Rows
from unseen.learning.losses import Maximum
from unseen.learning.margins import ZeroOneMargin
from unseen.learning.solvers.base import require_positive
from unseen.utils.arrays import (
    Array,
    add_to_columns,
    convert_like,
    cut_row_blocks,
    namespace,
    pick,
    to_float64,
    to_numpy,
)
from unseen.utils.errors import InputError
from unseen.utils.validation import check_whole_number, is_real

# Number of epochs without a new best accuracy on the held-out classes after which the search ends.
PATIENCE = 5


class Rivals(Protocol):
    """Choose the rival class of each row in a step, and its weight."""

    def weights(self, scores: Array, y: Array, rng: np.random.Generator) -> Array:
        """Return G (n, m), the derivative of the loss by every score; rows sum to 0. It may overwrite `scores`."""


@dataclass(frozen=True)
class MostViolating:
    """The rival of SJE: the class that violates a margin of 1 most."""

    def weights(self, scores: Array, y: Array, rng: np.random.Generator) -> Array:
        """Return the derivative of the structured maximum; `rng` is not used."""
        _, G = Maximum().value_and_weights(scores, y, ZeroOneMargin(), None)
        return G


@dataclass(frozen=True)
class SampledRank:
    """The rival of ALE and WSABIE: classes are drawn until one violates the margin of 1.

    If that takes k draws, about (C - 1) / k classes rank above the true class. The step is weighted by
    beta_r = 1 + 1/2 + ... + 1/r at this estimate r of the rank. Classes are drawn without replacement.
    """

    def weights(self, scores: Array, y: Array, rng: np.random.Generator) -> Array:
        """Return beta at the first violating class in random order, and minus that at the true class."""
        xp = namespace(scores)
        n, n_classes = scores.shape
        true = y[:, None] == xp.arange(n_classes, device=y.device)[None, :]
        # Classes are drawn in descending order of random numbers; negative ones are never drawn.
        never = xp.full_like(scores, -1.0)
        order = xp.where(true, never, convert_like(rng.random((n, n_classes)), scores))
        violates = scores + 1.0 > pick(scores, y)[:, None]
        among = xp.where(violates, order, never)
        rival = xp.argmax(among, axis=1)
        drawn = xp.max(among, axis=1)
        n_draws = xp.sum(xp.astype(order >= drawn[:, None], xp.int64), axis=1)
        beta = convert_like(np.cumsum(1.0 / np.arange(1, n_classes)), scores)
        weight = xp.take(beta, (n_classes - 1) // xp.clip(n_draws, 1, n_classes - 1) - 1)
        weight = xp.where(drawn >= 0, weight, xp.zeros_like(weight))
        return add_to_columns(add_to_columns(xp.zeros_like(scores), rival, weight), y, -weight)


@dataclass(frozen=True, eq=False)
class Learned:
    """The result of learning.

    Attributes
    ----------
    W : array of shape (d_t, d_s), double precision
        The learned weights.
    n_epochs : int
        Number of epochs on all seen classes.
    validation_accuracy : list of float
        Mean per-class accuracy on the held-out classes after every epoch on the others; empty if none were held out.
    """

    W: Array
    n_epochs: int
    validation_accuracy: list[float]


@dataclass(frozen=True)
class RankingSGD:
    """Stochastic gradient descent: W += step * sum_i phi_i (psi of the true class - psi of its rival)^T.

    Parameters
    ----------
    rivals : Rivals
        Rule that chooses the rival of each row.
    step : float
        Learning rate, which is constant.
    max_epochs : int
        Maximum number of passes over the rows.
    validation_share : float
        Share of the seen classes, at least two, that are held out to find the number of epochs with the best accuracy
        on them. Learning then starts again on all classes. With 0, or if fewer than two classes would remain,
        `max_epochs` passes are made.
    batch_size : int
        Number of rows per update of W; 1 in the papers.
    """

    rivals: Rivals
    step: float
    max_epochs: int
    validation_share: float
    batch_size: int

    def __post_init__(self) -> None:
        require_positive(step=self.step)
        check_whole_number(self.max_epochs, "max_epochs", minimum=1)
        check_whole_number(self.batch_size, "batch_size", minimum=1)
        if not is_real(self.validation_share) or not 0 <= self.validation_share < 1:
            raise InputError(
                f"validation_share={self.validation_share!r} is not a share of the classes: "
                "give a number from 0 (none are held out) to below 1"
            )

    def learn(
        self, phi: Rows, y: Array, psi: Array, rng: np.random.Generator, *, choose_epochs: bool = True
    ) -> Learned:
        """Learn W from features, classes (as rows of `psi`) and descriptions (m, d_s).

        Set `choose_epochs=False` for descriptions that tell nothing about held-out classes.
        """
        n_classes = psi.shape[0]
        held_out, kept = np.split(rng.permutation(n_classes), [self._count_held_out(n_classes) if choose_epochs else 0])
        n_epochs, accuracy = self.max_epochs, list[float]()
        # These products are so small that threads slow them down, especially on busy cores.
        with threadpool_limits(1, user_api="blas"):
            if len(held_out):
                accuracy = self._validate(_Task(phi, y, psi, kept), _Task(phi, y, psi, held_out), rng)
                n_epochs = _find_last_best(accuracy)
            task = _Task(phi, y, psi, np.arange(n_classes))
            W = task.start(rng)
            for _ in range(n_epochs):
                self._make_epoch(task, W, rng)
        return Learned(to_float64(W), n_epochs, accuracy)

    def _count_held_out(self, n_classes: int) -> int:
        n_held_out = max(2, round(self.validation_share * n_classes)) if self.validation_share else 0
        return n_held_out if n_classes - n_held_out >= 2 else 0

    def _validate(self, shown: "_Task", held_out: "_Task", rng: np.random.Generator) -> list[float]:
        """Return the accuracy on the held-out classes after every epoch on the others, until it stops rising."""
        W, accuracy = shown.start(rng), list[float]()
        while len(accuracy) < self.max_epochs and len(accuracy) - _find_last_best(accuracy) < PATIENCE:
            self._make_epoch(shown, W, rng)
            accuracy.append(held_out.measure_accuracy(W))
        return accuracy

    def _make_epoch(self, task: "_Task", W: Array, rng: np.random.Generator) -> None:
        """Pass once over the rows in random order, and change W in place."""
        psi, n_batches = convert_like(task.psi, W), math.ceil(len(task.rows) / self.batch_size)
        for rows in np.array_split(rng.permutation(task.rows), n_batches):
            phi, y = task.read(rows)
            G = self.rivals.weights(phi @ W @ psi.T, y, rng)
            W -= self.step * (phi.T @ (G @ psi))


def _find_last_best(accuracy: list[float]) -> int:
    """Return the last number of epochs with the highest accuracy, or 0 without epochs.

    >>> _find_last_best([0.5, 0.75, 0.75, 0.25])
    3
    """
    return max(range(len(accuracy)), key=lambda at: (accuracy[at], at)) + 1 if accuracy else 0


class _Task:
    """The rows of some classes, with only these classes as candidates."""

    def __init__(self, phi: Rows, y: Array, psi: Array, classes: NDArray[np.int64]) -> None:
        xp = namespace(psi)
        self.phi, self.psi = phi, xp.take(psi, xp.asarray(classes, device=psi.device), axis=0)
        # Positions in the smaller psi; -1 marks the other classes.
        position = np.full(psi.shape[0], -1)
        position[classes] = np.arange(len(classes))
        self.y = position[to_numpy(y)]
        self.rows = np.flatnonzero(self.y >= 0)

    def start(self, rng: np.random.Generator) -> Array:
        """Return random weights that give vectors of length 1 small scores compared with the margin."""
        d_t = self.phi.shape[1]
        return convert_like(rng.standard_normal((d_t, self.psi.shape[1])) / math.sqrt(d_t), self.phi[:1])

    def read(self, rows: NDArray[np.int64]) -> tuple[Array, Array]:
        xp, device = namespace(self.psi), self.psi.device
        return self.phi.take(xp.asarray(rows, device=device)), xp.asarray(self.y[rows], device=device)

    def measure_accuracy(self, W: Array) -> float:
        """Return the mean per-class accuracy with the classes of the task as candidates."""
        E = W @ convert_like(self.psi, W).T
        blocks = cut_row_blocks(len(self.rows), 8 * sum(E.shape))
        hit = np.concatenate([self._find_hits(self.rows[block], E) for block in blocks])
        y = self.y[self.rows]
        return float(np.mean(np.bincount(y, weights=hit) / np.bincount(y)))

    def _find_hits(self, rows: NDArray[np.int64], E: Array) -> NDArray[np.bool_]:
        phi, y = self.read(rows)
        return to_numpy(namespace(E).argmax(phi @ E, axis=1) == y)
