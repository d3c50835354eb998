"""Calibrate a model on held-out seen classes: its probabilities, and its bias towards seen classes."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, column_or_1d

from unseen.confidence import CoverageCurve, HeldOutAccuracy, find_temperature, soft_maximum
from unseen.confidence.alone import AloneCalibration, find_evidence
from unseen.confidence.seen_unseen import find_best_gamma
from unseen.data import ClassTable
from unseen.data.candidates import make_candidate_table
from unseen.models.attributes.machines.platt_scaling import fit_platt_scaling
from unseen.models.base import Classes
from unseen.models.scoring import join_seen, judge_alone, list_penalties, penalise
from unseen.models.state import KeepsState
from unseen.models.wrappers.going_on import learn_more, require_partial_fit
from unseen.models.wrappers.rehearsal import (
    FEWEST_CLASSES,
    Rehearsed,
    choose_splitter,
    draw_rows_to_hold_out,
    rehearse,
)
from unseen.selection.folds import Splitter, make_class_disjoint_folds, require_descriptions, take_rows
from unseen.selection.grid import Estimator, fit
from unseen.selection.routing import TakesClasses
from unseen.utils.arrays import Array, cut_row_blocks, namespace, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.validation import check_flag, check_row_weights, make_random_stream
from unseen.utils.wrapping import Wrapper, is_transductive, iterate_layers

N_FOLDS = 5


class Calibrated(KeepsState, TakesClasses, Wrapper):
    """A model calibrated on held-out seen classes: its probabilities, and its bias towards seen classes.

    The seen classes are divided into folds. Each fold in turn is held out: a copy of the model learns from the other
    classes, without a fifth of their rows, and answers about rows that it was not shown.

    - Rows of held-out classes, among the held-out classes: the temperature that makes these answers most likely, and
      the share of them that is right above each probability, are what to expect for unseen classes.
    - Rows of held-out classes and held-out rows of the others, among all classes: models favour the classes that they
      learned from, and the constant that makes up for it best (by the harmonic mean of both accuracies) is kept as
      `seen_penalty_`. This is calibrated stacking (Chao et al., ECCV 2016).

    The model itself is then fitted on all seen classes. Where the candidates hold both seen and unseen classes, the
    penalty is subtracted from the scores of the seen ones. Among seen classes alone, or unseen ones alone, scores and
    decisions are those of the model.

    Parameters
    ----------
    model : estimator
        Any model of this package, `Prepared` included, with its parameters chosen. A transductive model
        (`unseen.transduction`) predicts the rows of each fold as one batch, and gets no penalty.
    splitter : splitter or iterable of (train, test) row indices, optional
        Class-disjoint splits; by default `ClassKFold` with 5 folds (fewer if there are under 10 classes).
    penalise_seen : bool, default True
        Whether to rehearse and subtract the penalty. Without it, copies learn from all rows of their classes.
    random_state : int, RandomState or None
        Random seed of the default splitter, and of the rows that are held out.

    Attributes
    ----------
    model_ : estimator
        The model fitted on all rows.
    temperature_ : float or None
        Temperature in units of the model's scores. None if there are under 4 seen classes, too few to hold any out:
        then nothing is calibrated, and a warning says so.
    curve_ : CoverageCurve or None
        Coverage and accuracy to expect when answers below a probability are withheld.
    held_out_ : HeldOutAccuracy or None
        Share of right answers for held-out classes when none is withheld, with its range.
    seen_penalty_ : float or None
        The penalty in units of the model's scores. None if it was not rehearsed: switched off, a transductive model, or
        too few classes or rows (with a warning).
    alone_ : AloneCalibration or None
        How labels are judged by themselves (`predict_alone`); None for a transductive model, or if nothing could be
        calibrated.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.models import ESZSL
    >>> data = load_dataset("digit-pairs")
    >>> model = Calibrated(ESZSL(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> best = model.predict_proba(data.X_test_unseen, classes=data.unseen_classes).max(axis=1)
    >>> bool(abs(best.mean() - model.score(data.X_test_seen, data.y_test_seen)) < 0.2)
    True

    Unseen classes are found among all classes, too:

    >>> from unseen.models import ConSE
    >>> model = Calibrated(ConSE(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    >>> X, y = data.X_test_unseen, data.y_test_unseen
    >>> [round(asked.score(X, y, classes=data.classes), 1) for asked in (model.model_, model)]
    [0.3, 0.8]
    """

    _fitted = ("model_", "temperature_", "curve_", "held_out_", "seen_penalty_", "alone_")

    # None where nothing could be calibrated; `calibration_of` does not return such a calibration.
    temperature_: Any
    curve_: Any
    held_out_: Any

    # Model files of before these do not hold them.
    seen_penalty_: float | None = None
    alone_: AloneCalibration | None = None

    def __init__(
        self, model: Estimator, *, splitter: Splitter = None, penalise_seen: bool = True, random_state: Any = None
    ) -> None:
        self.model = model
        self.splitter = splitter
        self.penalise_seen = penalise_seen
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
        weights = None if sample_weight is None else check_row_weights(sample_weight, "sample_weight", len(labels))
        rehearsals = self._rehearse(X, labels, table, weights)
        scores, true = [r.scores for r in rehearsals], [r.true for r in rehearsals]
        temperature = find_temperature(scores, true, [r.weights for r in rehearsals]) if rehearsals else None
        curve, held_out = (None, None) if temperature is None else _measure(rehearsals, temperature)
        penalty = self._find_penalty(rehearsals)
        alone = None if temperature is None else _calibrate_alone(rehearsals, temperature)
        # Set last, so that an interrupted fit leaves an earlier one intact.
        self.model_ = fit(clone(self.model), X, y, table, sample_weight)
        self.temperature_, self.curve_, self.held_out_, self.seen_penalty_ = temperature, curve, held_out, penalty
        self.alone_ = alone
        return self

    @available_if(lambda self: require_partial_fit(self.inner))
    def partial_fit(self, X: Array, y: Any, classes: Classes = None, *, sample_weight: Any = None) -> Self:
        """Go on learning from further rows; what was calibrated at the first call, a `fit`, stays.

        Only where the model can, as `GaussianJFA` can.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
        classes : ClassTable, data frame or mapping, optional
            Descriptions of classes that the table given to `fit` does not have.
        sample_weight : array-like of shape (n,), optional
            Weight of each row.
        """
        if not hasattr(self, "model_"):
            return self.fit(X, y, classes, sample_weight=sample_weight)
        learn_more(self.model_, X, y, classes, sample_weight)
        return self

    def decision_function(self, X: Array, classes: Classes = None) -> Array:
        """Score every row against every candidate; seen candidates among unseen ones are penalised."""
        return penalise(super().decision_function(X, classes), self._list_penalties(classes))

    def predict(self, X: Array, classes: Classes = None) -> NDArray[Any]:
        """Return the label of the best candidate for every row, by the scores of `decision_function`."""
        penalties, score = self._list_penalties(classes), super().decision_function
        if penalties is None:
            return np.asarray(super().predict(X, classes))
        table = make_candidate_table(classes, self.table_)
        blocks = cut_row_blocks(_num_samples(X), 8 * len(table), X)
        parts = [take_rows(X, np.arange(rows.start, rows.stop)) for rows in blocks] if len(blocks) > 1 else [X]
        scores = (penalise(score(part, table), penalties) for part in parts)
        best = [to_numpy(namespace(block).argmax(block, axis=1)) for block in scores]
        return np.asarray(table.labels[np.concatenate(best)])

    def predict_proba(self, X: Array, classes: Classes = None) -> Array:
        """Return a calibrated probability for every candidate."""
        self._get_fitted_inner()
        if self.temperature_ is None:
            return super().predict_proba(X, classes)
        # Given by name, because two seen classes without `classes` have a single score.
        candidates = self.classes_ if classes is None else classes
        return soft_maximum(self.decision_function(X, candidates), self.temperature_)

    def predict_alone(self, X: Array, classes: Classes = None, *, prior: float = 0.5) -> NDArray[np.float64]:
        """Return a probability for every candidate by itself: yes or no, whatever the other candidates are.

        A candidate is compared with the seen classes, which stand for whatever else a row may show. Probabilities of a
        row do not sum to 1: several labels may apply, or none. They are calibrated on held-out seen classes.

        Parameters
        ----------
        X : array of shape (n, d)
        classes : ClassTable, data frame, mapping or sequence of labels, optional
            The labels to judge, seen or unseen; by default the seen classes.
        prior : float, default 0.5
            Share of rows that a label is expected to apply to. With 0.5, a probability of 0.9 means nine right among
            ten rows of which half were expected to be of the class.
        """
        self._get_fitted_inner()
        if self.alone_ is None:
            raise InputError(
                f"model={self!r} was not calibrated for labels by themselves: fit it again, on at least "
                f"{FEWEST_CLASSES} classes and without a refinement"
            )
        table = self.table_.select(self.classes_) if classes is None else make_candidate_table(classes, self.table_)
        joint = join_seen(table, self.table_.select(self.classes_))
        scores = to_numpy(super().decision_function(X, joint.table))
        return judge_alone(scores, joint, self.temperature_, self.alone_, prior)

    def _list_penalties(self, classes: Classes) -> NDArray[np.float64] | None:
        """Return what is subtracted from the scores of each candidate, or None if that is nothing."""
        self._get_fitted_inner()
        if classes is None or not self.seen_penalty_:
            return None
        return list_penalties(self.seen_penalty_, make_candidate_table(classes, self.table_), self.classes_)

    def _rehearse(
        self, X: Array, labels: NDArray[Any], table: ClassTable, weights: NDArray[np.float64] | None
    ) -> list[Rehearsed]:
        n_classes = len(np.unique(labels))
        if n_classes < 2:
            raise InputError(f"y has {n_classes} classes: training needs rows of at least two")
        splitter = choose_splitter(self.splitter, n_classes, N_FOLDS, self.random_state)
        if splitter is None:
            _warn(f"y has {n_classes} classes, too few to hold any out", "calibrated", f"{FEWEST_CLASSES} classes")
            return []
        by_rows = not is_transductive(self.model)
        penalise = check_flag(self.penalise_seen, "penalise_seen") and by_rows
        random = make_random_stream(self.random_state)
        return [
            rehearse(
                self.model,
                X,
                labels,
                fold,
                weights,
                draw_rows_to_hold_out(labels, random) if penalise else None,
                joint=by_rows,
            )
            for fold in make_class_disjoint_folds(splitter, X, labels, table)
        ]

    def _find_penalty(self, rehearsals: list[Rehearsed]) -> float | None:
        if not rehearsals or not self.penalise_seen or is_transductive(self.model):
            return None
        curves = [r.curve for r in rehearsals if r.curve is not None]
        if not curves:
            _warn(
                "y has a single row of each class, so that none can be held out",
                "corrected for its bias towards seen classes",
                "2 rows of a class",
            )
            return None
        return find_best_gamma(curves)


def calibration_of(model: Any) -> Calibrated | None:
    """Return the calibration behind the probabilities of a model, or None if they are not calibrated."""
    for layer in iterate_layers(model):
        if isinstance(layer, Calibrated):
            return layer if getattr(layer, "temperature_", layer) is not None else None
        if getattr(layer, "transductive", False):
            return None  # a refinement has its own probabilities
    return None


def seen_penalty_of(model: Any) -> float | None:
    """Return what a fitted model subtracts from the scores of seen candidates among unseen ones, or None."""
    penalties = []
    for layer in iterate_layers(model):
        if getattr(layer, "transductive", False):
            break  # a refinement has its own scores
        if isinstance(layer, Calibrated) and layer.seen_penalty_ is not None:
            penalties.append(layer.seen_penalty_)
    return sum(penalties) if penalties else None


def _measure(rehearsals: list[Rehearsed], temperature: float) -> tuple[CoverageCurve, HeldOutAccuracy]:
    confidence = np.concatenate([_find_confidence(r.scores, temperature) for r in rehearsals])
    correct = np.concatenate([to_numpy(namespace(r.scores).argmax(r.scores, axis=1)) == r.true for r in rehearsals])
    n_candidates = round(float(np.mean([r.scores.shape[1] for r in rehearsals])))
    counts = np.concatenate([r.weights for r in rehearsals])
    curve = CoverageCurve.of(confidence, correct, n_candidates, counts)
    return curve, HeldOutAccuracy.of(correct, np.concatenate([r.labels for r in rehearsals]), n_candidates, counts)


def _calibrate_alone(rehearsals: list[Rehearsed], temperature: float) -> AloneCalibration | None:
    """Find how evidence for a label becomes a probability, for unseen and for seen labels."""
    found: dict[bool, list[tuple[NDArray[Any], NDArray[np.bool_]]]] = {False: [], True: []}
    for joint in (r.joint for r in rehearsals if r.joint is not None):
        seen = np.arange(joint.scores.shape[1]) < joint.n_seen
        evidence, is_true = find_evidence(joint.scores, seen, temperature), np.zeros(joint.scores.shape, dtype=bool)
        is_true[np.arange(len(is_true)), joint.true] = True
        for kind in found:
            found[kind].append((evidence[:, seen == kind].ravel(), is_true[:, seen == kind].ravel()))
    if not found[False]:
        return None
    of_unseen, of_seen = (_fit_even(*map(np.concatenate, zip(*found[kind], strict=True))) for kind in (False, True))
    return None if of_unseen is None else AloneCalibration(*of_unseen, *(of_seen or ()))


def _fit_even(evidence: NDArray[Any], is_true: NDArray[np.bool_]) -> tuple[float, float] | None:
    """Return slope and offset where a yes and a no are equally likely; None if there is not some of each."""
    yes = int(is_true.sum())
    if not 0 < yes < len(is_true):
        return None
    slope, offset = fit_platt_scaling(evidence[:, None], is_true[:, None])
    # As many of each instead of so many: this moves the offset only.
    return float(slope[0]), float(offset[0] - np.log(yes / (len(is_true) - yes)))


def _find_confidence(scores: Array, temperature: float) -> NDArray[Any]:
    """Return the probability (n,) of the best candidate of each row."""
    return to_numpy(namespace(scores).max(soft_maximum(scores, temperature), axis=1))


def _warn(reason: str, missing: str, remedy: str) -> None:
    warnings.warn(
        f"{reason}: the model is fitted, but not {missing}; give at least {remedy}", UserWarning, stacklevel=4
    )
