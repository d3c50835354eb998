"""Compare rows with one template per seen class, number by number: the target embedding of SSE.

phi_s(x) has as many numbers as x, so all of them, for every row and template, are never held at once. What learning
needs of them is added up over blocks of rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from unseen.utils.arrays import BLOCK_BYTES, Array, namespace

Embedding = Literal["intersection", "relu"]
Matrix = NDArray[np.floating[Any]]

# The derivative of phi_s(x) by the template where x exceeds it; elsewhere it is 0.
SLOPES: dict[Embedding, float] = {"intersection": 1.0, "relu": -1.0}


def embed(x: Array, v: Array, embedding: Embedding) -> Array:
    """Return min(x, v) for "intersection" or max(0, x - v) for "relu", number by number.

    >>> embed(np.array([1.0, 5.0]), np.array([2.0, 3.0]), "intersection")
    array([1., 3.])
    >>> embed(np.array([1.0, 5.0]), np.array([2.0, 3.0]), "relu")
    array([0., 2.])
    """
    xp = namespace(x, v)
    if embedding == "intersection":
        return xp.minimum(x, v)
    excess = x - v
    return xp.maximum(excess, xp.zeros_like(excess[:1, ...]))


def split_signs(X: Array) -> Array:
    """Return the positive and the negative parts of all columns side by side.

    >>> split_signs(np.array([[1.0, -2.0]]))
    array([[1., 0., 0., 2.]])
    """
    xp = namespace(X)
    nothing = xp.zeros_like(X[:1, :])
    return xp.concat([xp.maximum(X, nothing), xp.maximum(-X, nothing)], axis=1)


@dataclass(frozen=True, eq=False)
class SortedRows:
    """Training rows in the order of their classes.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        The class of each row, in ascending order.
    counts : ndarray of shape (n_classes,)
    """

    X: Matrix
    y: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, X: Matrix, y: NDArray[np.int64], n_classes: int) -> Self:
        """Sort rows by class; rows of a class stay in the order in which they are given."""
        order = np.argsort(y, kind="stable")
        return cls(X[order], y[order], np.bincount(y, minlength=n_classes))

    def average_embedded(self, templates: Matrix, embedding: Embedding) -> Matrix:
        """Return K (n_classes, n_templates, d), where K[y, s] is the mean of phi_s(x) over the rows of class y."""
        K = np.zeros((len(self.counts), *templates.shape), dtype=self.X.dtype)
        for label, rows in self._blocks(len(templates)):
            K[label] += embed(self.X[rows, None, :], templates[None], embedding).sum(axis=0)
        K /= self.counts[:, None, None].astype(K.dtype)
        return K

    def mix_embedded(self, templates: Matrix, embedding: Embedding, weights: Matrix) -> Matrix:
        """Return sum_s weights[i, s] phi_s(x_i) for every row i, shape (n, d)."""
        mixed = np.empty_like(self.X)
        for _, rows in self._blocks(len(templates)):
            embedded = embed(self.X[rows, None, :], templates[None], embedding)
            mixed[rows] = (weights[rows, None, :] @ embedded)[:, 0, :]
        return mixed

    def add_up_exceeding(self, templates: Matrix, weights: Matrix) -> Matrix:
        """Return sum_i weights[i, s] [x_i > v_s] for every template s and column, shape (n_templates, d)."""
        total = np.zeros_like(templates)
        for _, rows in self._blocks(len(templates)):
            total += ((self.X[rows, None, :] > templates[None]) * weights[rows, :, None]).sum(axis=0)
        return total

    def _blocks(self, n_templates: int) -> Iterator[tuple[int, slice]]:
        """Cut the rows of each class into blocks whose features for all templates stay near `BLOCK_BYTES`."""
        size = max(1, BLOCK_BYTES // (n_templates * self.X.shape[1] * self.X.itemsize))
        stop = 0
        for label, count in enumerate(self.counts.tolist()):
            start, stop = stop, stop + count
            for at in range(start, stop, size):
                yield label, slice(at, min(at + size, stop))
