"""Learn a matrix W such that codes of one class match and codes of two classes do not: a binary hinge on all pairs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from unseen.utils.arrays import Array, namespace

# In the precision of the features.
Matrix = NDArray[Any]

# L-BFGS ends when a step lowers the objective by less than this share, or after so many steps.
TOLERANCE = 1e-7
MAX_STEPS = 200


def measure_hinge(margins: Array) -> tuple[Array, Array]:
    """Return max(0, 1 - m), smoothed between m = 0 and 1, and its derivative, for each margin m (Rennie, 2005).

    It is (1 - m)^2 / 2 between 0 and 1, and 1/2 - m below: at most 1/2 under the hinge, with its slope at both ends.

    >>> measure_hinge(np.array([0.5, -1.0]))
    (array([0.125, 1.5  ]), array([-0.5, -1. ]))
    """
    xp = namespace(margins)
    missing = 1 - margins
    slope = xp.clip(missing, 0, 1)
    return slope * (missing - slope / 2), -slope


def mark_pairs(y: NDArray[np.int64], n_classes: int, model: Matrix) -> Matrix:
    """Return +1 where a row is of a class and -1 elsewhere, shape (n, C), in the precision of `model`."""
    return np.where(y[:, None] == np.arange(n_classes), 1.0, -1.0).astype(model.dtype)


def learn_matching(Z_s: Matrix, Z_t: Matrix, signs: Matrix, lam: float, start: Matrix | None = None) -> Matrix:
    """Return argmin over W of lam/2 |W|^2 + the mean hinge of s_ij z_i^s W z_j^t over all pairs of class and row.

    No pair is ever formed: all scores are Z_t W^T Z_s^T, and the gradient is a product with the matrix of derivatives.

    Parameters
    ----------
    Z_s : ndarray of shape (C, h_s)
        Codes of the classes.
    Z_t : ndarray of shape (n, h_t)
        Codes of the rows.
    signs : ndarray of shape (n, C)
        +1 where row and class belong together, else -1.
    lam : float
    start : ndarray of shape (h_s, h_t), optional
        Where to start; by default at 0.
    """
    f, R = _find_axes(Z_s)
    e, U = _find_axes(Z_t)
    # In these coordinates the curvature is at most 1 in every direction, so that few steps are needed.
    unit = 1 / np.sqrt(f[:, None] * e[None, :] + lam)
    S, T = Z_s @ R, Z_t @ U

    def evaluate(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        W = (flat.reshape(unit.shape) * unit).astype(T.dtype)
        values, slopes = measure_hinge(signs * (T @ (S @ W).T))
        gradient = S.T @ ((signs * slopes).T @ T) / signs.size + lam * W
        return float(np.mean(values) + lam / 2 * np.sum(W * W)), (gradient * unit).astype(np.float64).ravel()

    first = np.zeros(unit.shape) if start is None else R.T @ start @ U / unit
    found = minimize(
        evaluate,
        first.astype(np.float64).ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"ftol": TOLERANCE, "maxiter": MAX_STEPS},
    )
    return np.asarray(R @ (found.x.reshape(unit.shape) * unit) @ U.T, dtype=T.dtype)


def _find_axes(Z: Matrix) -> tuple[Matrix, Matrix]:
    """Return the eigenvalues of Z^T Z / n, without negative ones by rounding, and its eigenvectors."""
    values, vectors = np.linalg.eigh(Z.T @ Z / len(Z))
    return np.maximum(values, 0), vectors
