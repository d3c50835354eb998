"""Fit and apply preparations of features where the rows are: scikit-learn's own steps know only NumPy.

Steps of this package take arrays of any library, which they say by `any_library = True`. For those of scikit-learn that
`STEPS` knows, this module does the same work. All other steps refuse rows that are not NumPy's: copying them from a
device and back for each step would be slow, and nobody would notice.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import is_dask_array
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from unseen.features.components import fit_pca, fit_truncated_svd, project
from unseen.features.reading.checked_rows import check_foreign_rows
from unseen.features.row_functions import scale_to_norm
from unseen.features.scaling import measure_moments
from unseen.utils.arrays import Array, as_backend, convert_like, is_foreign, to_numpy, widen
from unseen.utils.errors import InputError


def is_elsewhere(X: Any) -> bool:
    """Tell whether rows are of another library than NumPy, perhaps on a device, so that this module prepares them."""
    return is_foreign(X) and not is_dask_array(X)


def list_steps(transformer: Any) -> list[Any]:
    """List the steps of a preparation, in order; a pipeline has several."""
    if not isinstance(transformer, Pipeline):
        return [transformer]
    return [step for _, step in transformer.steps if step not in (None, "passthrough")]


def transform_rows(transformer: Any, X: Any) -> Any:
    """Apply a fitted preparation to rows of any library; they stay in it."""
    X = widen(X)
    if not is_elsewhere(X):
        return transformer.transform(X)
    for step in list_steps(transformer):
        X = _apply(step, X)
    return X


def fit_rows(transformer: Any, X: Any, y: Any) -> Any:
    """Fit a preparation to rows of any library, and return it."""
    X = widen(X)
    if not is_elsewhere(X):
        return transformer.fit(X, y)
    *before, last = list_steps(transformer)
    for step in before:
        _fit(step, X, y, None)
        X = _apply(step, X)
    _fit(last, X, y, None)
    return transformer


def fit_transform_elsewhere(transformer: Any, X: Array, y: Any, sample_weight: Any = None) -> Array:
    """Fit a preparation to rows that `is_elsewhere`, and apply it to them.

    Parameters
    ----------
    transformer : transformer or Pipeline
        It is fitted in place; what it learns are NumPy arrays, so that it applies to rows of any library.
    X : array of shape (n, d)
    y : array-like of shape (n,) or None
    sample_weight : array-like of shape (n,), optional
        Weight of each row, for the steps that take weights.
    """
    X = widen(X)
    for step in list_steps(transformer):
        _fit(step, X, y, sample_weight)
        X = _apply(step, X)
    return X


@dataclass(frozen=True)
class _Work:
    """How a step of scikit-learn is fitted to rows of any library, with weights, and applied to them."""

    fit: Callable[[Any, Array, Any], None]
    apply: Callable[[Any, Array], Array]


def _fit(step: Any, X: Array, y: Any, sample_weight: Any) -> None:
    if getattr(step, "any_library", False):
        step.fit(X, y)
        return
    work = _find_work(step, X)
    check_foreign_rows(step, X, fitting=True)
    work.fit(step, X, sample_weight)


def _apply(step: Any, X: Array) -> Array:
    if getattr(step, "any_library", False):
        return step.transform(X)
    return _find_work(step, X).apply(step, check_foreign_rows(step, X, fitting=False))


def _find_work(step: Any, X: Array) -> _Work:
    work = _WORK.get(type(step))
    if work is None:
        library = type(X).__module__.partition(".")[0]
        raise InputError(
            f"features has the step {type(step).__name__}, which takes NumPy arrays only, and X is of {library}: give "
            "X as a NumPy array, without a device, or choose other steps (any of "
            f"{', '.join(sorted(kind.__name__ for kind in _WORK))}, SquareRoot, UnitNorm and Whitening)"
        )
    return work


def _fit_scaler(step: StandardScaler, X: Array, sample_weight: Any) -> None:
    weights = None if sample_weight is None else as_backend(np.asarray(sample_weight), X)
    mean, spread = (to_numpy(part) for part in measure_moments(X, weights))
    step.n_samples_seen_ = X.shape[0] if weights is None else float(to_numpy(weights).sum())
    step.mean_ = mean if step.with_mean or step.with_std else None
    step.var_ = spread**2 if step.with_std else None
    # A column that varies only by rounding is left as it is, as in scikit-learn.
    constant = spread <= 10 * np.finfo(np.float64).eps * np.maximum(np.abs(mean), 1e-300)
    step.scale_ = np.where(constant, 1.0, spread) if step.with_std else None


def _scale(step: StandardScaler, X: Array) -> Array:
    if step.with_mean:
        X = X - convert_like(step.mean_, X)[None, :]
    return X / convert_like(step.scale_, X)[None, :] if step.with_std else X


_WORK: dict[type, _Work] = {
    PCA: _Work(lambda step, X, weights: fit_pca(step, X), project),
    TruncatedSVD: _Work(lambda step, X, weights: fit_truncated_svd(step, X), project),
    StandardScaler: _Work(_fit_scaler, _scale),
    Normalizer: _Work(lambda step, X, weights: None, lambda step, X: scale_to_norm(X, step.norm)),
}
