"""Check that a model is fitted, and find the names of its features."""

from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from unseen.models.state import KeepsState
from unseen.utils.errors import InputError


def find_feature_names(model: Any) -> tuple[str, ...] | None:
    """Return the column names of the data frame that a model was fitted on, or None if it was not a data frame."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else tuple(map(str, names))


def check_fitted(model: Any) -> None:
    """Raise an error unless this is a fitted model."""
    if not isinstance(model, KeepsState):
        raise InputError(
            f"model is a {type(model).__name__}: give a fitted estimator of unseen.models or unseen.transduction "
            "(Prepared combines a preparation with a model)"
        )
    try:
        check_is_fitted(model, "classes_")
    except NotFittedError as error:
        raise InputError(f"model={model!r} is not a fitted model: call fit(X, y, classes=...) first") from error
