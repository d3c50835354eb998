"""The layers of a model that is read from a file only to be asked: the model itself, and what is around it.

Each answers as the estimator of the same name does, because both call the same functions.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unseen.confidence.alone import AloneCalibration
from unseen.confidence.coverage import CoverageCurve
from unseen.confidence.probabilities import soft_maximum
from unseen.data.candidates import make_candidate_table
from unseen.data.class_table import ClassTable
from unseen.features.scaling import DescriptionScaling, FeatureScaling
from unseen.files.scoring.rows import check_rows
from unseen.models.scoring import (
    LastScorer,
    LinearForm,
    ScoreFunction,
    Scorer,
    blend_scores,
    join_seen,
    judge_alone,
    list_penalties,
    penalise,
)
from unseen.utils.arrays import as_backend, widen

Matrix = NDArray[Any]


class Layer(Protocol):
    """What a model needs to be asked: the attributes and methods of an estimator that `predict` uses.

    Attributes
    ----------
    classes_, table_, n_features_in_
        As in every model.
    temperature : float
        That of its probabilities, in units of its scores.
    expected : CoverageCurve or None
        What to expect of its answers, if it is calibrated.
    """

    classes_: NDArray[Any]
    table_: ClassTable
    n_features_in_: int
    temperature: float
    expected: CoverageCurve | None

    def score_classes(self, table: ClassTable) -> LinearForm | ScoreFunction:
        """Prepare to score features against the classes of a table."""

    def decision_function(self, X: Matrix, classes: Any) -> Matrix:
        """Score every row (n, d) against every candidate."""

    def predict_proba(self, X: Matrix, classes: Any) -> Matrix:
        """Return a probability for every row and candidate."""


@dataclass
class Core(ABC):
    """A model, or a blend of models: it scores classes, and the soft maximum of the scores are probabilities."""

    classes_: NDArray[Any]
    table_: ClassTable
    n_features_in_: int
    temperature: float = 1.0
    expected: CoverageCurve | None = field(default=None, init=False)
    _scorers: LastScorer = field(default_factory=LastScorer, init=False, repr=False)

    @abstractmethod
    def score_classes(self, table: ClassTable) -> LinearForm | ScoreFunction:
        """Prepare to score features against the classes of a table."""

    def decision_function(self, X: Matrix, classes: Any) -> Matrix:
        """Score every row against every candidate."""
        scorer = self._prepare(classes)
        return np.asarray(scorer(scorer.check(X)))

    def predict_proba(self, X: Matrix, classes: Any) -> Matrix:
        """Return a probability for every row and candidate."""
        scorer = self._prepare(classes)
        return np.asarray(soft_maximum(scorer.compare(scorer.check(X)), self.temperature))

    def _prepare(self, classes: Any) -> Scorer:
        table = make_candidate_table(classes, self.table_)
        return self._scorers.get(table, lambda asked: Scorer(self.score_classes(asked), check_rows))


@dataclass
class AffineModel(Core):
    """A model whose scores are affine in the scaled features.

    Attributes
    ----------
    feature_scaling, description_scaling
        How features and descriptions are scaled.
    against : callable
        Function from scaled descriptions psi (m, d_s) to E and b, as `_scores_against` of the model.
    """

    feature_scaling: FeatureScaling = field(kw_only=True)
    description_scaling: DescriptionScaling = field(kw_only=True)
    against: Callable[[Matrix], LinearForm] = field(kw_only=True)

    def score_classes(self, table: ClassTable) -> LinearForm:
        """Return E (d, m) and b (m,) with scores = X E + b."""
        psi = self.description_scaling.apply(as_backend(table.vectors, self.feature_scaling.mean))
        return self.feature_scaling.fold(*self.against(psi))


@dataclass
class BlendedModels(Core):
    """Models whose scores are added up, multiplied by factors."""

    factors: Sequence[float] = field(kw_only=True)
    models: Sequence[Layer] = field(kw_only=True)

    def score_classes(self, table: ClassTable) -> LinearForm | ScoreFunction:
        """Add up how the parts score classes."""
        return blend_scores(self.factors, [model.score_classes(table) for model in self.models])


@dataclass
class PreparedModel:
    """A model whose rows and descriptions are prepared first; a side without a preparation has None."""

    table_: ClassTable
    model: Layer
    features: Callable[[Matrix], Matrix] | None
    descriptions: Callable[[Matrix], Matrix] | None
    n_features_in_: int

    def __post_init__(self) -> None:
        self.classes_, self.temperature, self.expected = (
            self.model.classes_,
            self.model.temperature,
            self.model.expected,
        )

    def score_classes(self, table: ClassTable) -> LinearForm | ScoreFunction:
        """Prepare to score rows that are not prepared yet."""
        prepared = self._prepare_table(table)
        if self.features is None:
            return self.model.score_classes(prepared)
        return lambda X: self.model.decision_function(self._prepare_rows(X), prepared)

    def decision_function(self, X: Matrix, classes: Any) -> Matrix:
        """Score every row against every candidate."""
        return self.model.decision_function(self._prepare_rows(X), self._prepare_table(classes))

    def predict_proba(self, X: Matrix, classes: Any) -> Matrix:
        """Return a probability for every row and candidate."""
        return self.model.predict_proba(self._prepare_rows(X), self._prepare_table(classes))

    def _prepare_rows(self, X: Matrix) -> Matrix:
        rows = widen(X)
        return rows if self.features is None else self.features(rows)

    def _prepare_table(self, classes: Any) -> ClassTable:
        table = make_candidate_table(classes, self.table_)
        if self.descriptions is None:
            return table
        return ClassTable(self.descriptions(table.vectors), table.labels)


@dataclass
class CalibratedModel:
    """A model with a temperature, and a penalty of seen candidates among unseen ones."""

    model: Layer
    calibrated_temperature: float | None
    curve: CoverageCurve | None
    seen_penalty: float | None
    alone: AloneCalibration | None

    def __post_init__(self) -> None:
        self.classes_, self.table_ = self.model.classes_, self.model.table_
        self.n_features_in_, calibrated = self.model.n_features_in_, self.calibrated_temperature
        self.temperature = self.model.temperature if calibrated is None else calibrated
        self.expected = None if self.calibrated_temperature is None else self.curve

    def score_classes(self, table: ClassTable) -> ScoreFunction:
        """Prepare to score rows, penalties included."""
        return lambda X: self.decision_function(X, table)

    def decision_function(self, X: Matrix, classes: Any) -> Matrix:
        """Score every row against every candidate."""
        table = make_candidate_table(classes, self.table_)
        penalties = list_penalties(self.seen_penalty, table, self.classes_)
        return np.asarray(penalise(self.model.decision_function(X, table), penalties))

    def predict_alone(self, X: Matrix, classes: Any, *, prior: float = 0.5) -> Matrix:
        """Return a probability for every row and candidate by itself; only where `alone` is there."""
        if self.alone is None:
            raise TypeError("labels by themselves were not calibrated")
        joint = join_seen(make_candidate_table(classes, self.table_), self.table_.select(self.classes_))
        scores = self.model.decision_function(X, joint.table)
        return judge_alone(scores, joint, self.temperature, self.alone, prior)

    def predict_proba(self, X: Matrix, classes: Any) -> Matrix:
        """Return a probability for every row and candidate."""
        if self.calibrated_temperature is None:
            return self.model.predict_proba(X, classes)
        return np.asarray(soft_maximum(self.decision_function(X, classes), self.calibrated_temperature))
