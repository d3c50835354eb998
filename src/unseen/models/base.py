"""Base class of all models: scikit-learn's estimator protocol, with the class table as metadata."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from array_api_compat import is_dask_array
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from unseen.confidence import soft_maximum
from unseen.data import ClassTable
from unseen.data.candidates import as_table, make_candidate_table
from unseen.features import DescriptionScaling, FeatureScaling, Rows
from unseen.features.reading.dask_rows import make_rows
from unseen.models.input_checks import check_features, check_weights, refuse_alike, refuse_huge
from unseen.models.scoring import LastScorer, Scorer
from unseen.models.scoring import LinearForm as LinearForm
from unseen.models.scoring import ScoreFunction as ScoreFunction
from unseen.models.state import KeepsState
from unseen.selection.routing import TakesClasses
from unseen.utils.arrays import Array, as_backend, as_chunk, convert_like, cut_row_blocks, namespace, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice
from unseen.utils.wrapping import unwrap

# Accepted as `classes`: a table, anything a table is made from, or labels of the table given to fit.
Classes = Any

# A few values around the default of each parameter.
SmallGrid = Mapping[str, Sequence[Any]]

# Features up to this size are scaled once, in memory; larger ones (memory maps among them) whenever they are read.
SCALED_COPY_BYTES = 2**28


class CandidateClassifier(KeepsState, TakesClasses, ClassifierMixin, BaseEstimator, ABC):
    """A classifier whose classes are given by descriptions, so that candidates may change from call to call.

    This is what a model and a blend of models have in common. A model derives from `ZeroShotClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_seen,)
        Labels of the classes seen in training, which are the candidates when `predict` is given no others.
    table_ : ClassTable
        All descriptions given to `fit`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (d,)
        Column names of the data frame given to `fit`; set only if X was a data frame.
    """

    _fitted: ClassVar[tuple[str, ...]] = ("classes_", "table_", "n_features_in_", "feature_names_in_")

    # Grid that `unseen fit --select` searches.
    default_grid: ClassVar[SmallGrid] = {}

    def _restore(self, state: Mapping[str, Any]) -> None:
        super()._restore(state)
        self._forget_scorers()

    def _forget_scorers(self) -> None:
        """Forget what was computed for candidates, because the model has changed."""
        self._scorers = LastScorer()

    def fit(self, X: Array, y: Any, classes: Classes = None) -> Self:
        """Learn from images of seen classes.

        Parameters
        ----------
        X : array of shape (n, d)
            Features, in memory or memory-mapped, from NumPy, PyTorch or any array API library; or a Dask array, for
            which every pass over the rows is one reduction on its cluster.
        y : array-like of shape (n,)
            The class label of each row.
        classes : ClassTable, data frame or mapping, optional
            Descriptions of at least the classes in `y`; further classes are kept as candidates for later. Without it
            every class is described by its own unit vector, which makes the model an ordinary classifier. With
            `scaling="auto"` a constant feature is then added, whose weights are the offsets of the classes.
        """
        return self._learn_from(X, y, classes)

    def _learn_from(self, X: Array, y: Any, classes: Classes, sample_weight: Any = None) -> Self:
        if y is None:
            raise InputError("fit requires y to be passed, but the target y is None: give one label for each row of X")
        X, y = check_features(self, X, y)
        check_classification_targets(y)
        self.classes_, encoded = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(
                f"y holds only one class ({self.classes_[0]!r}): training needs rows of at least two classes"
            )
        self.table_ = ClassTable.one_hot(self.classes_) if classes is None else as_table(classes)
        self.table_.index_of(self.classes_, name="y")
        self._forget_scorers()
        weights = None if sample_weight is None else check_weights(sample_weight, encoded, self.classes_, as_chunk(X))
        self._fit_checked(X, encoded, weights, described=classes is not None)
        return self

    @abstractmethod
    def _fit_checked(self, X: Array, y: NDArray[np.int64], weights: Array | None, *, described: bool) -> None:
        """Learn from checked features, labels as positions in `classes_`, and weights in double precision."""

    @abstractmethod
    def _score_classes(self, table: ClassTable) -> LinearForm | ScoreFunction:
        """Prepare to score checked features, not scaled yet, against the classes of a table.

        Return E (d, m) and b (m,) with scores = X E + b, or a function from X (n, d) to scores (n, m).
        """

    @abstractmethod
    def contributions(self, X: Array, y: Any, classes: Classes = None) -> Array:
        """Decompose the score of every row for its class y into contributions of the attributes, shape (n, d_s)."""

    # Predicting

    def decision_function(self, X: Array, classes: Classes = None) -> Array:
        """Score every row against every candidate class.

        Parameters
        ----------
        X : array of shape (n, d)
        classes : ClassTable, data frame, mapping or sequence of labels, optional
            The candidates: descriptions of any number of classes, seen or unseen, or labels of the table given to
            `fit`. By default the classes seen in training.

        Returns
        -------
        scores : array of shape (n, m), columns in the order of the candidates
            For two seen classes and no `classes`, shape (n,): the second minus the first, as in scikit-learn.
        """
        X, table, scorer = self._prepare(X, classes)
        scores = scorer(X)
        return scores[:, 1] - scores[:, 0] if classes is None and len(table) == 2 else scores

    def predict(self, X: Array, classes: Classes = None) -> NDArray[Any]:
        """Return the label of the best candidate for every row (see `decision_function`)."""
        X, table, scorer = self._prepare(X, classes)
        xp = namespace(X)
        blocks = cut_row_blocks(X.shape[0], 8 * len(table), X)
        best = [to_numpy(xp.argmax(scorer.compare(X[rows, :]), axis=1)) for rows in blocks]
        return np.asarray(table.labels[np.concatenate(best)])

    def predict_proba(self, X: Array, classes: Classes = None) -> Array:
        """Return a probability for every candidate: the soft maximum of the scores at the model's temperature."""
        X, _, scorer = self._prepare(X, classes)
        return soft_maximum(scorer.compare(X), self._probability_temperature())

    def _probability_temperature(self) -> float:
        return 1.0

    def _prepare(self, X: Array, classes: Classes) -> tuple[Array, ClassTable, Scorer]:
        """Return the checked features, the candidates, and the scorer for them."""
        check_is_fitted(self)
        table = self.table_.select(self.classes_) if classes is None else make_candidate_table(classes, self.table_)
        scorer = self._scorers.get(table, self._make_scorer)
        return scorer.check(X), table, scorer

    def _make_scorer(self, table: ClassTable) -> Scorer:
        return Scorer(self._score_classes(table), partial(check_features, self))


class ZeroShotClassifier(CandidateClassifier):
    """A model that learns from scaled features and descriptions, and scores any candidates by their descriptions.

    A subclass implements `_fit` and `_scores_against`, and lists the attributes that `_fit` sets in `_fitted`. Its own
    attributes are those of every classifier here:

    Attributes
    ----------
    classes_ : ndarray of shape (n_seen,)
        Labels of the classes seen in training, which are the candidates when `predict` is given no others.
    table_ : ClassTable
        All descriptions given to `fit`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (d,)
        Column names of the data frame given to `fit`; set only if X was a data frame.
    """

    scaling: Literal["auto"] | None

    # Whether the model learns class offsets itself, so that it needs no constant feature for them.
    _has_offsets: ClassVar[bool] = False

    _fitted: ClassVar[tuple[str, ...]] = ("_feature_scaling", "_description_scaling")

    @abstractmethod
    def _fit(self, phi: Rows, y: Array, psi: Array) -> None:
        """Learn from scaled features, labels as row numbers of `psi`, and scaled descriptions of the seen classes."""

    @abstractmethod
    def _scores_against(self, psi: Array) -> LinearForm | ScoreFunction:
        """Prepare to score scaled features against scaled descriptions (m, d_s).

        Return E (d, m) and b (m,) with scores = phi E + b, or a function from phi (n, d) to scores (n, m) if the scores
        are not affine in phi.
        """

    def _quadratic_form(self) -> tuple[Array, Array] | None:
        """Return M (d, d_s) and Q (d_s, d_s) with scores = phi M psi^T + psi Q psi^T, or None otherwise."""
        return None

    def _contributions(self, phi: Array, psi: Array) -> Array:
        """Return the contribution of each attribute to the score of each pair of scaled rows, shape (n, d_s)."""
        form = self._quadratic_form()
        if form is None:
            raise InputError(f"the score of {type(self).__name__} is not a sum over attributes: explain another model")
        M, Q = (convert_like(part, psi) for part in form)
        return (convert_like(phi, psi) @ M + psi @ Q) * psi

    def contributions(self, X: Array, y: Any, classes: Classes = None) -> Array:
        """Decompose the score of every row for a class into contributions of the attributes.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
            The class of each row, among the candidates.
        classes : ClassTable, data frame, mapping or sequence of labels, optional
            The candidates; by default the table given to `fit`.

        Returns
        -------
        contributions : array of shape (n, d_s)
            Each row sums to the score that `decision_function` gives the row for its class.
        """
        phi, psi, _ = self._prepare_pairs(X, y, classes)
        return self._contributions(phi, psi)

    def _prepare_pairs(self, X: Array, y: Any, classes: Classes) -> tuple[Array, Array, Array]:
        """Check rows with a class each; return scaled features, scaled descriptions and descriptions."""
        check_is_fitted(self)
        X = check_features(self, X)
        table = self.table_ if classes is None else make_candidate_table(classes, self.table_)
        vectors = as_backend(table.vectors[table.index_of(y, name="y")], X)
        if vectors.shape[0] != X.shape[0]:
            raise InputError(f"y has {vectors.shape[0]} labels for {X.shape[0]} rows of X: give one label for each row")
        psi = as_backend(self._description_scaling.apply(as_backend(vectors, self._description_scaling.mean)), X)
        return self._feature_scaling.apply(X), psi, vectors

    def _fit_checked(self, X: Array, y: NDArray[np.int64], weights: Array | None, *, described: bool) -> None:
        seen, model = self.table_.select(self.classes_), as_chunk(X)
        self._fit_scaling(X, seen, weights, offsets=not described and not self._has_offsets)
        psi = self._scale_descriptions(seen, model)
        encoded = namespace(model).asarray(y, device=model.device)
        self._fit(self._make_training_rows(X), encoded, psi, *(() if weights is None else (weights,)))

    def _score_classes(self, table: ClassTable) -> LinearForm | ScoreFunction:
        scores = self._scores_against(self._scale_descriptions(table, self._feature_scaling.mean))
        if callable(scores):
            return lambda X: scores(self._feature_scaling.apply(X))
        return self._feature_scaling.fold(*scores)

    # Scaling

    def _fit_scaling(self, X: Array, seen: ClassTable, weights: Array | None, *, offsets: bool) -> None:
        auto = check_choice(self.scaling, ("auto", None), "scaling") == "auto"
        vectors = as_backend(seen.vectors, as_chunk(X))
        refuse_alike(vectors)
        if not auto:
            refuse_huge(X)
        self._feature_scaling = FeatureScaling.fit(X, weights) if auto else FeatureScaling.identity(X)
        if auto and offsets:
            self._feature_scaling = self._feature_scaling.with_constant()
        self._description_scaling = DescriptionScaling.fit(vectors) if auto else DescriptionScaling.identity(vectors)

    def _make_training_rows(self, X: Array) -> Rows:
        if self.scaling is None:
            return make_rows(X)
        if not is_dask_array(X) and X.shape[0] * X.shape[1] * 8 <= SCALED_COPY_BYTES:
            return Rows(self._feature_scaling.apply(X))
        scaling = self._feature_scaling
        return make_rows(X, scaling.mean, scaling.factor, constant=scaling.constant)

    def _scale_descriptions(self, table: ClassTable, X: Array) -> Array:
        return self._description_scaling.apply(as_backend(table.vectors, X))


def core_of(model: Any) -> CandidateClassifier:
    """Return the model (or blend of models) of this package inside any wrappers, or raise an error if there is none."""
    core = unwrap(model)
    if not isinstance(core, CandidateClassifier):
        raise InputError(f"model={model!r} holds a {type(core).__name__}: give a fitted model of unseen.models")
    return core
