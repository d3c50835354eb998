"""Linear machines with Platt scaling, one for each of many yes/no questions about the same rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.learning.solvers.squared_hinge import LinearMachines, fit_squared_hinge
from unseen.models.attributes.machines.platt_scaling import fit_platt_scaling

# One row in this many is held out for Platt scaling.
HELD_OUT = 10

# Rows that machines are trained on, and rows for Platt scaling.
Split = tuple[NDArray[np.int64], NDArray[np.int64]]


def fit_machines(features: NDArray[Any], has: NDArray[np.bool_], split: Split, C: float) -> LinearMachines:
    """Fit one linear support vector machine with Platt scaling for each column of `has`.

    Parameters
    ----------
    features : ndarray of shape (n, d)
    has : ndarray of shape (n, k), bool
        The answers.
    split : pair of ndarrays
        Training rows and rows for Platt scaling, as `hold_out_rows` gives them.
    C : float
        Weight of the errors against the regulariser.

    Returns
    -------
    LinearMachines
        p(question k | x) = 1 / (1 + exp(-(x weights[:, k] + offsets[k]))).
    """
    training, held_out = split
    machines = fit_squared_hinge(features[training], np.where(has[training], 1.0, -1.0), C)
    a, b = fit_platt_scaling(features[held_out] @ machines.weights + machines.offsets, has[held_out])
    return LinearMachines(a * machines.weights, a * machines.offsets + b, machines.n_iter)


def hold_out_rows(y: NDArray[Any], random: np.random.RandomState, *, each_class: bool = False) -> Split:
    """Hold out every tenth row, in random order within the classes, but never the first row of a class.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The class of each row, counted from 0.
    random : RandomState
    each_class : bool, default False
        Hold out the last tenth of each class, and at least one row of it. A class with a single row is on both sides.

    Returns
    -------
    training, held_out : ndarrays
        Row numbers; all rows twice if there are fewer than ten.
    """
    order = random.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    if each_class:
        counts = np.bincount(y)
        to_go = np.cumsum(counts)[y[order]] - np.arange(len(y))
        held_out = to_go <= np.maximum(1, counts // HELD_OUT)[y[order]]
        return order[~held_out | (counts[y[order]] == 1)], order[held_out]
    first = np.diff(y[order], prepend=-1) != 0
    held_out = (np.arange(len(y)) % HELD_OUT == HELD_OUT - 1) & ~first
    return (order[~held_out], order[held_out]) if held_out.any() else (order, order)
