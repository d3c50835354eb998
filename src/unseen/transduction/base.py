"""Base class of the transductive refinements, which wrap a model."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from array_api_compat import is_array_api_obj
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, column_or_1d

from unseen.data import ClassTable
from unseen.data.candidates import as_table, make_candidate_table
from unseen.features.anywhere import fit_rows, is_elsewhere, transform_rows
from unseen.models.base import Classes
from unseen.models.state import KeepsState
from unseen.models.wrappers.preparation import Preparation
from unseen.selection.grid import Estimator, Point, clone_at_point, fit, group_runs
from unseen.selection.routing import TakesClasses
from unseen.transduction.batch import Batch, Seen
from unseen.utils.arrays import Array, convert_like, cut_rows, namespace, to_cpu, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.validation import check_matrix, check_row_weights
from unseen.utils.wrapping import Wrapper


class TransductiveClassifier(KeepsState, TakesClasses, Wrapper, ABC):
    """A transductive model: it refines the decisions of another model on a whole batch of unlabelled rows.

    The rows given to one call of `predict` are the batch, so the answer for a row may depend on the other rows. Labels
    of the batch are never used. A subclass implements `_refine`, and `_learn` if it needs the seen rows; it lists the
    attributes that `_learn` sets in `_fitted`.

    Attributes
    ----------
    model_ : estimator
        The fitted model.
    table_ : ClassTable
        The descriptions given to `fit`.
    classes_ : ndarray of shape (n_seen,)
        Labels of the classes seen in training.
    """

    transductive: ClassVar[bool] = True

    # Whether rows may be of any library, and on a device. Other refinements work on the processor, with NumPy.
    any_library: ClassVar[bool] = False

    _fitted: ClassVar[tuple[str, ...]] = ("model_", "classes_", "table_", "features_")

    model: Estimator
    features: Any
    table_: ClassTable

    def fit(self, X: Any, y: Any, classes: Classes = None, *, sample_weight: Any = None) -> Self:
        """Fit a copy of the model, and learn from the seen rows what the refinement needs.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
        classes : ClassTable, data frame or mapping, optional
            The class descriptions, as in any model.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, for a model that takes sample weights and for what the refinement learns.

        Notes
        -----
        Wrap a model in `sklearn.frozen.FrozenEstimator` to keep it as it was fitted.
        """
        self._check_parameters()
        if y is None:
            raise InputError("fit requires y to be passed, but the target y is None: give one label for each row of X")
        return self._keep(fit(clone(self.model), X, y, classes, sample_weight), X, y, classes, sample_weight)

    def fit_grid(
        self, X: Any, y: Any, classes: Classes, points: Sequence[Point], *, sample_weight: Any = None
    ) -> Iterator[Self]:
        """Yield the estimator fitted at each point; see `unseen.selection.GridFitter`.

        The model is fitted once for consecutive points that differ only in parameters of the refinement.
        """
        for common, own in group_runs(points, lambda name: name != "model" and not name.startswith("model__")):
            fitted = fit(clone(clone_at_point(self, common).model), X, y, classes, sample_weight)
            for point in own:
                refined = clone_at_point(self, common | point)
                refined._check_parameters()
                yield refined._keep(fitted, X, y, classes, sample_weight)

    def predict(self, X: Any, classes: Classes = None) -> NDArray[Any]:
        """Return the label of the best candidate for every row of the batch.

        Parameters
        ----------
        X : array of shape (n, d)
            The whole batch.
        classes : ClassTable, data frame, mapping or sequence of labels, optional
            The candidates, as in any model; by default the classes seen in training.
        """
        batch = self._make_batch(X, classes)
        best = [to_numpy(namespace(shares).argmax(shares, axis=1)) for shares in self._predict_shares(batch)]
        return np.asarray(batch.table.labels[np.concatenate(best)])

    def predict_proba(self, X: Any, classes: Classes = None) -> Array:
        """Return the probability of each candidate for every row of the batch, shape (n, m); rows sum to 1."""
        batch = self._make_batch(X, classes)
        shares = namespace(batch.Z).concat(list(self._predict_shares(batch)))
        return convert_like(shares, batch.X) if is_elsewhere(batch.X) else shares

    def decision_function(self, X: Any, classes: Classes = None) -> Array:
        """Return the probabilities, by which the batch is ranked for each candidate."""
        return self.predict_proba(X, classes)

    # Implemented by subclasses

    @abstractmethod
    def _refine(self, batch: Batch) -> Iterator[Array]:
        """Yield probabilities for the blocks `batch.blocks` of at least two rows, in order."""

    def _learn(self, seen: Seen) -> None:
        """Learn from the seen rows."""

    def _check_parameters(self) -> None:
        """Raise an error for invalid parameters."""

    # Shared parts

    def _keep(self, model: Estimator, X: Any, y: Any, classes: Classes, sample_weight: Any) -> Self:
        labels = column_or_1d(to_numpy(y))
        self.model_ = model
        self.classes_ = np.unique(labels)
        self.table_ = ClassTable.one_hot(self.classes_) if classes is None else as_table(classes)
        self.features_ = None if self.features is None else fit_rows(clone(self.features), X, labels)
        vectors = self.table_.vectors[self.table_.index_of(self.classes_, name="y")]
        weights = None if sample_weight is None else check_row_weights(sample_weight, "sample_weight", len(labels))
        self._learn(Seen(self._prepare_rows(X), np.searchsorted(self.classes_, labels), vectors, weights))
        return self

    def _get_fitted_inner(self) -> Estimator:
        """Return the model fitted by `fit`, or the given model if that is fitted already."""
        check_is_fitted(self.inner)
        return self.inner

    def _prepare_rows(self, X: Any) -> Array:
        """Prepare rows for the refinement: by its own transformer, or by that of the model, or not at all."""
        own = getattr(self, "features_", None)
        rows = Preparation.of(self._get_fitted_inner()).prepare_rows(X) if own is None else transform_rows(own, X)
        if is_elsewhere(rows) and self.any_library:
            return rows
        matrix = check_matrix(to_cpu(rows, f"{type(self).__name__} refines"), "X")
        return matrix if matrix.dtype in (np.float32, np.float64) else matrix.astype(np.float64)

    def _make_batch(self, X: Any, classes: Classes) -> Batch:
        self._check_parameters()
        if hasattr(X, "tocsr"):
            X = X.tocsr()  # the only sparse format that is read in blocks of rows
        elif not is_array_api_obj(X):
            X = np.asarray(X)
        table = self.table_.select(self.classes_) if classes is None else make_candidate_table(classes, self.table_)
        return Batch(self._get_fitted_inner(), X, self._prepare_rows(X), table)

    def _get_known_classes(self) -> tuple[NDArray[Any], ClassTable]:
        # A refinement of a fitted model can predict without being fitted itself.
        return self.classes_, self.table_

    def _predict_shares(self, batch: Batch) -> Iterator[NDArray[Any]]:
        if batch.n >= 2 and len(batch.table) >= 2:
            yield from self._refine(batch)
            return
        if batch.n == 1:
            warnings.warn(
                "the batch has a single row, so there is nothing to adapt to: the answer is that of the model alone",
                UserWarning,
                stacklevel=4,
            )
        for rows in batch.blocks:
            yield convert_like(batch.model.predict_proba(cut_rows(batch.X, rows), classes=batch.table), batch.Z)
