"""Calibrate the probabilities of a model on held-out seen classes."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import column_or_1d

from unseen.confidence import CoverageCurve, HeldOutAccuracy, find_temperature, soft_maximum
from unseen.models.base import Classes
from unseen.models.state import KeepsState
from unseen.selection import ClassKFold
from unseen.selection.grid import Estimator, fit
from unseen.selection.routing import TakesClasses
from unseen.selection.trials import Splitter, make_class_disjoint_folds, require_descriptions, take_rows
from unseen.utils.arrays import Array, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.validation import check_row_weights
from unseen.utils.wrapping import Wrapper, iterate_layers

N_FOLDS = 5


class Calibrated(KeepsState, TakesClasses, Wrapper):
    """A model with calibrated probabilities: their temperature is chosen on held-out seen classes.

    The seen classes are divided into folds. Each fold in turn is held out: a copy of the model learns from the other
    classes and predicts the rows of the held-out ones, with the held-out classes as candidates. These are predictions
    for classes that the copy has never seen. The temperature that makes them most likely, and the share of them that is
    right above each probability, are therefore what to expect for unseen classes. The model itself is then fitted on
    all seen classes.

    Scores and decisions do not change; only `predict_proba` does.

    Parameters
    ----------
    model : estimator
        Any model of this package, `Prepared` included, with its parameters chosen. A transductive model
        (`unseen.transduction`) predicts the rows of each fold as one batch.
    splitter : splitter or iterable of (train, test) row indices, optional
        Class-disjoint splits; by default `ClassKFold` with 5 folds (fewer if there are under 10 classes).
    random_state : int, RandomState or None
        Random seed of the default splitter.

    Attributes
    ----------
    model_ : estimator
        The model fitted on all rows.
    temperature_ : float
        Temperature in units of the model's scores.
    curve_ : CoverageCurve
        Coverage and accuracy to expect when answers below a probability are withheld.
    held_out_ : HeldOutAccuracy
        Share of right answers for held-out classes when none is withheld, with its range.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.models import ESZSL
    >>> data = load_dataset("digit-pairs")
    >>> model = Calibrated(ESZSL(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> best = model.predict_proba(data.X_test_unseen, classes=data.unseen_classes).max(axis=1)
    >>> bool(abs(best.mean() - model.score(data.X_test_seen, data.y_test_seen)) < 0.2)
    True
    """

    _fitted = ("model_", "temperature_", "curve_", "held_out_")

    def __init__(self, model: Estimator, *, splitter: Splitter = None, random_state: Any = None) -> None:
        self.model = model
        self.splitter = splitter
        self.random_state = random_state

    def fit(self, X: Array, y: Any, classes: Classes = None, *, sample_weight: Any = None) -> Self:
        """Calibrate on held-out classes, then fit the model on all.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
        classes : ClassTable, data frame or mapping
            Descriptions of at least the classes in `y`; required, because nothing else is known about a held-out class.
        sample_weight : array-like of shape (n,), optional
            Weight of each row in learning and in calibration, for a model that takes sample weights.
        """
        table, labels = require_descriptions(classes), column_or_1d(to_numpy(y))
        splitter = self._make_splitter(labels) if self.splitter is None else self.splitter
        weights = None if sample_weight is None else check_row_weights(sample_weight, "sample_weight", len(labels))
        scores, true, of_rows, tested = [], [], [], []
        for fold in make_class_disjoint_folds(splitter, X, labels, table):
            train = None if weights is None else weights[fold.train]
            rehearsed = fit(clone(self.model), take_rows(X, fold.train), labels[fold.train], fold.seen, train)
            scores.append(to_numpy(rehearsed.decision_function(take_rows(X, fold.test), classes=fold.held_out)))
            true.append(fold.held_out.index_of(labels[fold.test]))
            of_rows.append(np.ones(len(fold.test)) if weights is None else weights[fold.test])
            tested.append(labels[fold.test])
        temperature = find_temperature(scores, true, of_rows)
        curve, held_out = _measure(scores, true, tested, of_rows, temperature)
        # Set last, so that an interrupted fit leaves an earlier one intact.
        self.model_ = fit(clone(self.model), X, y, table, sample_weight)
        self.temperature_, self.curve_, self.held_out_ = temperature, curve, held_out
        return self

    def predict_proba(self, X: Array, classes: Classes = None) -> Array:
        """Return a calibrated probability for every candidate."""
        # Given by name, because two seen classes without `classes` have a single score.
        candidates = self.classes_ if classes is None else classes
        return soft_maximum(self.decision_function(X, candidates), self.temperature_)

    def _make_splitter(self, labels: NDArray[Any]) -> ClassKFold:
        n_classes = len(np.unique(labels))
        if n_classes < 4:
            raise InputError(
                f"y has {n_classes} classes: calibration holds out at least two of them and learns from two others, so "
                "give at least 4, or do without calibration"
            )
        return ClassKFold(min(N_FOLDS, n_classes // 2), random_state=self.random_state)


def calibration_of(model: Any) -> Calibrated | None:
    """Return the calibration behind the probabilities of a model, or None if they are not calibrated."""
    for layer in iterate_layers(model):
        if isinstance(layer, Calibrated):
            return layer
        if getattr(layer, "transductive", False):
            return None  # a refinement has its own probabilities
    return None


def _measure(
    scores: list[NDArray[Any]],
    true: list[NDArray[np.int64]],
    labels: list[NDArray[Any]],
    weights: list[NDArray[Any]],
    temperature: float,
) -> tuple[CoverageCurve, HeldOutAccuracy]:
    confidence = np.concatenate([soft_maximum(group, temperature).max(axis=1) for group in scores])
    correct = np.concatenate([group.argmax(axis=1) == rows for group, rows in zip(scores, true, strict=True)])
    n_candidates = round(float(np.mean([group.shape[1] for group in scores])))
    counts = np.concatenate(weights)
    curve = CoverageCurve.of(confidence, correct, n_candidates, counts)
    return curve, HeldOutAccuracy.of(correct, np.concatenate(labels), n_candidates, counts)
