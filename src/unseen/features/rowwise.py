"""Transform each row by itself, also in half precision."""

from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import Normalizer
from sklearn.utils import Tags

from unseen.features.reading.checked_rows import check_rows
from unseen.features.row_functions import scale_to_norm, take_square_roots
from unseen.utils.arrays import Array, is_foreign, widen
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
    >>> import numpy as np
    >>> UnitNorm().transform(np.array([[300.0, 400.0]], dtype=np.float16))
    array([[0.6, 0.8]], dtype=float32)
    """

    # Whether rows may be of any library, and on a device (see `unseen.features.anywhere`).
    any_library: ClassVar[bool] = True

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the rows; there is nothing to learn."""
        X = widen(X)
        if is_foreign(X):
            check_rows(self, X, fitting=True)
        else:
            super().fit(X, y)
        return self

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """Scale each row of X (n, d), in the library of X."""
        X = widen(X)
        if is_foreign(X):
            return scale_to_norm(check_rows(self, X, fitting=False), self.norm)
        return super().transform(X, copy)


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

    any_library: ClassVar[bool] = True

    def __init__(self, normalise: bool = True) -> None:
        self.normalise = normalise

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the rows; there is nothing to learn."""
        check_flag(self.normalise, "normalise")
        check_rows(self, X, fitting=True)
        return self

    def transform(self, X: Any) -> Array:
        """Take the square roots of X (n, d), in the library of X."""
        return take_square_roots(check_rows(self, X, fitting=False), check_flag(self.normalise, "normalise"))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags
