"""Spread out frequencies near 0 and 1."""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from unseen.features.row_functions import refuse_outside, take_logits
from unseen.utils.arrays import widen
from unseen.utils.registry import make_unknown_error
from unseen.utils.validation import check_positive

PER_CENT = 100.0


class Logit(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Take the logit of frequencies, log((s + e) / (1 + e - s)), which sets rare apart from never, and most from all.

    It is meant for descriptions that say how often a class shows each attribute. Fit it on the vectors of the seen
    classes only, as `unseen.models.Prepared` does.

    Parameters
    ----------
    offset : float > 0, default 0.02
        e, which keeps the logits of 0 and 1 finite: at 0.02 they are -3.9 and 3.9.
    whole : "auto" (default) or float > 0
        The value that means "always": 1 for shares, 100 for per cent. "auto" takes 1 if no value given to `fit` is
        above 1, else 100.

    Attributes
    ----------
    whole_ : float
        The value that means "always".

    Notes
    -----
    `fit` refuses values outside 0..whole, which are not frequencies. In `transform`, values that stray no further than
    e (2 per cent) are taken as 0 or "always", as those of an unseen class may by rounding. Values beyond that are
    refused too: they are in other units than the seen classes, or mark something missing.

    Examples
    --------
    >>> Logit().fit_transform([[0.0, 0.5], [0.02, 1.0]]).round(2)
    array([[-3.93,  0.  ],
           [-3.22,  3.93]])
    >>> Logit().fit_transform([[0.0, 50.0], [2.0, 100.0]]).round(2)
    array([[-3.93,  0.  ],
           [-3.22,  3.93]])
    """

    def __init__(self, offset: float = 0.02, *, whole: Literal["auto"] | float = "auto") -> None:
        self.offset = offset
        self.whole = whole

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the value that means "always" in X (n, d), and check that X holds frequencies."""
        check_positive(self.offset, "offset")
        X = validate_data(self, widen(X), dtype=(np.float64, np.float32))
        whole = self._find_whole(float(X.max()))
        refuse_outside(X, whole)
        self.whole_ = whole
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Take the logits of X (n, d)."""
        check_is_fitted(self)
        X = validate_data(self, widen(X), reset=False, dtype=(np.float64, np.float32))
        return take_logits(X, self.offset, self.whole_)

    def _find_whole(self, largest: float) -> float:
        if self.whole == "auto":
            return 1.0 if largest <= 1 else PER_CENT
        if isinstance(self.whole, str):
            raise make_unknown_error(self.whole, ("auto",), "whole", "the number that means always, such as 100")
        return check_positive(self.whole, "whole")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
