"""The linear support vector machine of SSE: its constraints on classes and on images, and their solution."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.learning.solvers.planes.cutting_plane import Bundle, CuttingPlane, touching
from unseen.similarity.sets.weights import AllMatrices

Matrix = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class ClassConstraints:
    """Class alignment: the mean score of a class's rows for the class must exceed that for any other by a margin.

    The features of the S^2 constraints, of d numbers each, are not formed: they follow from `means` and `codes`.

    Attributes
    ----------
    means : ndarray of shape (S, S, d)
        K[y, s], the mean of phi_s(x) over the rows of class y.
    codes : ndarray of shape (S, S)
        z_y in row y.
    margins : ndarray of shape (S, S)
        Delta(y, s).
    weight : float
        lambda_2.
    """

    means: Matrix
    codes: Matrix
    margins: Matrix
    weight: float

    def measure(self, w: Matrix) -> tuple[float, Matrix]:
        """Return the weighted sum of the slacks at w, and its derivative by the mean of <w, phi_s> in each class."""
        scores = (self.means @ w) @ self.codes.T
        slacks = self.margins - (scores.diagonal()[:, None] - scores)
        np.fill_diagonal(slacks, 0.0)
        violated = (slacks > 0).astype(self.codes.dtype)
        slopes = violated @ self.codes - violated.sum(axis=1)[:, None] * self.codes
        return self.weight * float(np.sum(slacks * violated)), self.weight * slopes


@dataclass(frozen=True, eq=False)
class ImageConstraints:
    """Instance constraints: a row must score its own class higher than a rival by a margin.

    Attributes
    ----------
    features : ndarray of shape (n, d)
        sum_s (z_y - z_c)_s phi_s(x) for each row x of class y and its rival c.
    margins : ndarray of shape (n,)
        Delta(y, c).
    weight : float
        lambda_3.
    """

    features: Matrix
    margins: Matrix
    weight: float

    def measure(self, w: Matrix) -> tuple[float, Matrix]:
        """Return the weighted sum of the slacks at w, and its derivative by the score difference of each row."""
        slacks = self.margins - self.features @ w
        violated = slacks > 0
        return self.weight * float(slacks[violated].sum()), -self.weight * violated.astype(slacks.dtype)


@dataclass(frozen=True, eq=False)
class AlignmentSVM:
    """min over w of 1/2 |w|^2 + lambda_2 sum of class slacks + lambda_3 sum of row slacks; None leaves a kind out."""

    classes: ClassConstraints | None
    images: ImageConstraints | None

    def measure_slacks(self, w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the weighted sum of all slacks at w, and its gradient."""
        total, gradient = 0.0, np.zeros_like(w)
        if self.classes is not None:
            value, slopes = self.classes.measure(w.astype(self.classes.means.dtype))
            total += value
            gradient += slopes.ravel() @ self.classes.means.reshape(-1, len(w))
        if self.images is not None:
            value, slopes = self.images.measure(w.astype(self.images.features.dtype))
            total += value
            gradient += slopes @ self.images.features
        return total, gradient

    def solve(self, start: NDArray[np.float64], tol: float, max_rounds: int) -> NDArray[np.float64]:
        """Return w, the better of the start and what cutting planes find, to a duality gap of `tol` (relative)."""
        # The solver is written for matrices; w is one column.
        bundle = Bundle(touching(lambda column: _as_column(*self.measure_slacks(column[:, 0]))), lam=1.0)
        column = start[:, None]
        solution = CuttingPlane(tol, max_rounds).minimise(bundle, column, np.zeros_like(column), AllMatrices())
        return np.asarray(solution.W[:, 0])


def _as_column(value: float, gradient: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    return value, gradient[:, None]
