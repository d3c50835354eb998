"""Train many linear support vector machines on the same rows at once, by Newton's method.

Each machine minimises |w|^2 / 2 + b^2 / 2 + C sum_i max(0, 1 - s_i (w . x_i + b))^2, which is what liblinear minimises
for scikit-learn's `LinearSVC`. All machines share the rows, so that every step is a product with the matrix of rows:
280 machines on 7,057 rows of CUB take 6 seconds on one core, where liblinear takes a minute.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

# A machine is done when its gradient has shrunk to this share of what it was at zero.
TOLERANCE = 1e-3

# Limits that no problem we know comes near.
NEWTON_STEPS = 100
GRADIENT_STEPS = 100
LINE_STEPS = 20


class LinearMachines(NamedTuple):
    """Decision values are x weights + offsets, one column for each machine."""

    weights: Matrix
    offsets: Matrix
    n_iter: int


def fit_squared_hinge(X: NDArray[Any], signs: NDArray[Any], C: float, *, tol: float = TOLERANCE) -> LinearMachines:
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

    Returns
    -------
    LinearMachines
        Weights (d, k), offsets (k,) and the number of Newton steps.

    Examples
    --------
    >>> machines = fit_squared_hinge(np.array([[-1.0], [1.0]]), np.array([[-1], [1]]), C=1.0)
    >>> machines.weights.round(3), machines.offsets.round(3)
    (array([[0.8]]), array([0.]))
    """
    rows = _RotatedRows.of(np.column_stack([X, np.ones(len(X))]).astype(np.float64))
    signs = np.asarray(signs, dtype=np.float64)
    V, F = np.zeros((rows.Z.shape[1], signs.shape[1])), np.zeros(signs.shape)
    goal, n_iter = tol * np.linalg.norm(rows.Z.T @ signs, axis=0) * 2 * C, 0
    left = np.arange(signs.shape[1])
    while n_iter < NEWTON_STEPS:
        v, f, s = V[:, left], F[:, left], signs[:, left]
        slack = np.maximum(0, 1 - s * f)
        gradient = v - 2 * C * (rows.Z.T @ (s * slack))
        open_ = np.linalg.norm(gradient, axis=0) > goal[left]
        if not open_.any():
            break
        left, v, f, s = left[open_], v[:, open_], f[:, open_], s[:, open_]
        step, change = _find_newton_step(rows, slack[:, open_] > 0, gradient[:, open_], C)
        t = _search_line(_Line(np.sum(v * step, axis=0), np.sum(step * step, axis=0), s * f, s * change), C)
        V[:, left] += t * step
        F[:, left] += t * change
        n_iter += 1
    W = rows.back @ V
    return LinearMachines(W[:-1], W[-1], n_iter)


@dataclass(frozen=True, eq=False)
class _RotatedRows:
    """Rows Z in coordinates in which Z^T Z is diagonal, and the way back for weights."""

    Z: Matrix
    spectrum: Matrix
    back: Matrix

    @classmethod
    def of(cls, X: Matrix) -> Self:
        n, d = X.shape
        if d <= n:
            spectrum, U = np.linalg.eigh(X.T @ X)
            return cls(X @ U, np.maximum(spectrum, 0), U)
        # Weights are combinations of the rows, of which there are fewer.
        spectrum, U = np.linalg.eigh(X @ X.T)
        kept = spectrum > spectrum[-1] * n * np.finfo(np.float64).eps
        lengths = np.sqrt(spectrum[kept])
        return cls(U[:, kept] * lengths, spectrum[kept], X.T @ (U[:, kept] / lengths))


def _find_newton_step(
    rows: _RotatedRows, active: NDArray[np.bool_], gradient: Matrix, C: float
) -> tuple[Matrix, Matrix]:
    """Solve (I + 2 C Z^T A Z) step = -gradient by conjugate gradients; return the steps and Z times them.

    A tenth of the gradient may remain, as is usual far from the minimum. Near it this still converges fast: once the
    active rows stay, a step with the exact Hessian takes off nine tenths.
    """
    weights = active.astype(np.float64)
    # The Hessian if the active rows were spread over all directions like the others.
    about = 1 + 2 * C * np.outer(rows.spectrum, weights.mean(axis=0))
    step, change = np.zeros_like(gradient), np.zeros_like(weights)
    rest = -gradient
    conditioned = rest / about
    way, size = conditioned, np.sum(rest * conditioned, axis=0)
    goal = 0.1 * np.linalg.norm(gradient, axis=0)
    for _ in range(GRADIENT_STEPS):
        moved = rows.Z @ way
        bent = way + 2 * C * (rows.Z.T @ (weights * moved))
        length = size / _above_zero(np.sum(way * bent, axis=0))
        step, change, rest = step + length * way, change + length * moved, rest - length * bent
        if np.all(np.linalg.norm(rest, axis=0) <= goal):
            break
        conditioned = rest / about
        before, size = size, np.sum(rest * conditioned, axis=0)
        way = conditioned + (size / _above_zero(before)) * way
    return step, change


class _Line(NamedTuple):
    """The objective along a line: |v + t d|^2 / 2 + C sum max(0, 1 - margins - t changes)^2."""

    slope: Matrix  # v . d
    curvature: Matrix  # d . d
    margins: Matrix
    changes: Matrix


def _search_line(line: _Line, C: float) -> Matrix:
    """Return the lowest point t of each line, by Newton's method on a convex, piecewise quadratic function."""
    t = np.ones(len(line.slope))
    for _ in range(LINE_STEPS):
        slack = np.maximum(0, 1 - line.margins - t * line.changes)
        slope = line.slope + t * line.curvature - 2 * C * np.sum(slack * line.changes, axis=0)
        bend = line.curvature + 2 * C * np.sum((slack > 0) * line.changes**2, axis=0)
        t = t - slope / _above_zero(bend)
        if np.all(np.abs(slope) <= 1e-3 * bend * np.abs(t)):
            break
    return t


def _above_zero(values: Matrix) -> Matrix:
    """Return the values, and the smallest number instead of 0, where a machine that is done would divide 0 by 0."""
    return np.maximum(values, np.finfo(np.float64).tiny)
