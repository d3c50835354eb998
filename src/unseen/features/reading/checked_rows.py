"""Check rows of features for an estimator, wherever they are."""

from typing import Any

import numpy as np
from array_api_compat import is_dask_array
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from unseen.utils.arrays import Array, cut_row_blocks, is_foreign, namespace, widen
from unseen.utils.errors import InputError


def check_rows(estimator: BaseEstimator, X: Any, *, fitting: bool, ensure_min_samples: int = 1) -> Array:
    """Check X (n, d) and return it in single or double precision; set or compare `n_features_in_`.

    Arrays of libraries other than NumPy stay on their device; all others go through scikit-learn's checks.
    """
    X = widen(X)
    if is_foreign(X):
        return check_foreign_rows(estimator, X, fitting=fitting)
    return validate_data(
        estimator, X, reset=fitting, dtype=(np.float64, np.float32), ensure_min_samples=ensure_min_samples
    )


def check_foreign_rows(estimator: BaseEstimator, X: Array, *, fitting: bool, finite: bool = True) -> Array:
    """Check rows (n, d) of a library other than NumPy as `check_rows` does; `finite=False` lets NaN pass."""
    xp = namespace(X)
    if X.ndim != 2 or X.shape[0] == 0:
        raise InputError(f"X has shape {tuple(X.shape)}: give a matrix with one row of features for each example")
    if not xp.isdtype(X.dtype, "real floating"):
        raise InputError(f"X has dtype {X.dtype}: convert it to a floating-point type")
    # With Dask this is one reduction; otherwise blocks keep the work array small.
    blocks = [slice(None)] if is_dask_array(X) else cut_row_blocks(X.shape[0], 8 * X.shape[1], X)
    for rows in blocks if finite else ():
        if not bool(xp.all(xp.isfinite(X[rows, :]))):
            raise InputError("X holds NaN or infinite values: remove or impute those rows")
    if fitting:
        estimator.n_features_in_ = int(X.shape[1])
    elif X.shape[1] != getattr(estimator, "n_features_in_", X.shape[1]):  # what needs no fit takes any width
        raise InputError(
            f"X has {X.shape[1]} features, but {type(estimator).__name__} was fitted on {estimator.n_features_in_}: "
            "extract the features in the same way"
        )
    return X
