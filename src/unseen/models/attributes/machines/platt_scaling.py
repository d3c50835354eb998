"""Platt scaling (Platt 1999; Lin, Lin & Weng 2007) of many machines at once: probabilities from decision values."""

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

# Newton's method takes about ten steps; halving a step twenty times makes it as good as none.
NEWTON_STEPS = 100
HALVINGS = 20


def fit_platt_scaling(decisions: Matrix, has: NDArray[np.bool_]) -> tuple[Matrix, Matrix]:
    """Fit p(k | f) = 1 / (1 + exp(-(a_k f + b_k))) for each column of decision values.

    As in the paper, the targets are (n_yes + 1) / (n_yes + 2) and 1 / (n_no + 2) instead of 1 and 0, so that a and b
    stay finite if the values separate yes from no.

    Parameters
    ----------
    decisions : ndarray of shape (n, k)
    has : ndarray of shape (n, k), bool

    Returns
    -------
    a, b : ndarrays of shape (k,)

    Examples
    --------
    >>> a, b = fit_platt_scaling(np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([[False], [False], [True], [True]]))
    >>> a.round(3), abs(b).round(3)
    (array([0.674]), array([0.]))
    """
    yes = has.sum(axis=0)
    targets = np.where(has, (yes + 1) / (yes + 2), 1 / (len(has) - yes + 2))
    # In units in which decision values are about 1; all of them may be 0.
    unit = np.sqrt(np.mean(decisions**2, axis=0))
    unit[unit == 0] = 1
    f = decisions / unit
    parameters = np.stack([np.zeros(has.shape[1]), np.log((yes + 1) / (len(has) - yes + 1))])
    loss = _compute_loss(parameters, f, targets)
    for _ in range(NEWTON_STEPS):
        step = _find_newton_step(parameters, f, targets)
        before = loss
        parameters, loss = _halve_until_lower(parameters, step, loss, f, targets)
        if np.all(before - loss <= 1e-12 * before):
            break
    return parameters[0] / unit, parameters[1]


def _compute_loss(parameters: Matrix, f: Matrix, targets: Matrix) -> Matrix:
    z = parameters[0] * f + parameters[1]
    return np.asarray(np.sum(np.logaddexp(0, z) - targets * z, axis=0))


def _find_newton_step(parameters: Matrix, f: Matrix, targets: Matrix) -> Matrix:
    p = 1 / (1 + np.exp(-np.clip(parameters[0] * f + parameters[1], -700, 700)))
    wrong, bend = targets - p, p * (1 - p)
    to_a, to_b = np.sum(wrong * f, axis=0), np.sum(wrong, axis=0)
    # A little more than 0, so that equal decision values, which leave a open, do not divide by 0.
    aa, ab, bb = np.sum(bend * f * f, axis=0) + 1e-9, np.sum(bend * f, axis=0), np.sum(bend, axis=0) + 1e-9
    determinant = aa * bb - ab**2
    return np.asarray(np.stack([bb * to_a - ab * to_b, aa * to_b - ab * to_a]) / determinant)


def _halve_until_lower(
    parameters: Matrix, step: Matrix, loss: Matrix, f: Matrix, targets: Matrix
) -> tuple[Matrix, Matrix]:
    """Take the steps, each halved until it does not raise its loss; return parameters and losses."""
    for _ in range(HALVINGS):
        tried = _compute_loss(parameters + step, f, targets)
        higher = tried > loss
        if not higher.any():
            return parameters + step, tried
        step = np.where(higher, step / 2, step)
    stay = tried > loss
    return np.where(stay, parameters, parameters + step), np.where(stay, loss, tried)
