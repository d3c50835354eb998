"""Find principal components where the rows are, as scikit-learn's PCA and TruncatedSVD find them with NumPy."""

from typing import Any

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD

from unseen.utils.arrays import Array, convert_like, cut_row_blocks, namespace, to_float64, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.validation import make_random_stream


def fit_pca(step: PCA, X: Array) -> None:
    """Fit a PCA to rows (n, d) of any library; its fitted attributes are NumPy arrays, as always."""
    n, d = X.shape
    xp, wanted = namespace(X), min(n, d) if step.n_components is None else step.n_components
    _refuse_solver(step, wanted, min(n, d))
    mean = xp.sum(X, axis=0, dtype=xp.float64) / n
    if _is_randomised(step, wanted, n, d):
        centred = X - convert_like(mean, X)[None, :]
        sizes, axes = _find_leading(centred, wanted, step.n_oversamples, step.iterated_power, step.random_state)
        total = float(xp.sum(centred * centred, dtype=xp.float64)) / (n - 1)
        variances = sizes**2 / (n - 1)
    else:
        values, vectors = (to_numpy(part)[..., ::-1] for part in xp.linalg.eigh(_multiply_centred(X, mean) / (n - 1)))
        variances, axes = np.maximum(values, 0), vectors.T
        total = float(variances.sum())
        if wanted < 1:  # a share of the variance
            wanted = int(np.searchsorted(np.cumsum(variances) / total, wanted, side="right")) + 1
        variances, axes = variances[:wanted], axes[:wanted]
    step.mean_, step.components_ = (_round_like(part, X) for part in (to_numpy(mean), _fix_signs(axes)))
    step.explained_variance_ = _round_like(variances, X)
    step.explained_variance_ratio_ = step.explained_variance_ / total
    step.singular_values_ = np.sqrt(step.explained_variance_ * (n - 1))
    step.n_components_, step.n_samples_, step.n_features_in_ = int(wanted), n, d
    left = min(n, d) - wanted
    step.noise_variance_ = float(max(total - variances.sum(), 0.0) / left) if left else 0.0


def fit_truncated_svd(step: TruncatedSVD, X: Array) -> None:
    """Fit a TruncatedSVD to rows (n, d) of any library; its fitted attributes are NumPy arrays, as always."""
    d = X.shape[1]
    if step.algorithm != "randomized":
        raise InputError(
            f"features={step!r} decomposes with NumPy only: set algorithm='randomized' for rows that are on a device "
            "or of another library"
        )
    xp = namespace(X)
    sizes, axes = _find_leading(X, step.n_components, step.n_oversamples, step.n_iter, step.random_state)
    step.components_ = _round_like(_fix_signs(axes), X)
    step.singular_values_, step.n_features_in_ = _round_like(sizes, X), d
    of_parts = to_numpy(xp.var(X @ convert_like(step.components_, X).T, axis=0))
    step.explained_variance_ = of_parts
    step.explained_variance_ratio_ = of_parts / float(xp.sum(xp.var(X, axis=0)))


def project(step: PCA | TruncatedSVD, X: Array) -> Array:
    """Return the principal components (n, k) of rows (n, d), in their library."""
    parts = X @ convert_like(step.components_, X).T
    if isinstance(step, TruncatedSVD):
        return parts
    parts = parts - convert_like(step.mean_ @ step.components_.T, X)[None, :]
    return parts / convert_like(np.sqrt(step.explained_variance_), X)[None, :] if step.whiten else parts


def _is_randomised(step: PCA, wanted: Any, n: int, d: int) -> bool:
    """Choose as scikit-learn's "auto" does: exactly for a share of the variance, few columns or few rows."""
    if step.svd_solver != "auto":
        return bool(step.svd_solver == "randomized")
    tall = d <= 1_000 and n >= 10 * d
    return bool(not tall and max(n, d) > 500 and 1 <= wanted < 0.8 * min(n, d))


def _refuse_solver(step: PCA, wanted: Any, most: int) -> None:
    if step.svd_solver == "arpack" or isinstance(wanted, str):
        raise InputError(
            f"features={step!r} decomposes with NumPy only: give a number of components and svd_solver='auto' for "
            "rows that are on a device or of another library"
        )
    if not 0 < wanted <= most:
        raise InputError(f"n_components={wanted!r} must be between 1 and min(n_samples, n_features)={most}: lower it")


def _multiply_centred(X: Array, mean: Array) -> Array:
    """Return (X - mean)^T (X - mean) in double precision, block by block."""
    centre, total = convert_like(mean, X)[None, :], 0.0
    for rows in cut_row_blocks(X.shape[0], 8 * X.shape[1], X):
        block = X[rows, :] - centre
        total = total + to_float64(block.T @ block)
    return total


def _find_leading(X: Array, k: int, more: int, n_iter: int | str, random_state: Any) -> tuple[Any, Any]:
    """Return the k largest singular values of X (n, d) and their right vectors (k, d) by subspace iterations.

    These are the random start and the iterations of scikit-learn's `randomized_svd` (Halko et al., 2011), so that the
    directions are the same up to rounding.
    """
    xp = namespace(X)
    if not 1 <= k <= min(X.shape):
        raise InputError(
            f"n_components={k!r} must be between 1 and min(n_samples, n_features)={min(X.shape)}: lower it"
        )
    steps = n_iter if isinstance(n_iter, int) else (7 if k < 0.1 * min(X.shape) else 4)
    M = X if X.shape[0] >= X.shape[1] else X.T
    start = make_random_stream(random_state).normal(size=(M.shape[1], k + more))
    Q = convert_like(start, X)
    for _ in range(steps):
        Q = xp.linalg.qr(M @ Q)[0]
        Q = xp.linalg.qr(M.T @ Q)[0]
    Q = xp.linalg.qr(M @ Q)[0]
    B = to_float64(Q.T @ M)
    # The eigenvectors of the small square take a device a fraction of the time of the singular vectors of B.
    squares, U = xp.linalg.eigh(B @ B.T)
    sizes, U = (to_numpy(part)[..., ::-1] for part in (squares, U))
    sizes, U = np.sqrt(np.maximum(sizes[:k], 0)), U[:, :k]
    if M is X:
        return sizes, (U.T @ to_numpy(B)) / np.where(sizes > 0, sizes, 1.0)[:, None]
    return sizes, (to_numpy(to_float64(Q)) @ U).T


def _fix_signs(axes: Any) -> Any:
    """Let the largest entry of each row be positive, as scikit-learn does."""
    largest = axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)]
    return axes * np.where(largest < 0, -1.0, 1.0)[:, None]


def _round_like(values: Any, X: Array) -> Any:
    return np.asarray(values, dtype=str(X.dtype).rpartition(".")[2])
