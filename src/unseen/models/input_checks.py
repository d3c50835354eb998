"""Check the features, labels and weights given to an estimator."""

import warnings
from typing import Any

import numpy as np
from array_api_compat import is_dask_array
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import column_or_1d, validate_data

from unseen.features.reading.checked_rows import check_foreign_rows
from unseen.utils.arrays import Array, as_backend, as_chunk, cut_row_blocks, is_foreign, namespace, to_numpy, widen
from unseen.utils.errors import InputError, shorten
from unseen.utils.validation import check_row_weights, refuse_masked

# Scores that differ by less than this share of them differ by rounding only.
SAME_SCORE = 1e-14


def check_features(estimator: BaseEstimator, X: Array, y: Any = None, *, finite: bool = True) -> Any:
    """Check X (and y, when fitting) and return them as floats; set or compare `n_features_in_`.

    Arrays of libraries other than NumPy stay on their device; all others go through scikit-learn's checks. With
    `finite=False` NaN and infinite values are accepted.
    """
    if issparse(X):
        name = type(estimator).__name__
        raise InputError(
            f"X is a sparse {type(X).__name__}, and {name} needs dense features: make it dense with X.toarray(), or "
            f"reduce it with Prepared({name}(), features=TruncatedSVD(300))"
        )
    _refuse_kinds(X)
    fitting = y is not None
    if is_dask_array(X):
        X = _check_chunks(X)
    if is_foreign(X):
        X = check_foreign_rows(estimator, X, fitting=fitting, finite=finite)
        return (X, check_labels(y, X.shape[0])) if fitting else X
    X = widen(X)
    precision = [np.float64, np.float32]
    if fitting:
        return validate_data(estimator, X, y, dtype=precision, ensure_min_samples=2)
    return validate_data(estimator, X, reset=False, dtype=precision, ensure_all_finite=finite)


def _refuse_kinds(X: Any) -> None:
    """Refuse what scikit-learn would take for numbers in silence: values under a mask, and points in time."""
    refuse_masked(X, "X")
    kinds = [getattr(X, "dtype", None), *getattr(X, "dtypes", ())]
    if any(getattr(kind, "kind", "") in ("m", "M") for kind in kinds):
        raise InputError(
            "X holds dates or durations (datetime64 or timedelta64), which have no scale as features: convert them to "
            "numbers in a unit of your choice, e.g. days since a date"
        )


def refuse_alike(vectors: Array) -> None:
    """Refuse descriptions (m, d_s) of the seen classes that are all the same."""
    if bool(namespace(vectors).all(vectors == vectors[:1, :])):
        raise InputError(
            f"classes describes all {vectors.shape[0]} seen classes alike, so that none can be told from another: give "
            "each its own description"
        )


def refuse_huge(X: Array) -> None:
    """Refuse features whose products leave the range of their precision, for those that are not to be scaled."""
    model = as_chunk(X)
    # A third of the exponents is left for the products of two, and as much for sums of these.
    limit = float(namespace(model).finfo(model.dtype).max) ** (1 / 3)
    for rows in cut_row_blocks(X.shape[0], 8 * X.shape[1]):
        largest = float(namespace(X).max(abs(X[rows, :])))
        if largest > limit:
            raise InputError(
                f"X holds {largest:.0e}, and scaling=None takes it as it is: divide X so that values stay below "
                f"{limit:.0e}, or use scaling='auto'"
            )


def warn_of_nothing(name: str, form: Any) -> None:
    """Warn where a model that was just fitted gives all seen classes the same scores.

    Parameters
    ----------
    name : str
        The model.
    form : (E, b) or callable
        How it scores features against the seen classes (see `ZeroShotClassifier._scores_against`).
    """
    if callable(form):
        return
    E, b = (to_numpy(part) for part in form)
    spread = np.abs(E - E[:, :1]).max(initial=0.0) + np.ptp(b)
    # Weights that single precision takes for 0 tell classes apart as little as those that are lost beside the offsets.
    if spread <= max(SAME_SCORE * np.abs(b).max(initial=0.0), np.finfo(np.float32).tiny):
        warnings.warn(
            f"{name} learned nothing: W = 0 up to rounding, so every class scores the same: lower lam, or choose an "
            "omega with smaller entries",
            UserWarning,
            stacklevel=5,
        )


def check_weights(sample_weight: Any, y: NDArray[np.int64], labels: NDArray[Any], model: Array) -> Array:
    """Check sample weights; return them in double precision, in the library and on the device of `model`."""
    weights = check_row_weights(sample_weight, "sample_weight", len(y))
    without = labels[np.bincount(y, weights, minlength=len(labels)) == 0]
    if without.size:
        raise InputError(
            f"sample_weight is zero for every row of the class {shorten(without)}: leave its rows out of X and y"
        )
    return as_backend(weights, model)


def _check_chunks(X: Array) -> Array:
    """Return a Dask array with chunks of whole rows."""
    if any(size != size for size in X.shape):
        raise InputError("X is a Dask array of unknown length: call X.compute_chunk_sizes() first")
    return X.rechunk({1: -1}) if X.ndim == 2 else X


def check_labels(y: Any, n_rows: int) -> Any:
    """Check that there is one label for each row; return them as a NumPy array."""
    y = column_or_1d(to_numpy(y), warn=True)
    if len(y) != n_rows:
        raise InputError(f"y has {len(y)} labels for {n_rows} rows of X: give one label for each row")
    return y
