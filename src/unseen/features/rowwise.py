"""Preparing each row by itself, in half precision too."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import Normalizer, normalize
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data


def widen(X: Any) -> Any:
    """Return half precision as single: enough for its digits, and half the memory of double.

    Squares of activations beyond 255 overflow in half precision, and scikit-learn computes in the precision it is
    given: its `Normalizer` silently turns such rows into zeros.

    >>> widen(np.ones(2, dtype=np.float16)).dtype
    dtype('float32')
    """
    return X.astype(np.float32) if getattr(X, "dtype", None) == np.float16 else X


class UnitNorm(Normalizer):
    """Bring each row to length 1: scikit-learn's `Normalizer`, safe for half precision.

    Parameters
    ----------
    norm : "l2" (default), "l1" or "max"
    copy : bool, default True

    Examples
    --------
    >>> UnitNorm().transform(np.array([[300.0, 400.0]], dtype=np.float16))
    array([[0.6, 0.8]], dtype=float32)
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the rows; there is nothing to learn."""
        super().fit(widen(X), y)
        return self

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """Scale each row of X (n, d)."""
        return super().transform(widen(X), copy)


class SquareRoot(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Take the square root of each value's size and keep its sign, which tames the large counts of a histogram.

    Parameters
    ----------
    normalise : bool, default True
        Whether the sizes in each row are brought to sum 1 first; distances are then Hellinger's.

    Examples
    --------
    >>> SquareRoot().transform([[1.0, -3.0]])
    array([[ 0.5      , -0.8660254]])
    >>> SquareRoot(normalise=False).transform([[4.0, -9.0]])
    array([[ 2., -3.]])
    """

    def __init__(self, normalise: bool = True) -> None:
        self.normalise = normalise

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the rows; there is nothing to learn."""
        validate_data(self, widen(X), dtype=(np.float64, np.float32))
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Take the roots of X (n, d)."""
        X = validate_data(self, widen(X), reset=False, dtype=(np.float64, np.float32))
        if self.normalise:
            X = normalize(X, norm="l1")
        return np.asarray(np.copysign(np.sqrt(np.abs(X)), X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags
