"""Choose the constant of calibrated stacking for a model that does not bring its own, on seen classes only."""

from typing import Any

import numpy as np

from unseen.confidence.seen_unseen import find_best_gamma
from unseen.data import ZeroShotDataset
from unseen.models import Calibrated
from unseen.models.wrappers.rehearsal import draw_rows_to_hold_out, rehearse
from unseen.selection.folds import Fold
from unseen.utils.errors import InputError
from unseen.utils.wrapping import iterate_layers


def draw_fold(dataset: ZeroShotDataset, random: np.random.Generator) -> Fold:
    """Hold out seen classes, in the same proportion as unseen to all classes.

    Rows are numbered within the training rows.
    """
    labels = dataset.seen_classes
    n_seen, n_unseen = len(labels), len(dataset.unseen_classes)
    if n_seen < 3:
        raise InputError(
            f"dataset has {n_seen} seen classes: choosing the constant of calibrated stacking holds one out "
            "and needs two to learn from, so give it at least 3"
        )
    n_held = min(max(1, round(n_seen * n_unseen / (n_seen + n_unseen))), n_seen - 2)
    held = np.zeros(n_seen, dtype=bool)
    held[random.permutation(n_seen)[:n_held]] = True
    classes = dataset.seen_table.index_of(dataset.y_train)
    if np.bincount(classes)[~held].max() < 2:
        raise InputError(
            "dataset has one training row for each seen class: choosing the constant of calibrated stacking "
            "holds rows out, so give at least 2"
        )
    tables = dataset.classes.select(labels[~held]), dataset.classes.select(labels[held])
    return Fold("rehearsal", np.flatnonzero(~held[classes]), np.flatnonzero(held[classes]), *tables)


def choose_gamma(model: Any, dataset: ZeroShotDataset, *, folds: int, seed: int) -> float:
    """Return the constant with the best harmonic mean, averaged over rehearsals on training rows.

    Parameters
    ----------
    model : estimator
        Model to fit anew in each rehearsal. For a search, its chosen estimator is used, since it was also chosen on
        seen classes.
    dataset : ZeroShotDataset
        Dataset of which only the training rows and the descriptions of the seen classes are used.
    folds : int
        Number of rehearsals, each with other classes held out.
    seed : int
        Random seed for the held-out classes and rows.
    """
    chosen = next(
        layer
        for layer in iterate_layers(model)
        if not hasattr(layer, "best_estimator_") and not isinstance(layer, Calibrated)
    )
    random = np.random.default_rng(seed)
    X, y, curves = dataset.X_train, dataset.y_train, []
    of_class = dataset.seen_table.index_of(y)
    for _ in range(folds):
        fold = draw_fold(dataset, random)
        curves.append(rehearse(chosen, X, y, fold, held_rows=draw_rows_to_hold_out(of_class, random)).curve)
    return find_best_gamma([curve for curve in curves if curve is not None])
