"""Train many l1-regularised logistic regressions on the same rows at once, by accelerated proximal gradients.

Each machine minimises |w|_1 + C sum_i log(1 + exp(-s_i (w . x_i + b))), like scikit-learn's `LogisticRegression` with
the solver saga. The method is FISTA (Beck & Teboulle 2009) with a fixed step, and the restarts of O'Donoghue & Candes
(2015) for each machine on its own; all machines share the products with the matrix of rows.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.learning.solvers.squared_hinge import LinearMachines

Matrix = NDArray[np.float64]

# A machine is done when its proximal gradient has shrunk to this share of what it was at zero.
TOLERANCE = 1e-3

# Features of which a few directions are much longer than the rest may end here, close to the minimum.
MAX_ITER = 1000


def fit_l1_logistic(
    X: NDArray[Any], signs: NDArray[Any], C: float, *, tol: float = TOLERANCE, max_iter: int = MAX_ITER
) -> LinearMachines:
    """Train one machine for each column of signs.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    signs : ndarray of shape (n, k)
        +1 or -1 for each row and machine.
    C : float
        Weight of the errors against the regulariser.
    tol : float, default 1e-3
        Share of its first gradient at which a machine stops.
    max_iter : int, default 1000

    Returns
    -------
    LinearMachines
        Weights (d, k), offsets (k,) and the number of steps; p(+1 | x) is the sigmoid of x weights + offsets.

    Examples
    --------
    >>> X, signs = np.array([[-1.0, 0.1], [1.0, 0.0], [2.0, 0.1]]), np.array([[-1], [1], [1]])
    >>> abs(fit_l1_logistic(X, signs, C=3.0).weights).round(1)
    array([[1.8],
           [0. ]])
    """
    X, signs = np.asarray(X, dtype=np.float64), np.asarray(signs, dtype=np.float64)
    longest = _find_longest(X)
    # The constant that the offset is the weight of, as long as the longest direction: one step length suits both.
    constant = np.sqrt(longest / len(X)) or 1.0
    Z = np.column_stack([X, np.full(len(X), constant)])
    step = 4 / (C * _find_longest(Z))
    goal = tol * np.linalg.norm(C * (Z.T @ signs) / 2, axis=0)
    V, n_iter = _descend(Z, signs, C, step, goal, max_iter)
    return LinearMachines(V[:-1], V[-1] * constant, n_iter)


def _descend(Z: Matrix, signs: Matrix, C: float, step: float, goal: Matrix, max_iter: int) -> tuple[Matrix, int]:
    """Take steps until all machines are done; return them and the number of steps."""
    V = np.zeros((Z.shape[1], signs.shape[1]))
    ahead, momentum, left = V.copy(), np.ones(V.shape[1]), np.arange(V.shape[1])
    for n_iter in range(1, max_iter + 1):
        s, start = signs[:, left], V[:, left]
        gradient = -C * (Z.T @ (s / (1 + np.exp(np.clip(s * (Z @ ahead), -700, 700)))))
        found = _shrink(ahead - step * gradient, step)
        moved = ahead - found
        V[:, left] = found
        open_ = np.linalg.norm(moved, axis=0) > step * goal[left]
        if not open_.any():
            return V, n_iter
        # Momentum that points uphill is dropped.
        momentum[np.sum(moved * (found - start), axis=0) > 0] = 1
        longer = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = (found + (momentum - 1) / longer * (found - start))[:, open_]
        momentum, left = longer[open_], left[open_]
    return V, max_iter


def _shrink(V: Matrix, by: float) -> Matrix:
    """Move all weights towards 0, but not the offsets in the last row."""
    shrunk = np.sign(V) * np.maximum(np.abs(V) - by, 0)
    shrunk[-1] = V[-1]
    return shrunk


def _find_longest(X: Matrix) -> float:
    """Return the largest eigenvalue of X^T X."""
    gram = X.T @ X if X.shape[1] <= X.shape[0] else X @ X.T
    return float(max(np.linalg.eigvalsh(gram)[-1], 0))
