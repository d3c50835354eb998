"""Choose the constant of calibrated stacking on seen classes only."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from unseen.data import ZeroShotDataset
from unseen.evaluation.settings.curve import SeenUnseenCurve, group_answers, trace_curve
from unseen.utils.errors import InputError
from unseen.utils.wrapping import iterate_layers

# Chao et al. hold out 20 % of the images of seen classes.
HELD_OUT_ROWS = 0.2


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """A generalized zero-shot problem made of training rows: some seen classes take the role of the unseen.

    Attributes
    ----------
    seen, unseen : ndarrays
        Labels of the classes in each part.
    train, test_seen, test_unseen : ndarrays of int
        Row indices, all of them among the training rows of the dataset.
    """

    seen: NDArray[Any]
    unseen: NDArray[Any]
    train: NDArray[np.int64]
    test_seen: NDArray[np.int64]
    test_unseen: NDArray[np.int64]


def plan_rehearsal(dataset: ZeroShotDataset, random: np.random.Generator) -> Rehearsal:
    """Hold out seen classes, in the same proportion as unseen to all classes, and a fifth of the others' rows."""
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
    rows_of = [random.permutation(dataset.train[classes == at]) for at in range(n_seen)]
    kept = [rows for rows, out in zip(rows_of, held, strict=True) if not out]
    cuts = [max(1, len(rows) - max(1, round(HELD_OUT_ROWS * len(rows)))) for rows in kept]
    return Rehearsal(
        seen=labels[~held],
        unseen=labels[held],
        train=np.concatenate([rows[:cut] for rows, cut in zip(kept, cuts, strict=True)]),
        test_seen=np.concatenate([rows[cut:] for rows, cut in zip(kept, cuts, strict=True)]),
        test_unseen=np.concatenate([rows for rows, out in zip(rows_of, held, strict=True) if out]),
    )


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
    chosen = next(layer for layer in iterate_layers(model) if not hasattr(layer, "best_estimator_"))
    random = np.random.default_rng(seed)
    return find_best_gamma([_rehearse(clone(chosen), dataset, plan_rehearsal(dataset, random)) for _ in range(folds)])


def find_best_gamma(curves: list[SeenUnseenCurve]) -> float:
    """Return the middle of the interval of constants with the highest harmonic mean, averaged over the curves."""
    gamma = np.unique(np.concatenate([curve.gamma for curve in curves]))
    harmonic = np.mean([curve.harmonic_at(gamma) for curve in curves], axis=0)
    best = int(harmonic.argmax())
    if harmonic[best] == 0:
        return 0.0
    # Accuracies are constant from one point (exclusive) to the next.
    return float(gamma[max(best - 1, 0)] + gamma[best]) / 2


def _rehearse(model: Any, dataset: ZeroShotDataset, parts: Rehearsal) -> SeenUnseenCurve:
    seen, unseen = dataset.classes.select(parts.seen), dataset.classes.select(parts.unseen)
    model.fit(dataset.X[parts.train], dataset.y[parts.train], classes=seen)
    joint = seen.concat(unseen)
    answers = [group_answers(model, dataset.X[rows], seen, unseen) for rows in (parts.test_seen, parts.test_unseen)]
    true = [joint.index_of(dataset.y[rows]) for rows in (parts.test_seen, parts.test_unseen)]
    return trace_curve(answers[0], true[0], answers[1], true[1])
