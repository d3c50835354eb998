"""Evening out the directions of the features."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from unseen.features.class_means import compute_class_means
from unseen.features.rowwise import widen
from unseen.utils.errors import InputError
from unseen.utils.validation import check_non_negative


class Whitening(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Shorten the directions in which features vary much, so that the others are heard: (x - mean) (C + s I)^(-1/2).

    C is the covariance of the training rows. Full whitening (s = 0) blows up directions that hold only noise; s stops
    that. Directions keep their meaning, as the root is the symmetric one.

    Parameters
    ----------
    shrinkage : float >= 0, default 1.0
        s in units of the mean eigenvalue of C: 0 whitens fully, a large value only scales.
    within_classes : bool, default False
        Whether C is taken about the mean of each class (`fit` then needs y), so that differences between classes are
        not shortened.

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
        """Measure the training rows X (n, d), with labels y (n,) if classes matter."""
        shrinkage = check_non_negative(self.shrinkage, "shrinkage")
        X = validate_data(self, widen(X), dtype=(np.float64, np.float32), ensure_min_samples=2)
        mean = X.mean(axis=0, dtype=np.float64)
        centred = X - (self._find_class_means(X, y) if self.within_classes else mean).astype(X.dtype)
        eigenvalues, vectors = np.linalg.eigh((centred.T @ centred).astype(np.float64) / len(X))
        # Directions in which rounding alone makes the rows vary count as constant, and stay as they are.
        floor = 1e-10 * eigenvalues[-1]
        shrunk = np.maximum(eigenvalues, 0) + shrinkage * eigenvalues.mean()
        roots = 1 / np.sqrt(np.where(shrunk > floor, shrunk, 1.0))
        self.mean_, self.matrix_ = mean, (vectors * roots) @ vectors.T
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Return X (n, d) with its directions evened out."""
        check_is_fitted(self)
        X = validate_data(self, widen(X), reset=False, dtype=(np.float64, np.float32))
        return np.asarray((X - self.mean_.astype(X.dtype)) @ self.matrix_.astype(X.dtype))

    def _find_class_means(self, X: NDArray[Any], y: Any) -> NDArray[np.float64]:
        """Return for each row the mean of its class."""
        if y is None:
            raise InputError("y is None, but within_classes=True takes the mean of each class: give one label per row")
        _, encoded = np.unique(column_or_1d(y), return_inverse=True)
        return compute_class_means(X, encoded, int(encoded.max()) + 1)[encoded]
