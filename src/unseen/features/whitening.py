"""Whiten features, fully or in part."""

from typing import Any, ClassVar, Self

import numpy as np
from array_api_compat import device
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from unseen.features.reading.checked_rows import check_rows
from unseen.features.reading.class_means import compute_class_means
from unseen.features.row_functions import whiten
from unseen.utils.arrays import Array, convert_like, namespace, to_float64, to_numpy
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

    any_library: ClassVar[bool] = True

    def __init__(self, shrinkage: float = 1.0, *, within_classes: bool = False) -> None:
        self.shrinkage = shrinkage
        self.within_classes = within_classes

    def fit(self, X: Any, y: Any = None) -> Self:
        """Measure the covariance of the training rows X (n, d), with labels y (n,) if `within_classes`."""
        shrinkage = check_non_negative(self.shrinkage, "shrinkage")
        within_classes = check_flag(self.within_classes, "within_classes")
        X = check_rows(self, X, fitting=True, ensure_min_samples=2)
        xp = namespace(X)
        mean = xp.sum(X, axis=0, dtype=xp.float64) / X.shape[0]
        centred = X - convert_like(self._find_class_means(X, y) if within_classes else mean[None, :], X)
        eigenvalues, vectors = xp.linalg.eigh(to_float64(centred.T @ centred) / X.shape[0])
        # Directions in which the rows vary only by rounding count as constant and are not scaled.
        floor = 1e-10 * eigenvalues[-1]
        zeros, ones = xp.zeros_like(eigenvalues), xp.ones_like(eigenvalues)
        shrunk = xp.where(eigenvalues > 0, eigenvalues, zeros) + shrinkage * xp.mean(eigenvalues)
        roots = 1 / xp.sqrt(xp.where(shrunk > floor, shrunk, ones))
        self.mean_, self.matrix_ = to_numpy(mean), to_numpy((vectors * roots[None, :]) @ vectors.T)
        return self

    def transform(self, X: Any) -> Array:
        """Whiten the rows X (n, d), in the library of X."""
        check_is_fitted(self)
        return whiten(check_rows(self, X, fitting=False), self.mean_, self.matrix_)

    def _find_class_means(self, X: Array, y: Any) -> Array:
        """Return the class mean of each row."""
        if y is None:
            raise InputError("y is None, but within_classes=True takes the mean of each class: give one label per row")
        _, encoded = np.unique(column_or_1d(to_numpy(y)), return_inverse=True)
        places = namespace(X).asarray(encoded, device=device(X))
        return namespace(X).take(compute_class_means(X, encoded, int(encoded.max()) + 1), places, axis=0)
