"""Transform each row by itself, also in half precision."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import Normalizer
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from unseen.features.row_functions import take_square_roots
from unseen.utils.arrays import widen
from unseen.utils.validation import check_flag


class UnitNorm(Normalizer):
    """Scale each row to length 1: scikit-learn's `Normalizer`, made safe for half precision.

    Parameters
    ----------
    norm : "l2" (default), "l1" or "max"
        The norm that becomes 1.
    copy : bool, default True
        Whether to copy the rows instead of scaling them in place.

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
    """Take the square root of the absolute value and keep the sign, which dampens the large counts of a histogram.

    Parameters
    ----------
    normalise : bool, default True
        Whether to scale the absolute values of each row to sum 1 first; distances are then Hellinger distances. For
        descriptions that are frequencies, each of them a share of its own, set it to False.

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
        check_flag(self.normalise, "normalise")
        validate_data(self, widen(X), dtype=(np.float64, np.float32))
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Take the square roots of X (n, d)."""
        X = validate_data(self, widen(X), reset=False, dtype=(np.float64, np.float32))
        return take_square_roots(X, check_flag(self.normalise, "normalise"))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags
