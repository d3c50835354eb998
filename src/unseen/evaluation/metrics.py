"""Compute per-class numbers from a confusion matrix, and the metrics that combine them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unseen.confidence.seen_unseen import harmonic_mean
from unseen.data import ClassTable
from unseen.utils.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidate classes of an evaluation.

    Attributes
    ----------
    labels : ndarray of shape (m,)
        Labels, in the order of all per-class numbers.
    support : ndarray of shape (m,)
        Number of test rows of each class. A seen class without test rows is left out of means over classes.
    seen : boolean ndarray of shape (m,)
        Which classes had training rows.
    """

    labels: NDArray[Any]
    support: NDArray[np.int64]
    seen: NDArray[np.bool_]

    @property
    def tested(self) -> NDArray[np.bool_]:
        """Which classes have test rows."""
        return self.support > 0


def confusion_matrix(y_true: Any, y_pred: Any, table: ClassTable) -> NDArray[np.int64]:
    """Count rows by true class (row) and predicted class (column), both in the order of `table`.

    >>> table = ClassTable.one_hot(["okapi", "zebra"])
    >>> confusion_matrix(["zebra", "zebra", "okapi"], ["zebra", "okapi", "okapi"], table)
    array([[1, 0],
           [1, 1]])
    """
    true, predicted = table.index_of(y_true, name="y_true"), table.index_of(y_pred, name="y_pred")
    if len(true) != len(predicted):
        raise InputError(f"y_pred has {len(predicted)} labels, but y_true has {len(true)}: give one label for each row")
    return confusion_counts(true, predicted, len(table))


def confusion_counts(true: NDArray[np.int64], predicted: NDArray[np.int64], m: int) -> NDArray[np.int64]:
    """Count rows by true and predicted class, both given as positions among `m` classes."""
    return np.bincount(true * m + predicted, minlength=m * m).reshape(m, m)


def recall_per_class(confusion: NDArray[np.int64]) -> Floats:
    """Return the share of the rows of each class that were recognised; 0 for a class without rows.

    >>> recall_per_class(np.array([[1, 0], [1, 1]]))
    array([1. , 0.5])
    """
    return np.asarray(np.diag(confusion) / np.maximum(confusion.sum(axis=1), 1))


def precision_per_class(confusion: NDArray[np.int64]) -> Floats:
    """Return the share of the rows predicted as each class that belong to it; 0 for a class never predicted.

    >>> precision_per_class(np.array([[1, 0], [1, 1]]))
    array([0.5, 1. ])
    """
    return np.asarray(np.diag(confusion) / np.maximum(confusion.sum(axis=0), 1))


def average_precision(scores: NDArray[Any], true: NDArray[np.int64]) -> Floats:
    """Return the average precision of ranking all rows by each column of scores; ties count together.

    >>> average_precision(np.array([[3.0, 0.0], [2.0, 1.0], [1.0, 2.0]]), np.array([0, 1, 0]))
    array([0.83333333, 0.5       ])
    """
    from sklearn.metrics import average_precision_score

    return np.array([average_precision_score(true == at, scores[:, at]) for at in range(scores.shape[1])])


@dataclass(frozen=True)
class Metric:
    """A metric computed from one per-class column, so that its sampling error can be found by resampling.

    Attributes
    ----------
    name : str
        Name of the metric in results and published tables.
    column : str
        Per-class numbers that it combines, e.g. "recall".
    combine : callable
        Function from per-class numbers of shape (..., m) and the candidates to the metric, shape (...).
    resample : "images" or "classes"
        What a bootstrap resamples by default: test images within their class, or whole classes if the per-class numbers
        are not shares of the class's own images.
    """

    name: str
    column: str
    combine: Callable[[Floats, Candidates], Floats]
    resample: Literal["images", "classes"]

    def of(self, per_class: Mapping[str, Floats], candidates: Candidates) -> float:
        """Compute the metric."""
        return float(self.combine(per_class[self.column], candidates))


def _average(values: Floats, weights: NDArray[Any]) -> Floats:
    return np.asarray((values * weights).sum(axis=-1) / weights.sum(axis=-1))


def _average_over_images(values: Floats, candidates: Candidates) -> Floats:
    return _average(values, candidates.support)


def _average_over_classes(values: Floats, candidates: Candidates) -> Floats:
    return _average(values, candidates.tested)


def _average_over_unseen(values: Floats, candidates: Candidates) -> Floats:
    return _average(values, candidates.tested & ~candidates.seen)


def _average_over_seen(values: Floats, candidates: Candidates) -> Floats:
    return _average(values, candidates.tested & candidates.seen)


def _average_harmonically(values: Floats, candidates: Candidates) -> Floats:
    return np.asarray(harmonic_mean(_average_over_unseen(values, candidates), _average_over_seen(values, candidates)))


PER_IMAGE = Metric("per-image accuracy", "recall", _average_over_images, "images")
PER_CLASS = Metric("mean per-class accuracy", "recall", _average_over_classes, "images")
PRECISION = Metric("mean class precision", "precision", _average_over_classes, "classes")
AVERAGE_PRECISION = Metric("mean average precision", "average precision", _average_over_classes, "classes")
UNSEEN = Metric("u", "recall", _average_over_unseen, "images")
SEEN = Metric("s", "recall", _average_over_seen, "images")
HARMONIC = Metric("H", "recall", _average_harmonically, "images")
UNSEEN_CALIBRATED = Metric("u calibrated", "recall calibrated", _average_over_unseen, "images")
SEEN_CALIBRATED = Metric("s calibrated", "recall calibrated", _average_over_seen, "images")
HARMONIC_CALIBRATED = Metric("H calibrated", "recall calibrated", _average_harmonically, "images")

# The area under a curve is not computed from per-class numbers, so it cannot be resampled.
AUSUC = "AUSUC"

METRICS = {
    metric.name: metric
    for metric in (
        PER_IMAGE,
        PER_CLASS,
        PRECISION,
        AVERAGE_PRECISION,
        UNSEEN,
        SEEN,
        HARMONIC,
        UNSEEN_CALIBRATED,
        SEEN_CALIBRATED,
        HARMONIC_CALIBRATED,
    )
}

# What a model is first judged by, in the order of preference; no setting has two that are not ordered here.
_HEADLINES = (HARMONIC_CALIBRATED, HARMONIC, PER_CLASS, AVERAGE_PRECISION)


def choose_headline(measured: Sequence[str]) -> str:
    """Return the metric by which models are compared if none is named.

    >>> choose_headline(["per-image accuracy", "mean per-class accuracy"]), choose_headline(["u", "s", "H"])
    ('mean per-class accuracy', 'H')
    """
    return next((metric.name for metric in _HEADLINES if metric.name in measured), measured[0])
