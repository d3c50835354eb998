"""Combine a model with the preparation of its features and class descriptions."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d

from unseen.data import ClassTable
from unseen.data.candidates import as_table, extend_table, make_candidate_table
from unseen.features.anywhere import transform_rows
from unseen.models.base import Classes
from unseen.models.state import KeepsState
from unseen.models.wrappers.going_on import learn_more, require_partial_fit
from unseen.selection.grid import Estimator, Point, clone_at_point, fit, fit_grid, fit_transform, group_runs
from unseen.selection.routing import TakesClasses
from unseen.utils.arrays import Array, to_numpy, widen
from unseen.utils.errors import InputError
from unseen.utils.wrapping import Wrapper


class Prepared(KeepsState, TakesClasses, Wrapper):
    """A model whose features and class descriptions first go through scikit-learn transformers.

    The transformer of the features is fitted on the training rows, and that of the descriptions on the vectors of the
    seen classes. Both are then applied to all later data, including tables of unseen classes.

    Parameters
    ----------
    model : estimator
        Model to fit on the prepared data: any model of this package, or a pipeline that ends in one.
    features : transformer or None
        Transformer of the rows of X, for example `make_pipeline(UnitNorm(), PCA(300))`.
    descriptions : transformer or None
        Transformer of the class descriptions, for example `SimplexCoder()`.

    Attributes
    ----------
    model_, features_, descriptions_ : fitted estimators (or None)
    table_ : ClassTable
        The descriptions given to `fit`, before preparation.
    classes_ : ndarray of shape (n_seen,)
        Labels of the classes seen in training.

    Notes
    -----
    Parameters of the parts are set as in any nested estimator: `model__lam`, `features__pca__n_components`,
    `descriptions__gamma`. A search over a grid fits each preparation once for all the points that share it, and may
    choose among preparations: `{"descriptions": list_description_choices(table.vectors)}`.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> from unseen import load_dataset
    >>> from unseen.features.descriptions.simplex_coder import SimplexCoder
    >>> from unseen.models import ESZSL
    >>> data = load_dataset("digit-pairs")
    >>> model = Prepared(ESZSL(), features=PCA(40), descriptions=SimplexCoder(gamma=0.1))
    >>> model = model.fit(data.X_train, data.y_train, classes=data.classes)
    >>> model.model_.table_.width
    70
    >>> labels = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    """

    _fitted = ("model_", "features_", "descriptions_", "table_")

    def __init__(self, model: Estimator, *, features: Any = None, descriptions: Any = None) -> None:
        self.model = model
        self.features = features
        self.descriptions = descriptions

    def fit(self, X: Array, y: Any, classes: Classes = None, *, sample_weight: Any = None) -> Self:
        """Fit the transformers, then the model on the prepared data.

        Parameters
        ----------
        X : array of shape (n, d), or whatever `features` takes
        y : array-like of shape (n,)
        classes : ClassTable, data frame or mapping, optional
            As in any model. Only the vectors of the classes in `y` shape the preparation.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, for a model and transformers that take sample weights; others, such as PCA, count each
            row once.
        """
        phi, table = self._fit_features(X, y, sample_weight), self._fit_descriptions(y, classes)
        self.model_ = fit(clone(self.model), phi, y, table, sample_weight)
        return self

    @available_if(lambda self: require_partial_fit(self.inner))
    def partial_fit(self, X: Array, y: Any, classes: Classes = None, *, sample_weight: Any = None) -> Self:
        """Go on learning from further rows, which are prepared as those of the first call, a `fit`.

        Only where the model can, as `GaussianJFA` can.

        Parameters
        ----------
        X : array of shape (n, d), or whatever `features` takes
        y : array-like of shape (n,)
        classes : ClassTable, data frame or mapping, optional
            Descriptions of classes that the table given to `fit` does not have.
        sample_weight : array-like of shape (n,), optional
            Weight of each row.
        """
        if not hasattr(self, "model_"):
            return self.fit(X, y, classes, sample_weight=sample_weight)
        table = self.table_ if classes is None else extend_table(self.table_, classes)
        table.index_of(np.unique(column_or_1d(to_numpy(y))), name="y")
        learn_more(self.model_, self.prepare_rows(X), y, self.prepare_table(table), sample_weight)
        self.table_ = table
        return self

    def fit_grid(
        self, X: Array, y: Any, classes: Classes, points: Sequence[Point], *, sample_weight: Any = None
    ) -> Iterator[Self]:
        """Yield the estimator fitted at each point; see `unseen.selection.GridFitter`.

        The features are prepared once for consecutive points with the same preparation of features, and descriptions
        once for those among them that differ only in parameters of the model.
        """
        for first, phi, table, own in self.prepare_grid(X, y, classes, points, sample_weight=sample_weight):
            for fitted in fit_grid(first.model, phi, y, table, own, sample_weight=sample_weight):
                yield first.with_model(fitted)

    def prepare_grid(
        self, X: Array, y: Any, classes: Classes, points: Sequence[Point], *, sample_weight: Any = None
    ) -> Iterator[tuple[Self, Array, ClassTable | None, list[dict[str, Any]]]]:
        """Yield each preparation fitted, with the prepared rows and table, and the points of the model that share it.

        See `unseen.selection.grid.Preparing`.
        """
        for of_features, others in group_runs(points, lambda name: name.split("__")[0] != "features"):
            leader = clone_at_point(self, of_features)
            phi = leader._fit_features(X, y, sample_weight)
            for of_descriptions, of_model in group_runs(others, lambda name: name.startswith("model__")):
                first = clone_at_point(leader, of_descriptions)
                first.features_, table = leader.features_, first._fit_descriptions(y, classes)
                yield (
                    first,
                    phi,
                    table,
                    [{name.removeprefix("model__"): point[name] for name in point} for point in of_model],
                )

    def with_model(self, model: Estimator) -> Self:
        """Return this estimator, whose preparation is fitted, with a fitted model inside."""
        prepared = copy(self)
        prepared.model = clone(model)
        prepared.model_ = model
        return prepared

    @property
    def n_features_in_(self) -> int:
        """Number of features before preparation."""
        check_is_fitted(self)
        return int(self._first_fitted().n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Column names of the data frame given to `fit`; available only if X was a data frame."""
        check_is_fitted(self)
        return np.asarray(self._first_fitted().feature_names_in_)

    def _first_fitted(self) -> Any:
        """Return the part that was fitted on the unprepared features."""
        return self.model_ if self.features_ is None else self.features_

    def _fit_descriptions(self, y: Any, classes: Classes) -> ClassTable | None:
        """Fit the transformer of the descriptions on the seen classes; return all prepared, if there are any."""
        seen = np.unique(column_or_1d(to_numpy(y)))
        self.table_ = ClassTable.one_hot(seen) if classes is None else as_table(classes)
        vectors = self.table_.vectors[self.table_.index_of(seen, name="y")]
        self.descriptions_ = None if self.descriptions is None else clone(self.descriptions).fit(vectors)
        return None if classes is None and self.descriptions is None else self.prepare_table(self.table_)

    def _fit_features(self, X: Array, y: Any, sample_weight: Any) -> Array:
        """Fit the transformer of the features; return the prepared rows."""
        self.features_ = None if self.features is None else clone(self.features)
        if self.features_ is None:
            return widen(X)
        try:
            return fit_transform(self.features_, widen(X), y, sample_weight)
        except InputError:
            raise
        except ValueError as error:  # of scikit-learn, such as more principal components than features
            reason = " ".join(str(error).split())
            raise InputError(
                f"features={self.features!r} cannot be fitted to X of shape {tuple(X.shape)} ({reason}): change its "
                "parameters or X"
            ) from error

    def _ask(self, method: str, X: Array, classes: Classes) -> Any:
        check_is_fitted(self)
        named = None if classes is None else self.prepare_table(make_candidate_table(classes, self.table_))
        return super()._ask(method, self.prepare_rows(X), named)

    def prepare_rows(self, X: Array) -> Array:
        """Return rows (n, d) as the model inside receives them."""
        return widen(X) if self.features_ is None else transform_rows(self.features_, X)

    def prepare_table(self, table: ClassTable) -> ClassTable:
        """Return descriptions as the model inside receives them."""
        if self.descriptions_ is None:
            return table
        return ClassTable(self.descriptions_.transform(table.vectors), table.labels)
