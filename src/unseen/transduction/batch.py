"""Hold the batch that a refinement predicts, and the seen rows that it may learn from."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data import ClassTable
from unseen.utils.arrays import Array, convert_like, cut_row_blocks, is_foreign, namespace, take_rows, to_float64

# Scores of a batch are kept in memory up to this size, and recomputed on each use beyond it.
KEPT_SCORES_BYTES = 2**28


@dataclass(frozen=True, eq=False)
class Seen:
    """Rows of seen classes, prepared for the refinement.

    Attributes
    ----------
    Z : array of shape (n, d)
    y : ndarray of int of shape (n,)
        The class of each row, as a row of `vectors`.
    vectors : ndarray of shape (n_seen, d_s)
        Descriptions of the seen classes.
    weights : ndarray of shape (n,) or None
        Weight of each row; None means 1 for all.
    """

    Z: Array
    y: NDArray[np.int64]
    vectors: NDArray[np.floating]
    weights: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Batch:
    """All rows that are predicted together, with the scores of a fitted model.

    Attributes
    ----------
    model : fitted estimator
    X : array of shape (n, d)
        Features as given to the model.
    Z : array of shape (n, d')
        Features as prepared for the refinement; scores are of the same library, device and precision.
    table : ClassTable
        The m candidates.
    """

    model: Any
    X: Any
    Z: Array
    table: ClassTable

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.Z.shape[0])

    @cached_property
    def blocks(self) -> list[slice]:
        """Blocks of rows, small enough that their scores need little memory."""
        return cut_row_blocks(self.n, 8 * (len(self.table) + self.Z.shape[1]), self.Z)

    def scores(self, rows: Any = slice(None)) -> Array:
        """Return standardised scores of some rows: each row has mean 0, and all rows together have variance 1.

        This makes the same weights fit any model, whatever the units of its scores. Rows are a slice, or their numbers
        as a NumPy array.
        """
        scores = self._centre_scores(rows) if self._kept is None else take_rows(self._kept, rows)
        return scores / self._spread

    def probabilities(self, rows: Any = slice(None), sharpness: float = 2.0) -> Array:
        """Return the softmax of the standardised scores, multiplied by a sharpness."""
        return softmax(sharpness * self.scores(rows))

    @cached_property
    def _kept(self) -> Array | None:
        xp = namespace(self.Z)
        if self.n * len(self.table) * xp.finfo(self.Z.dtype).bits // 8 > KEPT_SCORES_BYTES:
            return None
        return xp.concat([self._centre_scores(rows) for rows in self.blocks])

    @cached_property
    def _spread(self) -> float:
        squares = 0.0
        for rows in self.blocks:
            block = to_float64(self._centre_scores(rows) if self._kept is None else self._kept[rows, :])
            squares += float(namespace(block).sum(block * block))
        return float(np.sqrt(squares / (self.n * len(self.table)))) or 1.0

    def _centre_scores(self, rows: Any) -> Array:
        asked = take_rows(self.X, rows) if is_foreign(self.X) else self.X[rows]
        scores = convert_like(self.model.decision_function(asked, classes=self.table), self.Z)
        return scores - namespace(scores).mean(scores, axis=1, keepdims=True)


def softmax(logits: Array) -> Array:
    """Return the softmax of every row; overwrite `logits`.

    >>> softmax(np.array([[0.0, 0.0]]))
    array([[0.5, 0.5]])
    """
    xp = namespace(logits)
    logits -= xp.max(logits, axis=1, keepdims=True)
    shares = xp.exp(logits)
    shares /= xp.sum(shares, axis=1, keepdims=True)
    return shares
