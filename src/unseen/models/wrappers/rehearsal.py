"""Rehearse on seen classes: hide some of them from a copy of a model, and ask it about them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from unseen.confidence.seen_unseen import SeenUnseenCurve, group_answers, trace_curve
from unseen.selection import ClassKFold
from unseen.selection.folds import Fold, Splitter, take_rows
from unseen.selection.grid import Estimator, fit
from unseen.utils.arrays import Array, compute, to_numpy

# Chao et al. hold out 20 % of the images of seen classes.
HELD_OUT_ROWS = 0.2

# So many rows of each kind tell how labels are judged by themselves.
MOST_JOINT_ROWS = 2000

# Held out are two classes at least, and two others are learned from.
FEWEST_CLASSES = 4


@dataclass(frozen=True, eq=False)
class Rehearsed:
    """What a copy of a model answers about classes, and about rows of other classes, that it was not shown.

    Attributes
    ----------
    scores : array of shape (n, m)
        Scores of the rows of the held-out classes, among the held-out classes.
    true : ndarray of int of shape (n,)
        The column of the true class of each row.
    labels : ndarray of shape (n,)
    weights : ndarray of shape (n,)
    curve : SeenUnseenCurve or None
        Accuracy of these rows and of the held-out rows of the other classes, among all classes. None if no rows of
        other classes were held out.
    joint : JointScores or None
        Scores among all classes, if they were asked for.
    """

    scores: Array
    true: NDArray[np.int64]
    labels: NDArray[Any]
    weights: NDArray[np.float64]
    curve: SeenUnseenCurve | None
    joint: "JointScores | None" = None


@dataclass(frozen=True, eq=False)
class JointScores:
    """Scores of some rows of held-out classes, and of held-out rows of the others, among all classes.

    Attributes
    ----------
    scores : ndarray of shape (n, m)
        The classes that the copy learned from come first.
    true : ndarray of int of shape (n,)
        The column of the true class of each row.
    n_seen : int
        How many classes the copy learned from.
    """

    scores: NDArray[Any]
    true: NDArray[np.int64]
    n_seen: int


def choose_splitter(given: Splitter, n_classes: int, n_folds: int, random_state: Any) -> Splitter:
    """Return the splitter that was given, or folds of classes; None if there are too few classes to hold any out."""
    if given is not None or n_classes < FEWEST_CLASSES:
        return given
    return ClassKFold(min(n_folds, n_classes // 2), random_state=random_state)


def draw_rows_to_hold_out(y: NDArray[Any], random: Any) -> NDArray[np.bool_]:
    """Draw a fifth of the rows of each class, at least one; but the only row of a class is never drawn.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The class of each row.
    random : numpy Generator or RandomState

    Examples
    --------
    >>> drawn = draw_rows_to_hold_out(np.repeat(["ox", "cow", "gnu"], [10, 2, 1]), np.random.default_rng(0))
    >>> drawn[:10].sum().item(), drawn[10:12].sum().item(), drawn[12].item()
    (2, 1, False)
    """
    held = np.zeros(len(y), dtype=bool)
    _, encoded = np.unique(y, return_inverse=True)
    for at in range(encoded.max() + 1):
        rows = random.permutation(np.flatnonzero(encoded == at))
        held[rows[max(1, len(rows) - max(1, round(HELD_OUT_ROWS * len(rows)))) :]] = True
    return held


def rehearse(
    model: Estimator,
    X: Any,
    y: NDArray[Any],
    fold: Fold,
    weights: NDArray[np.float64] | None = None,
    held_rows: NDArray[np.bool_] | None = None,
    *,
    joint: bool = False,
) -> Rehearsed:
    """Fit a copy of a model without the held-out classes of a fold, and without some rows of the other classes.

    Parameters
    ----------
    model : estimator
    X : array of shape (n, d)
    y : ndarray of shape (n,)
    fold : Fold
        Which classes are held out.
    weights : ndarray of shape (n,), optional
        Weight of each row.
    held_rows : ndarray of bool of shape (n,), optional
        Rows to hold out (`draw_rows_to_hold_out`), which makes the curve of seen and unseen classes.
    joint : bool, default False
        Whether to score some of the rows among all classes.
    """
    held = np.zeros(len(y), dtype=bool) if held_rows is None else held_rows
    train, apart = fold.train[~held[fold.train]], fold.train[held[fold.train]]
    learning = None if weights is None else weights[train]
    copy = fit(clone(model), take_rows(X, train), y[train], fold.seen, learning)
    X_test = take_rows(X, fold.test)
    counts = np.ones(len(y)) if weights is None else weights
    return Rehearsed(
        compute(copy.decision_function(X_test, classes=fold.held_out)),
        fold.held_out.index_of(y[fold.test]),
        y[fold.test],
        counts[fold.test],
        _trace(copy, X, X_test, y, fold, apart, counts) if counts[apart].any() else None,
        _score_jointly(copy, X, y, fold, [rows[counts[rows] > 0] for rows in (fold.test, apart)]) if joint else None,
    )


def _score_jointly(model: Estimator, X: Any, y: NDArray[Any], fold: Fold, rows: list[NDArray[Any]]) -> JointScores:
    table = fold.seen.concat(fold.held_out)
    # Evenly spread, so that all classes are among them.
    some = np.concatenate([these[:: -(-len(these) // MOST_JOINT_ROWS) or 1] for these in rows])
    scores = to_numpy(model.decision_function(take_rows(X, some), classes=table))
    return JointScores(scores, table.index_of(y[some]), len(fold.seen))


def _trace(
    model: Estimator, X: Any, X_test: Any, y: NDArray[Any], fold: Fold, apart: Any, counts: Any
) -> SeenUnseenCurve:
    joint = fold.seen.concat(fold.held_out)
    of_seen, of_unseen = (
        group_answers(model, rows, fold.seen, fold.held_out) for rows in (take_rows(X, apart), X_test)
    )
    true_seen, true_unseen = joint.index_of(y[apart]), joint.index_of(y[fold.test])
    return trace_curve(of_seen, true_seen, of_unseen, true_unseen, (counts[apart], counts[fold.test]))
