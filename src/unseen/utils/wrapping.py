"""Define the base class of estimators that wrap another estimator, and find the model inside."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

# A class table or anything else that names candidates; the estimator inside interprets it.
Classes = Any


class PassedOn:
    """An attribute taken from the fitted estimator inside, unless `fit` of the wrapper sets its own."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, wrapper: "Wrapper | None", owner: type | None = None) -> Any:
        return self if wrapper is None else getattr(wrapper._get_fitted_inner(), self._name)


class Wrapper(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """An estimator that wraps another one and passes on its predictions unless a subclass overrides them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_seen,)
        Labels of the classes seen in training.
    table_ : ClassTable
        All class descriptions given to `fit`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (d,)
        The names of the columns of the data frame given to `fit`; only if it was one.
    """

    # The parameter that holds the estimator, and the attribute that holds it once fitted.
    _holds: ClassVar[tuple[str, str]] = ("model", "model_")

    # Whether all rows of one call are predicted together, so that predicting fewer rows gives other results.
    transductive: ClassVar[bool] = False

    classes_: Any = PassedOn()
    table_: Any = PassedOn()
    n_features_in_: Any = PassedOn()
    feature_names_in_: Any = PassedOn()

    @property
    def inner(self) -> Any:
        """The fitted estimator inside, or the given one before `fit`."""
        given, fitted = self._holds
        return getattr(self, fitted, getattr(self, given))

    def decision_function(self, X: Any, classes: Classes = None) -> Any:
        """Score every row (n, d) against every candidate, as the estimator inside does."""
        return self._ask("decision_function", X, classes)

    def predict(self, X: Any, classes: Classes = None) -> NDArray[Any]:
        """Return the label of the best candidate for every row, as the estimator inside does."""
        return np.asarray(self._ask("predict", X, classes))

    def predict_proba(self, X: Any, classes: Classes = None) -> Any:
        """Return a probability for every candidate, as the estimator inside does."""
        return self._ask("predict_proba", X, classes)

    def _ask(self, method: str, X: Any, classes: Classes) -> Any:
        # Pass candidates on only if some are named: a pipeline accepts no `classes` without metadata routing.
        named = {} if classes is None else {"classes": classes}
        return getattr(self._get_fitted_inner(), method)(X, **named)

    def _get_fitted_inner(self) -> Any:
        """Return the estimator inside after checking that it is fitted."""
        check_is_fitted(self)
        return self.inner


def iterate_layers(model: Any) -> Iterator[Any]:
    """Yield an estimator, the one inside it, and so on down to the model at the core.

    It looks inside the wrappers of this package, and inside pipelines (at their last step), frozen estimators and
    searches of scikit-learn.

    >>> from unseen.models import ESZSL, Prepared
    >>> [type(layer).__name__ for layer in iterate_layers(Prepared(ESZSL()))]
    ['Prepared', 'ESZSL']
    """
    inside = model
    while inside is not None:
        yield inside
        inside = _look_inside(inside)


def unwrap(model: Any) -> Any:
    """Return the model inside all wrappers; see `iterate_layers`.

    >>> from unseen.models import ESZSL, Prepared
    >>> from unseen.transduction import SPZSR
    >>> unwrap(SPZSR(Prepared(ESZSL())))
    ESZSL()
    """
    *_, core = iterate_layers(model)
    return core


def list_refinements(model: Any) -> list[Any]:
    """List the layers of a model that predict all rows of one call together, the outermost first."""
    return [layer for layer in iterate_layers(model) if getattr(layer, "transductive", False)]


def is_transductive(model: Any) -> bool:
    """Tell whether a model, or any layer of it, predicts all rows of one call together.

    >>> from unseen.models import ESZSL
    >>> from unseen.transduction import SPZSR
    >>> is_transductive(ESZSL()), is_transductive(SPZSR(ESZSL()))
    (False, True)
    """
    return bool(list_refinements(model))


def _look_inside(estimator: Any) -> Any:
    if isinstance(estimator, Wrapper):
        return estimator.inner
    if isinstance(estimator, Pipeline):
        return estimator.steps[-1][1]
    if isinstance(estimator, FrozenEstimator):
        return estimator.estimator
    if isinstance(estimator, MetaEstimatorMixin):
        return getattr(estimator, "best_estimator_", getattr(estimator, "estimator", None))
    return None
