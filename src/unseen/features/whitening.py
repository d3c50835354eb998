"""Whiten features, fully or in part."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from unseen.features.class_means import compute_class_means
from unseen.features.row_functions import whiten
from unseen.utils.arrays import widen
from unseen.utils.errors import InputError
from unseen.utils.validation import check_flag, check_non_negative


class Whitening(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Whiten features with shrinkage: (x - mean) (C + s I)^(-1/2).

    C is the covariance of the training rows. Full whitening (s = 0) amplifies directions that hold only noise, which
    s prevents. The root is the symmetric one, so that features keep their meaning.

    Parameters
    ----------
    shrinkage : float >= 0, default 1.0
        s in units of the mean eigenvalue of C: 0 whitens fully, a large value only rescales.
    within_classes : bool, default False
        Whether C is the within-class covariance (`fit` then needs y), so that differences between classes are not
        reduced.

    Attributes
    ----------
    mean_ : ndarray of shape (d,)
    matrix_ : ndarray of shape (d, d)
        The symmetric root that centred rows are multiplied by.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 2)) * [10, 1]
    >>> np.cov(Whitening(shrinkage=0).fit_transform(X).T, bias=True).round(6) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """

    def __init__(self, shrinkage: float = 1.0, *, within_classes: bool = False) -> None:
        self.shrinkage = shrinkage
        self.within_classes = within_classes

    def fit(self, X: Any, y: Any = None) -> Self:
        """Measure the covariance of the training rows X (n, d), with labels y (n,) if `within_classes`."""
        shrinkage = check_non_negative(self.shrinkage, "shrinkage")
        within_classes = check_flag(self.within_classes, "within_classes")
        X = validate_data(self, widen(X), dtype=(np.float64, np.float32), ensure_min_samples=2)
        mean = X.mean(axis=0, dtype=np.float64)
        centred = X - (self._find_class_means(X, y) if within_classes else mean).astype(X.dtype)
        eigenvalues, vectors = np.linalg.eigh((centred.T @ centred).astype(np.float64) / len(X))
        # Directions in which the rows vary only by rounding count as constant and are not scaled.
        floor = 1e-10 * eigenvalues[-1]
        shrunk = np.maximum(eigenvalues, 0) + shrinkage * eigenvalues.mean()
        roots = 1 / np.sqrt(np.where(shrunk > floor, shrunk, 1.0))
        self.mean_, self.matrix_ = mean, (vectors * roots) @ vectors.T
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Whiten the rows X (n, d)."""
        check_is_fitted(self)
        X = validate_data(self, widen(X), reset=False, dtype=(np.float64, np.float32))
        return whiten(X, self.mean_, self.matrix_)

    def _find_class_means(self, X: NDArray[Any], y: Any) -> NDArray[np.float64]:
        """Return the class mean of each row."""
        if y is None:
            raise InputError("y is None, but within_classes=True takes the mean of each class: give one label per row")
        _, encoded = np.unique(column_or_1d(y), return_inverse=True)
        return compute_class_means(X, encoded, int(encoded.max()) + 1)[encoded]
