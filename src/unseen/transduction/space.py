"""Whiten features by the within-class covariance of the seen classes."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from unseen.features.class_means import compute_class_means
from unseen.utils.arrays import cut_row_blocks


@dataclass(frozen=True, eq=False)
class WhitenedSpace:
    """A linear map z = (x - mean) A after which classes have unit covariance.

    Attributes
    ----------
    mean : ndarray of shape (d,)
    A : ndarray of shape (d, k)
    """

    mean: NDArray[Any]
    A: NDArray[Any]

    @classmethod
    def fit(
        cls,
        X: NDArray[Any],
        y: NDArray[np.int64],
        n_classes: int,
        shrinkage: float,
        n_components: int | None,
        weights: NDArray[np.float64] | None = None,
    ) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : ndarray of shape (n, d)
        y : ndarray of int of shape (n,)
            Classes 0..n_classes - 1, any of which may have no rows.
        n_classes : int
        shrinkage : float in [0, 1]
            Shrinkage of the covariance towards a multiple of the identity; 1 gives spheres.
        n_components : int or None
            Wider features are first reduced to this many principal components, which ignore the weights.
        weights : ndarray of shape (n,), optional
            Weight of each row.
        """
        basis = find_principal_axes(X, n_components)
        means = compute_class_means(X, y, n_classes, weights)
        covariance = np.zeros((basis.shape[1],) * 2)
        for rows in cut_row_blocks(len(X), 16 * X.shape[1]):
            residual = (X[rows] - means[y[rows]]) @ basis
            weighted = residual if weights is None else residual * weights[rows, None]
            covariance += weighted.T @ residual
        counts = np.bincount(y, weights)
        covariance /= max(counts.sum() - np.count_nonzero(counts), 1)
        scale = float(np.trace(covariance)) / len(covariance)
        if scale <= 0:  # no two rows of any class differ
            scale, covariance = 1.0, np.eye(len(covariance))
        shrunk = (1 - shrinkage) * covariance + max(shrinkage, 1e-6) * scale * np.eye(len(covariance))
        values, vectors = np.linalg.eigh(shrunk)
        mean = X.mean(axis=0, dtype=np.float64) if weights is None else np.average(X, axis=0, weights=weights)
        return cls(mean.astype(X.dtype), (basis @ (vectors / np.sqrt(values))).astype(X.dtype))

    def apply(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return rows (n, d) in this space (n, k)."""
        A = self.A.astype(X.dtype, copy=False)
        z: NDArray[Any] = X @ A
        z -= self.mean.astype(X.dtype) @ A
        return z


def find_principal_axes(X: NDArray[Any], n_components: int | None) -> NDArray[Any]:
    """Return the axes (d, k) of the k principal components of rows (n, d); the identity if there are no more."""
    if n_components is None or n_components >= min(X.shape):
        return np.eye(X.shape[1], dtype=X.dtype)
    # The seed is fixed, because the space depends on the seen rows alone and not on the run.
    reduction = PCA(n_components, svd_solver="randomized", random_state=0).fit(X)
    return np.asarray(reduction.components_.T, dtype=X.dtype)
