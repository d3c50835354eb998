"""Stack folds of classes, so that a device works on all of them at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unseen.utils.arrays import Array, as_backend, namespace


@dataclass(frozen=True, eq=False)
class ClassFold:
    """Seen and held-out classes by number, rows of the latter by number, which of them each row has, and its weight."""

    seen: NDArray[np.int64]
    held: NDArray[np.int64]
    tested: NDArray[np.int64]
    true: NDArray[np.int64]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, held: NDArray[np.int64], y: NDArray[np.int64], weights: NDArray[np.float64], n_classes: int) -> Self:
        """Hold out classes of rows with classes y (n,) and weights (n,)."""
        tested = np.flatnonzero(np.isin(y, held))
        seen = np.setdiff1d(np.arange(n_classes), held)
        return cls(seen, held, tested, np.searchsorted(held, y[tested]), weights[tested])


@dataclass(frozen=True, eq=False)
class StackedFolds:
    """Folds that are tried together, filled up to the same size; what they are filled with counts for nothing.

    Attributes
    ----------
    seen, held, tested, true : integer arrays of shapes (F, S), (F, H), (F, T) and (F, T)
        As in `ClassFold`.
    is_seen, is_held : arrays of shapes (F, S) and (F, H)
        1 for classes, and 0 for what fills the folds up.
    weights : array of shape (F, T)
        Weights of the rows, which add up to 1 in each fold.
    """

    seen: Array
    held: Array
    tested: Array
    true: Array
    is_seen: Array
    is_held: Array
    weights: Array

    @classmethod
    def of(cls, folds: Sequence[ClassFold], model: Array) -> Self:
        """Stack folds in the library and on the device of an array."""
        names = ("seen", "held", "tested", "true")
        numbers = [_fill([getattr(fold, name) for fold in folds]) for name in names]
        masks = [_fill([np.ones(len(getattr(fold, name))) for fold in folds]) for name in names[:2]]
        weights = _fill([fold.weights / fold.weights.sum() for fold in folds])
        as_places = partial(namespace(model).asarray, device=model.device)
        return cls(*map(as_places, numbers), *(as_backend(part, model) for part in (*masks, weights)))


def _fill(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Stack vectors of different lengths, with zeros behind the shorter ones."""
    width = max(map(len, parts))
    return np.stack([np.pad(part, (0, width - len(part))) for part in parts])


def take_stack(values: Array, places: Array) -> Array:
    """Return the values (C, ...) at places (F, S), shape (F, S, ...)."""
    xp = namespace(values)
    return xp.reshape(xp.take(values, xp.reshape(places, (-1,)), axis=0), (*places.shape, *values.shape[1:]))


def take_columns(matrix: Array, places: Array) -> Array:
    """Return the columns of a matrix (C, C) at places (F, S), shape (F, C, S)."""
    return namespace(matrix).matrix_transpose(take_stack(matrix.T, places))


def take_each(stack: Array, places: Array) -> Array:
    """Return the rows of each matrix of a stack (F, C, S) at places (F, H), shape (F, H, S)."""
    xp, (n, height, width) = namespace(stack), stack.shape
    first = xp.arange(n, dtype=places.dtype, device=places.device)[:, None] * height
    return take_stack(xp.reshape(stack, (n * height, width)), places + first)
