"""Predict attributes and compare them with descriptions in a learned metric: the loss of Bucher et al.

Its gradients are written by hand, so that no library for deep networks is needed.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unseen.utils.arrays import Array, namespace

Matrix = NDArray[Any]


@dataclass(frozen=True, eq=False)
class AttributeMetric:
    """A(x) = max(0, x W_X + b_X), compared with a description y by S^2 = |(A(x) - y) W_A|^2 against tau.

    Attributes
    ----------
    W_X : ndarray of shape (d, p)
    b_X : ndarray of shape (p,)
    W_A : ndarray of shape (p, m)
    tau : ndarray of shape (1,)
    """

    W_X: Matrix
    b_X: Matrix
    W_A: Matrix
    tau: Matrix

    @classmethod
    def start(cls, d: int, descriptions: Matrix, m: int, rng: np.random.Generator) -> Self:
        """Return random weights that leave unit vectors about as long as they are.

        b_X starts at the mean description, so that no attribute is cut off for all rows. The precision is that of the
        descriptions.
        """
        p = descriptions.shape[1]
        W_X, W_A = rng.standard_normal((d, p)) / np.sqrt(d), rng.standard_normal((p, m)) / np.sqrt(m)
        parts = (W_X, descriptions.mean(axis=0), W_A, np.ones(1))
        return cls(*(part.astype(descriptions.dtype) for part in parts))

    @property
    def parts(self) -> list[Matrix]:
        """The arrays that are learned."""
        return [self.W_X, self.b_X, self.W_A, self.tau]

    def copy(self) -> Self:
        """Return a copy that learning does not change."""
        return type(self)(*(part.copy() for part in self.parts))

    def score(self, X: Matrix, descriptions: Matrix) -> Matrix:
        """Return -S^2 of all rows and descriptions, shape (n, C)."""
        return np.asarray(compare(np.maximum(X @ self.W_X + self.b_X, 0) @ self.W_A, descriptions @ self.W_A))

    def evaluate(self, X: Matrix, own: Matrix, other: Matrix, lam: float, mu: float) -> tuple[float, list[Matrix]]:
        """Return the loss and its gradient by `parts`.

        The loss is the mean over rows of max(0, 1 - tau + S^2(x, own)) + max(0, 1 + tau - S^2(x, other))
        + lam |A(x) - own|^2, plus mu times the squares of W_X, b_X and W_A.

        Parameters
        ----------
        X : ndarray of shape (n, d)
        own, other : ndarrays of shape (n, p)
            For each row the description of its class, and that of another class.
        lam, mu : float
        """
        n, tau = len(X), self.tau[0]
        raw = X @ self.W_X + self.b_X
        attributes = np.maximum(raw, 0)
        missed = attributes - own
        squares = sum(float(np.sum(part * part)) for part in (self.W_X, self.b_X, self.W_A))
        value = lam * np.sum(missed * missed) / n + mu * squares
        by_attributes, by_W_A, by_tau = 2 * lam / n * missed, 2 * mu * self.W_A, 0.0
        for sign, apart in ((1.0, missed), (-1.0, attributes - other)):
            mapped = apart @ self.W_A
            lack = 1 - sign * (tau - np.sum(mapped * mapped, axis=1))
            violating = lack > 0
            weighted = (2 * sign / n) * mapped * violating[:, None]
            value += np.sum(lack[violating]) / n
            by_attributes += weighted @ self.W_A.T
            by_W_A += apart.T @ weighted
            by_tau -= sign * np.count_nonzero(violating) / n
        by_raw = by_attributes * (raw > 0)
        by_W_X, by_b_X = X.T @ by_raw + 2 * mu * self.W_X, by_raw.sum(axis=0) + 2 * mu * self.b_X
        return float(value), [by_W_X, by_b_X, by_W_A, np.full_like(self.tau, by_tau)]


def compare(mapped: Array, targets: Array) -> Array:
    """Return minus the squared distance of all rows (n, m) and targets (k, m), of any array library."""
    xp = namespace(mapped)
    own, theirs = (xp.sum(rows * rows, axis=1) for rows in (mapped, targets))
    return 2 * mapped @ targets.T - own[:, None] - theirs[None, :]
