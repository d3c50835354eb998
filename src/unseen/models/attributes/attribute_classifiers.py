"""Linear machines with Platt scaling, one for each of many yes/no questions about the same rows."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import LinearSVC
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from unseen.utils.workers import Task, limit_jobs

# One row in this many is held out for Platt scaling.
HELD_OUT = 10

# With a tighter tolerance liblinear takes twice as long, and the accuracy stays the same.
TOLERANCE = 1e-2

# Rows that machines are trained on, and rows for Platt scaling.
Split = tuple[NDArray[np.int64], NDArray[np.int64]]


class Machines(NamedTuple):
    """Machines with p(question k | x) = 1 / (1 + exp(-(phi(x) weights[:, k] + offsets[k])))."""

    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]
    n_iter: int


def fit_machines(
    features: NDArray[Any],
    has: NDArray[np.bool_],
    split: Split,
    C: float,
    *,
    random: np.random.RandomState,
    n_jobs: int | None = None,
) -> Machines:
    """Fit one linear support vector machine with Platt scaling for each column of `has`.

    Parameters
    ----------
    features : ndarray of shape (n, d)
    has : ndarray of shape (n, k), bool
        The answers; both occur in every column, within the training rows of the split.
    split : pair of ndarrays
        Training rows and rows for Platt scaling, as `hold_out_rows` gives them.
    C : float
        Weight of the errors against the regulariser.
    random : RandomState
        Drawn from once, for the order in which liblinear visits the rows.
    n_jobs : int, optional
        Number of processes, as in scikit-learn; it changes nothing in the results.
    """
    seed = random.randint(2**31)
    fit = delayed(Task(_fit_machine))
    # Each problem is small, so that several threads would only slow it down.
    with threadpool_limits(1, user_api="blas"):
        machines = Parallel(n_jobs=limit_jobs(n_jobs, has.shape[1]))(
            fit(features, column, split, C, seed) for column in has.T
        )
    weights, offsets, n_iter = zip(*machines, strict=True)
    return Machines(np.column_stack(weights), np.array(offsets), max(n_iter))


def hold_out_rows(y: NDArray[Any], random: np.random.RandomState) -> Split:
    """Hold out every tenth row, in random order within the classes, but never the first row of a class.

    Returns
    -------
    training, held_out : ndarrays
        Row numbers; all rows twice if there are fewer than ten.
    """
    order = random.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    first = np.diff(y[order], prepend=-1) != 0
    held_out = (np.arange(len(y)) % HELD_OUT == HELD_OUT - 1) & ~first
    return (order[~held_out], order[held_out]) if held_out.any() else (order, order)


def _fit_machine(
    features: NDArray[Any], has: NDArray[np.bool_], split: Split, C: float, seed: int
) -> tuple[NDArray[Any], float, int]:
    """Return w and b with logit p(a | x) = w . phi(x) + b, and the number of iterations."""
    svm = LinearSVC(C=C, dual=True, tol=TOLERANCE, random_state=seed)
    calibrated = CalibratedClassifierCV(svm, method="sigmoid", cv=[split]).fit(features, has)
    pair = calibrated.calibrated_classifiers_[0]
    # Platt's p = 1 / (1 + exp(a f + b)) of the decision value f = w . phi + w_0.
    a, b = pair.calibrators[0].a_, pair.calibrators[0].b_
    machine = pair.estimator
    return -a * machine.coef_[0], float(-a * machine.intercept_[0] - b), int(machine.n_iter_)
