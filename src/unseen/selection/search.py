"""Search over a parameter grid as an estimator: it chooses, fits and then predicts."""

from typing import Any, Self

from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.validation import check_is_fitted

from unseen.selection.grid import Estimator, Grid, at_point, fit
from unseen.selection.routing import TakesClasses
from unseen.selection.trials import Choose, Record, Scoring, Splitter, described, select


class ClassDisjointSearch(TakesClasses, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Choose the parameters of an estimator on held-out classes, then fit it on all of them.

    Follows the same protocol as the estimator: `classes` names the candidates when predicting. See `select` for how
    points are tried.

    Parameters
    ----------
    estimator : estimator
        A model, `unseen.models.Prepared` or a pipeline that ends in a model.
    grid : mapping, list of mappings, ParameterGrid or ParameterSampler
        As in scikit-learn.
    splitter, scoring, record, choose, n_jobs, verbose, random_state
        As in `select`.
    refit : bool, default True
        Whether to fit the estimator with the chosen parameters on all rows; without it there is nothing to predict
        with.

    Attributes
    ----------
    best_estimator_ : estimator
        Fitted on all rows given to `fit`, if `refit`.
    best_params_ : dict
    best_score_ : float
        Mean score of the chosen point on held-out classes.
    best_index_ : int
    cv_results_ : dict of ndarray
        The `results` of `Selection`.
    table_ : ClassTable
        The descriptions given to `fit`.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.models import ESZSL
    >>> data = load_dataset("digit-pairs")
    >>> search = ClassDisjointSearch(ESZSL(), {"gamma": [1, 100], "lam": [0.1, 10]}, random_state=0)
    >>> search = search.fit(data.X_train, data.y_train, classes=data.classes)
    >>> sorted(search.best_params_)
    ['gamma', 'lam']
    >>> labels = search.predict(data.X_test_unseen, classes=data.unseen_classes)
    """

    def __init__(
        self,
        estimator: Estimator,
        grid: Grid,
        *,
        splitter: Splitter = None,
        scoring: Scoring = "per-class",
        record: Record = None,
        choose: Choose = None,
        n_jobs: int | None = None,
        refit: bool = True,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.splitter = splitter
        self.scoring = scoring
        self.record = record
        self.choose = choose
        self.n_jobs = n_jobs
        self.refit = refit
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Search, and fit the best on everything.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
        classes : ClassTable, data frame or mapping
            Descriptions of at least the classes in `y`; required, as without descriptions nothing is known of a
            held-out class.
        """
        table = described(classes)
        found = select(
            self.estimator,
            self.grid,
            X,
            y,
            table,
            splitter=self.splitter,
            scoring=self.scoring,
            record=self.record,
            choose=self.choose,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            random_state=self.random_state,
        )
        # Nothing is set before all is done, so that an interrupted search leaves an earlier result whole.
        if self.refit:
            self.best_estimator_ = fit(at_point(self.estimator, found.best_params), X, y, table)
        self.cv_results_ = found.results
        self.best_index_ = found.best_index
        self.best_params_ = found.best_params
        self.best_score_ = found.best_score
        self.table_ = table
        return self

    def predict(self, X: Any, classes: Any = None) -> NDArray[Any]:
        """Return the label of the best candidate for every row, by the best estimator."""
        labels: NDArray[Any] = self._best().predict(X, **_given(classes))
        return labels

    def decision_function(self, X: Any, classes: Any = None) -> Any:
        """Score every row (n, d) against every candidate, by the best estimator."""
        return self._best().decision_function(X, **_given(classes))

    def predict_proba(self, X: Any, classes: Any = None) -> Any:
        """Return a probability for every candidate, by the best estimator."""
        return self._best().predict_proba(X, **_given(classes))

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels of the classes seen in training."""
        labels: NDArray[Any] = self._best().classes_
        return labels

    @property
    def n_features_in_(self) -> int:
        """Width of the features."""
        return int(self._best().n_features_in_)

    def _best(self) -> Estimator:
        check_is_fitted(self, "cv_results_")
        if not hasattr(self, "best_estimator_"):
            raise AttributeError(
                "the search has refit=False, so there is no model to ask: set refit=True and fit again"
            )
        return self.best_estimator_


def _given(classes: Any) -> dict[str, Any]:
    """Pass candidates on only where some are named, as a pipeline takes no `classes` without metadata routing."""
    return {} if classes is None else {"classes": classes}
