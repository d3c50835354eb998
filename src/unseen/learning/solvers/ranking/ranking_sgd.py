"""Learn a score by stochastic gradient descent with early stopping on held-out classes, for SJE, ALE and their kin.

None of these papers has a regulariser. The number of epochs keeps W from overfitting the seen classes, so it is chosen
on seen classes that are held out.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from unseen.features.reading.rows import Rows
from unseen.learning.solvers.base import require_positive
from unseen.learning.solvers.ranking.ranked_scores import Bilinear, RankedScore
from unseen.learning.solvers.ranking.rivals import Rivals
from unseen.learning.span import find_span
from unseen.utils.arrays import Array, convert_like, cut_row_blocks, namespace, pick, to_float64, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.validation import check_whole_number, is_real

# Number of epochs without a new best accuracy on the held-out classes after which the search ends.
PATIENCE = 5


@dataclass(frozen=True, eq=False)
class Learned:
    """The result of learning.

    Attributes
    ----------
    W : array of shape (d_t, d_s) or (K, d_t, d_s), double precision
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

    So it is for a bilinear score with one rival; a rule may choose several, and a score may have several W.

    Parameters
    ----------
    rivals : Rivals
        Rule that chooses the rivals of each row.
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
    score : RankedScore
        The score that W gives, by default bilinear.
    """

    rivals: Rivals
    step: float
    max_epochs: int
    validation_share: float
    batch_size: int
    score: RankedScore = field(default_factory=Bilinear)

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
        # Every step stays in the span of the descriptions, where the products are smaller.
        span = find_span(psi)
        # These products are so small that threads slow them down, especially on busy cores.
        with threadpool_limits(1, user_api="blas"):
            if len(held_out):
                shown, other = (_Task(phi, y, psi @ span, part, self.score) for part in (kept, held_out))
                accuracy = self._validate(shown, other, self._start(phi, span, rng), rng)
                n_epochs = _find_last_best(accuracy)
            task = _Task(phi, y, psi @ span, np.arange(n_classes), self.score)
            weights = self._start(phi, span, rng)
            for done in range(n_epochs):
                weights = self._make_epoch(task, weights, done, rng)
        return Learned(weights.leave(span), n_epochs, accuracy)

    def _start(self, phi: Rows, span: Array, rng: np.random.Generator) -> "_Weights":
        whole = convert_like(self.score.start(phi.shape[1], span.shape[0], rng), phi[:1])
        return _Weights.enter(whole, span)

    def _count_held_out(self, n_classes: int) -> int:
        n_held_out = max(2, round(self.validation_share * n_classes)) if self.validation_share else 0
        return n_held_out if n_classes - n_held_out >= 2 else 0

    def _validate(
        self, shown: "_Task", held_out: "_Task", weights: "_Weights", rng: np.random.Generator
    ) -> list[float]:
        """Return the accuracy on the held-out classes after every epoch on the others, until it stops rising."""
        accuracy = list[float]()
        while len(accuracy) < self.max_epochs and len(accuracy) - _find_last_best(accuracy) < PATIENCE:
            weights = self._make_epoch(shown, weights, len(accuracy), rng)
            accuracy.append(held_out.measure_accuracy(weights.W))
        return accuracy

    def _make_epoch(self, task: "_Task", weights: "_Weights", done: int, rng: np.random.Generator) -> "_Weights":
        """Pass once over the rows in random order, changing W in place; return what is kept of the weights."""
        W = weights.W
        psi, n_batches = convert_like(task.psi, W), math.ceil(len(task.rows) / self.batch_size)
        for rows in np.array_split(rng.permutation(task.rows), n_batches):
            phi, y = task.read(rows)
            scores, winners = self.score.reduce(phi @ W @ psi.T)
            G = self.rivals.weights(scores, y, rng)
            self.score.descend(W, self.step, phi, G, psi, winners)
        kept = self.score.find_kept(done + 1, lambda: task.find_winners(W))
        return weights if kept is None else weights.keep(kept)


def _find_last_best(accuracy: list[float]) -> int:
    """Return the last number of epochs with the highest accuracy, or 0 without epochs.

    >>> _find_last_best([0.5, 0.75, 0.75, 0.25])
    3
    """
    return max(range(len(accuracy)), key=lambda at: (accuracy[at], at)) + 1 if accuracy else 0


@dataclass(frozen=True, eq=False)
class _Weights:
    """Weights in the span of the descriptions, and the part of the random start outside it, which no step changes."""

    W: Array
    rest: Array

    @classmethod
    def enter(cls, whole: Array, span: Array) -> "_Weights":
        span = convert_like(span, whole)
        W = whole @ span
        return cls(W, whole - W @ span.T)

    def keep(self, parts: NDArray[np.int64]) -> "_Weights":
        xp = namespace(self.W)
        at = xp.asarray(parts, device=self.W.device)
        return _Weights(xp.take(self.W, at, axis=0), xp.take(self.rest, at, axis=0))

    def leave(self, span: Array) -> Array:
        return to_float64(self.W) @ to_float64(span).T + to_float64(self.rest)


class _Task:
    """The rows of some classes, with only these classes as candidates."""

    def __init__(self, phi: Rows, y: Array, psi: Array, classes: NDArray[np.int64], score: RankedScore) -> None:
        xp = namespace(psi)
        self.phi, self.psi = phi, xp.take(psi, xp.asarray(classes, device=psi.device), axis=0)
        self.score = score
        # Positions in the smaller psi; -1 marks the other classes.
        position = np.full(psi.shape[0], -1)
        position[classes] = np.arange(len(classes))
        self.y = position[to_numpy(y)]
        self.rows = np.flatnonzero(self.y >= 0)

    def read(self, rows: NDArray[np.int64]) -> tuple[Array, Array]:
        xp, device = namespace(self.psi), self.psi.device
        return self.phi.take(xp.asarray(rows, device=device)), xp.asarray(self.y[rows], device=device)

    def measure_accuracy(self, W: Array) -> float:
        """Return the mean per-class accuracy with the classes of the task as candidates."""
        hit = self._scan(W, lambda scores, _, y: namespace(scores).argmax(scores, axis=1) == y)
        y = self.y[self.rows]
        return float(np.mean(np.bincount(y, weights=hit) / np.bincount(y)))

    def find_winners(self, W: Array) -> NDArray[np.int64]:
        """Return the part of W that wins for each row at its true class."""
        return self._scan(W, lambda _, winners, y: pick(winners, y))

    def _scan(self, W: Array, look: Callable[[Array, Array, Array], Array]) -> NDArray[np.int64]:
        """Collect what `look` returns about the scores, winners and classes of each block of rows."""
        E = W @ convert_like(self.psi, W).T
        seen = []
        for block in cut_row_blocks(len(self.rows), 8 * (self.phi.shape[1] + math.prod(E.shape) // E.shape[-2])):
            phi, y = self.read(self.rows[block])
            seen.append(to_numpy(look(*self.score.reduce(phi @ E), y)))
        return np.concatenate(seen)
