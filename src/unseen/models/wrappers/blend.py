"""Blend models: bring their scores to a common scale, and average them."""

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from unseen.data import ClassTable
from unseen.data.candidates import extend_table, make_candidate_table
from unseen.models.base import CandidateClassifier, Classes, LinearForm, ScoreFunction, core_of
from unseen.models.input_checks import check_features, check_labels
from unseen.models.scoring import blend_scores
from unseen.models.wrappers.blend_weights import HeldOut, choose_weights, measure_spread, measure_spreads
from unseen.models.wrappers.calibrated import Calibrated
from unseen.models.wrappers.going_on import learn_more, require_partial_fit
from unseen.models.wrappers.preparation import Preparation
from unseen.models.wrappers.rehearsal import FEWEST_CLASSES, choose_splitter, rehearse
from unseen.selection.folds import Splitter, make_class_disjoint_folds
from unseen.selection.grid import Estimator, fit
from unseen.utils.arrays import Array, compute, cut_row_blocks, to_numpy
from unseen.utils.errors import InputError, shorten
from unseen.utils.wrapping import is_transductive, iterate_layers

N_FOLDS = 3


class Blend(MetaEstimatorMixin, CandidateClassifier):
    """Average the scores of several models.

    Scores of different models have different units. Each part is therefore divided by a constant, the spread of its
    scores: their root mean square over the candidates of a row, after subtracting the mean of the row. It is measured
    on seen classes that are held out in folds, and so are the weights, unless they are given. Every part is fitted once
    in every fold, and then on all seen classes.

    The mean of a row itself is not subtracted in prediction, because it decides nothing. The score of a class thus does
    not depend on the other candidates, and where the scores of the parts are affine in the features, so are those of
    the blend: it predicts by one product, and can be exported and explained like its parts.

    Parameters
    ----------
    models : list of estimators, or of (name, estimator) pairs
        The parts: models, `Prepared` ones or searches. Refinements and `Calibrated` stand around a blend, not in it.
        Without names, parts are named by their classes in lower case ("eszsl"), with a number where that is not unique
        ("jfa1", "jfa2").
    weights : sequence of float, optional
        Weight of each part, on the common scale; only their ratios matter. By default those of the best mean per-class
        accuracy on held-out seen classes, from a fine grid; of equally good ones, the more even.
    spreads : sequence of float, optional
        Spread of the scores of each part, if it is known. With weights and spreads no classes are held out.
    splitter : splitter or iterable of (train, test) row indices, optional
        Class-disjoint splits; by default `ClassKFold` with 3 folds (2 if there are under 6 classes).
    random_state : int, RandomState or None
        Random seed of the default splitter.

    Attributes
    ----------
    models_ : list of estimators
        The parts, fitted on all rows.
    weights_ : ndarray of shape (n_parts,)
        Their weights, which sum to 1.
    spreads_ : ndarray of shape (n_parts,)
        Spread of the scores of each part; 1 for a single part, which needs no common scale.
    held_out_accuracy_ : float or None
        Mean per-class accuracy of the blend on held-out classes; None if none were held out.
    part_accuracies_ : ndarray of shape (n_parts,) or None
        That of each part alone.

    Notes
    -----
    Parameters of the parts are set by name: `eszsl__gamma`.

    Without a class table, or with under 4 seen classes, no class can be held out. Spreads are then measured on the
    training rows, and all parts weigh the same unless weights are given.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.models import ESZSL, ConSE
    >>> data = load_dataset("digit-pairs")
    >>> model = Blend([ESZSL(), ConSE()], random_state=0).set_params(eszsl__gamma=10.0)
    >>> model = model.fit(data.X_train, data.y_train, classes=data.classes)
    >>> bool(model.held_out_accuracy_ >= max(model.part_accuracies_))
    True
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    """

    _fitted = ("models_", "weights_", "spreads_", "held_out_accuracy_", "part_accuracies_")

    def __init__(
        self,
        models: Sequence[Any],
        weights: Sequence[float] | None = None,
        *,
        spreads: Sequence[float] | None = None,
        splitter: Splitter = None,
        random_state: Any = None,
    ) -> None:
        self.models = models
        self.weights = weights
        self.spreads = spreads
        self.splitter = splitter
        self.random_state = random_state

    # Parameters

    @property
    def named_models(self) -> dict[str, Estimator]:
        """The parts by name, as given and not fitted."""
        parts = list(self.models) if isinstance(self.models, list | tuple) else []
        if parts and all(isinstance(part, tuple) for part in parts):
            return dict(parts)
        kinds = [type(part).__name__.casefold() for part in parts]
        return {
            kind if kinds.count(kind) == 1 else f"{kind}{kinds[: at + 1].count(kind)}": part
            for at, (kind, part) in enumerate(zip(kinds, parts, strict=True))
        }

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep`, the parts and their parameters too."""
        found: dict[str, Any] = super().get_params(deep=False)
        if not deep:
            return found
        for name, model in self.named_models.items():
            found[name] = model
            if hasattr(model, "get_params"):
                found |= {f"{name}__{key}": value for key, value in model.get_params(deep=True).items()}
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the blend and of its parts; a part itself is replaced by its name."""
        if "models" in params:
            self.models = params.pop("models")
        replaced = {name: params.pop(name) for name in self.named_models if name in params}
        if replaced:
            self.models = list((self.named_models | replaced).items())
        super().set_params(**params)
        return self

    # Learning

    def fit(self, X: Array, y: Any, classes: Classes = None, *, sample_weight: Any = None) -> Self:
        """Measure spreads and choose weights on held-out seen classes, then fit all parts on all rows.

        Parameters
        ----------
        X, y, classes
            As in any model.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, for parts that take sample weights.
        """
        self._check_parts()
        return self._learn_from(X, y, classes, sample_weight)

    def _fit_checked(self, X: Array, y: NDArray[np.int64], weights: Array | None, *, described: bool) -> None:
        parts, given, known = list(self.named_models.values()), self._check_weights(), self._check_spreads()
        labels, rows = self.classes_[y], None if weights is None else to_numpy(weights)
        # First, so that data which cannot be learned from are refused before any are held out.
        models = [fit(clone(part), X, labels, self.table_ if described else None, rows) for part in parts]
        is_known = len(parts) == 1 or (given is not None and known is not None)
        folds = self._make_folds(X, labels) if described and not is_known else []
        rehearsed = [[rehearse(part, X, labels, fold, rows) for part in parts] for fold in folds]
        if known is not None or len(parts) == 1:
            spreads = np.ones(1) if known is None else known
        elif rehearsed:
            spreads = measure_spreads(list(zip(*rehearsed, strict=True)))
        else:
            spreads = np.array([_measure_on_training_rows(model, X, rows) for model in models])
        held_out = [HeldOut.of(runs, spreads) for runs in rehearsed]
        self.weights_, self.held_out_accuracy_, self.part_accuracies_ = _weigh(held_out, given, len(parts))
        self.models_, self.spreads_ = models, spreads

    @available_if(lambda self: require_partial_fit(*self.named_models.values()))
    def partial_fit(self, X: Array, y: Any, classes: Classes = None, *, sample_weight: Any = None) -> Self:
        """Go on learning from further rows with all parts; weights and spreads stay those of the first call, a `fit`.

        Only where all parts can, as `GaussianJFA` can.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
        classes : ClassTable, data frame or mapping, optional
            Descriptions of classes that the table given to `fit` does not have.
        sample_weight : array-like of shape (n,), optional
            Weight of each row.
        """
        if not hasattr(self, "models_"):
            return self.fit(X, y, classes, sample_weight=sample_weight)
        X = check_features(self, X)
        labels = np.unique(check_labels(y, X.shape[0]))
        table = self.table_ if classes is None else extend_table(self.table_, classes)
        table.index_of(labels, name="y")
        for model in self.models_:
            learn_more(model, X, y, table, sample_weight)
        self.table_, self.classes_ = table, np.union1d(self.classes_, labels)
        self._forget_scorers()
        return self

    def _make_folds(self, X: Array, labels: NDArray[Any]) -> list[Any]:
        n_classes = len(self.classes_)
        splitter = choose_splitter(self.splitter, n_classes, N_FOLDS, self.random_state)
        if splitter is None:
            warnings.warn(
                f"y has {n_classes} classes, too few to hold any out: the parts of the blend are brought to a common "
                f"scale on the rows that they learned from; give at least {FEWEST_CLASSES} classes",
                UserWarning,
                stacklevel=5,
            )
            return []
        return list(make_class_disjoint_folds(splitter, X, labels, self.table_))

    def _check_parts(self) -> None:
        parts = list(self.models) if isinstance(self.models, list | tuple) else []
        pairs = [isinstance(part, tuple) for part in parts]
        if not parts or any(pairs) != all(pairs) or (any(pairs) and any(len(part) != 2 for part in parts)):
            raise InputError(f"models={self.models!r} is not a list of models: give models, or (name, model) pairs")
        named, own = self.named_models, super().get_params(deep=False)
        wrong = [name for name in named if not isinstance(name, str) or not name or "__" in name or name in own]
        if wrong or len(named) < len(parts):
            raise InputError(
                f"models has the names {shorten([pair[0] for pair in parts])}: give each model a name of its own, not "
                f"of a parameter ({', '.join(own)}) and without '__'"
            )
        for name, part in named.items():
            if not hasattr(part, "fit"):
                raise InputError(f"models has {name}={part!r}, which is not a model: give estimators of unseen.models")
            if is_transductive(part) or any(isinstance(layer, Calibrated) for layer in iterate_layers(part)):
                raise InputError(
                    f"models has {name}={type(part).__name__}(...), which would refine or calibrate one part "
                    f"alone: put it around the blend, {type(part).__name__}(Blend(...))"
                )

    def _check_spreads(self) -> NDArray[np.float64] | None:
        if self.spreads is None:
            return None
        n_parts = len(self.models)
        spreads = _read_numbers(self.spreads)
        if spreads.shape != (n_parts,) or not np.isfinite(spreads).all() or spreads.min() <= 0:
            raise InputError(
                f"spreads={self.spreads!r} cannot be the spreads of {n_parts} models: give {n_parts} numbers above 0"
            )
        return spreads

    def _check_weights(self) -> NDArray[np.float64] | None:
        if self.weights is None:
            return None
        n_parts = len(self.models)
        weights = _read_numbers(self.weights)
        if weights.shape != (n_parts,) or not np.isfinite(weights).all() or weights.min() < 0 or not weights.any():
            raise InputError(
                f"weights={self.weights!r} cannot weigh {n_parts} models: give {n_parts} numbers of at least 0, not "
                "all of them 0"
            )
        return np.asarray(weights / weights.sum())

    # Predicting

    @property
    def terms(self) -> list[tuple[float, Estimator]]:
        """The factors and fitted parts whose products add up to the score; parts of weight 0 are left out."""
        check_is_fitted(self)
        factors = (self.weights_ / self.spreads_).tolist()
        return [(factor, model) for factor, model in zip(factors, self.models_, strict=True) if factor]

    def _score_classes(self, table: ClassTable) -> LinearForm | ScoreFunction:
        factors, models = zip(*self.terms, strict=True)
        return blend_scores(factors, [_score_part(model, table) for model in models])

    def _probability_temperature(self) -> float:
        # As flat as the soft maximum of the parts is on average.
        return sum(factor * core_of(model)._probability_temperature() for factor, model in self.terms)

    def contributions(self, X: Array, y: Any, classes: Classes = None) -> Array:
        """Add up the contributions of the attributes to the scores of the parts, by the factors of these.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
            The class of each row, among the candidates.
        classes : ClassTable, data frame, mapping or sequence of labels, optional
            The candidates; by default the table given to `fit`.
        """
        check_is_fitted(self)
        X = check_features(self, X)
        table = self.table_ if classes is None else make_candidate_table(classes, self.table_)
        parts = []
        for factor, model in self.terms:
            preparation = Preparation.of(model)
            if preparation.descriptions:
                raise InputError(
                    f"the part {type(model).__name__} of the blend prepares descriptions by itself, so that its "
                    "attributes are not those of the others: prepare them around the blend, Prepared(Blend(...))"
                )
            parts.append(factor * core_of(model).contributions(preparation.prepare_rows(X), y, classes=table))
        return sum(parts)


def _read_numbers(values: Any) -> NDArray[np.float64]:
    """Return the values as an array, or an empty one if they are not numbers."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.zeros(0)


def _weigh(
    held_out: list[HeldOut], given: NDArray[np.float64] | None, n_parts: int
) -> tuple[NDArray[np.float64], float | None, NDArray[np.float64] | None]:
    """Return the weights, their accuracy on held-out classes, and that of each part."""
    if not held_out:
        return np.full(n_parts, 1 / n_parts) if given is None else given, None, None
    of_parts = np.mean([fold.measure_accuracies(np.eye(n_parts)) for fold in held_out], axis=0)
    if given is None:
        return *choose_weights(held_out), of_parts
    return given, float(np.mean([fold.measure_accuracies(given[None, :]) for fold in held_out])), of_parts


def _score_part(model: Estimator, table: ClassTable) -> LinearForm | ScoreFunction:
    core, preparation = core_of(model), Preparation.of(model)
    prepared = preparation.prepare_table(table)
    if not preparation.features:
        return core._score_classes(prepared)
    return lambda X: core.decision_function(preparation.prepare_rows(X), classes=prepared)


def _measure_on_training_rows(model: Estimator, X: Array, weights: NDArray[np.float64] | None) -> float:
    blocks = cut_row_blocks(X.shape[0], 8 * len(model.classes_), X)
    scores = [compute(model.decision_function(X[rows, :], classes=model.classes_)) for rows in blocks]
    counts = np.ones(X.shape[0]) if weights is None else weights
    return measure_spread(scores, [counts[rows] for rows in blocks])
