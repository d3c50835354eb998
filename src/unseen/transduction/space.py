"""Whiten features by the within-class covariance of the seen classes."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from array_api_compat import device
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from unseen.features.anywhere import is_elsewhere
from unseen.features.components import fit_pca
from unseen.features.reading.class_means import compute_class_means
from unseen.utils.arrays import Array, as_backend, convert_like, cut_row_blocks, namespace, take_rows, to_float64


@dataclass(frozen=True, eq=False)
class WhitenedSpace:
    """A linear map z = (x - mean) A after which classes have unit covariance.

    Attributes
    ----------
    mean : array of shape (d,)
    A : array of shape (d, k)
    """

    mean: Array
    A: Array

    @classmethod
    def fit(
        cls,
        X: Array,
        y: NDArray[np.int64],
        n_classes: int,
        shrinkage: float,
        n_components: int | None,
        weights: NDArray[np.float64] | None = None,
    ) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array of shape (n, d)
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
        xp = namespace(X)
        basis = find_principal_axes(X, n_components)
        means = compute_class_means(X, y, n_classes, weights)
        counts = np.bincount(y, weights)
        covariance = _add_up_residuals(X, y, means, basis, weights) / max(
            float(counts.sum() - np.count_nonzero(counts)), 1.0
        )
        identity = xp.eye(covariance.shape[0], dtype=xp.float64, device=device(X))
        scale = float(xp.linalg.trace(covariance)) / covariance.shape[0]
        if scale <= 0:  # no two rows of any class differ
            scale, covariance = 1.0, identity
        shrunk = (1 - shrinkage) * covariance + max(shrinkage, 1e-6) * scale * identity
        values, vectors = xp.linalg.eigh(shrunk)
        A = to_float64(basis) @ (vectors / xp.sqrt(values)[None, :])
        return cls(convert_like(_average(X, weights), X), convert_like(A, X))

    def apply(self, X: Array) -> Array:
        """Return rows (n, d) in this space (n, k)."""
        A = convert_like(self.A, X)
        z = X @ A
        z -= (convert_like(self.mean, X) @ A)[None, :]
        return z


def find_principal_axes(X: Array, n_components: int | None) -> Array:
    """Return the axes (d, k) of the k principal components of rows (n, d); the identity if there are no more."""
    if n_components is None or n_components >= min(X.shape):
        return namespace(X).eye(X.shape[1], dtype=X.dtype, device=device(X))
    # The seed is fixed, because the space depends on the seen rows alone and not on the run.
    reduction = PCA(n_components, svd_solver="randomized", random_state=0)
    if is_elsewhere(X):
        fit_pca(reduction, X)
    else:
        reduction.fit(X)
    return convert_like(reduction.components_.T, X)


def _add_up_residuals(
    X: Array, y: NDArray[np.int64], means: Array, basis: Array, weights: NDArray[np.float64] | None
) -> Array:
    """Return the weighted sum (k, k) of the products of rows without the mean of their class, along the basis."""
    total = 0.0
    for rows in cut_row_blocks(X.shape[0], 16 * X.shape[1], X):
        residual = (X[rows, :] - take_rows(means, y[rows])) @ to_float64(basis)
        weighted = residual if weights is None else residual * as_backend(weights[rows], X)[:, None]
        total = total + weighted.T @ residual
    return total


def _average(X: Array, weights: NDArray[np.float64] | None) -> Array:
    """Return the weighted mean row (d,) in double precision."""
    xp = namespace(X)
    if weights is None:
        return xp.sum(X, axis=0, dtype=xp.float64) / X.shape[0]
    return as_backend(weights / weights.sum(), X) @ to_float64(X)
