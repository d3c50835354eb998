"""Define the margin Delta(y_i, y) by which the true class must score above each other class."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from unseen.utils.arrays import Array, add_to_columns, convert_like, namespace
from unseen.utils.errors import InputError


class Margin(Protocol):
    """Interface of a margin, which is added to the scores before the most violating class is found."""

    def augment(self, scores: Array, y: Array) -> tuple[Array, float]:
        """Return scores (n, m) with Delta(y_i, .) added, up to a constant, and that constant.

        It may overwrite `scores`.
        """


@dataclass(frozen=True)
class ZeroOneMargin:
    """The 0/1 margin of the paper: 1 against every other class."""

    def augment(self, scores: Array, y: Array) -> tuple[Array, float]:
        """Subtract 1 from the true class, which is faster than adding 1 to all others, with the same differences."""
        return add_to_columns(scores, y, -1.0), 1.0


@dataclass(frozen=True, eq=False)
class MatrixMargin:
    """A margin given for every pair of classes.

    Parameters
    ----------
    matrix : ndarray of shape (m, m)
        The margins: row y_i holds Delta(y_i, .). The diagonal is zero.
    """

    matrix: Any

    def augment(self, scores: Array, y: Array) -> tuple[Array, float]:
        """Add the margins of each true class."""
        return scores + namespace(scores).take(convert_like(self.matrix, scores), y, axis=0), 0.0


MarginChoice = None | Callable[[Any, Any], float] | Any


def make_margin(margin: MarginChoice, labels: Sequence[Any]) -> Margin:
    """Make a `Margin` over these classes from the argument `margin`.

    Parameters
    ----------
    margin : None, callable or array-like of shape (m, m)
        None means the 0/1 margin; a callable is called as margin(true_label, other_label) for every pair.
    labels : sequence of length m
        Labels of the classes.
    """
    if margin is None:
        return ZeroOneMargin()
    if callable(margin):
        rows = [[0.0 if i == j else margin(a, b) for j, b in enumerate(labels)] for i, a in enumerate(labels)]
        return MatrixMargin(_check_margin(np.asarray(rows, dtype=float), len(labels)))
    try:
        matrix = np.asarray(margin, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"margin={margin!r} is not a matrix of numbers: give None, a function of two labels, or an array of shape "
            f"({len(labels)}, {len(labels)})"
        ) from error
    return MatrixMargin(_check_margin(matrix, len(labels)))


def _check_margin(matrix: Any, size: int) -> Any:
    if matrix.shape != (size, size):
        raise InputError(f"margin has shape {matrix.shape} for {size} seen classes: give one of ({size}, {size})")
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        bad = matrix[~(np.isfinite(matrix) & (matrix >= 0))].flat[0]
        raise InputError(f"margin holds {bad!r}: every entry must be finite and at least 0")
    if matrix.diagonal().any():
        raise InputError(f"margin[{int(np.flatnonzero(matrix.diagonal())[0])}] is not 0 on the diagonal: set it to 0")
    return matrix
