"""Search a parameter grid with an estimator that chooses the parameters, then fits and predicts."""

from typing import Any, ClassVar, Self

from sklearn.utils.validation import check_is_fitted

from unseen.selection.folds import Splitter, require_descriptions
from unseen.selection.grid import Estimator, Grid, clone_at_point, fit
from unseen.selection.routing import TakesClasses
from unseen.selection.selecting import Choose, select
from unseen.selection.trials import Record, Scoring
from unseen.utils.validation import check_flag
from unseen.utils.wrapping import Wrapper


class ClassDisjointSearch(TakesClasses, Wrapper):
    """Choose the parameters of an estimator on held-out classes, then fit it on all of them.

    It has the same interface as the estimator: in prediction, `classes` names the candidates. See `select` for how
    points are tried.

    Parameters
    ----------
    estimator : estimator
        A model, `unseen.models.Prepared` or a pipeline that ends in a model.
    grid : mapping, list of mappings, ParameterGrid or ParameterSampler
        Parameter names and lists of values, as in scikit-learn.
    splitter, scoring, halving, record, choose, n_jobs, verbose, random_state
        As in `select`.
    refit : bool, default True
        Whether to fit the estimator with the chosen parameters on all rows. It is needed for prediction.

    Attributes
    ----------
    best_estimator_ : estimator
        The estimator fitted on all rows given to `fit`, if `refit`.
    best_params_ : dict
        Parameters of the chosen point.
    best_score_ : float
        Mean score of the chosen point on held-out classes.
    best_index_ : int
        Index of the chosen point.
    cv_results_ : dict of ndarray
        The `results` of `Selection`.
    table_ : ClassTable
        Class descriptions given to `fit`.

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

    _holds: ClassVar[tuple[str, str]] = ("estimator", "best_estimator_")

    def __init__(
        self,
        estimator: Estimator,
        grid: Grid,
        *,
        splitter: Splitter = None,
        scoring: Scoring = "per-class",
        halving: bool = True,
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
        self.halving = halving
        self.record = record
        self.choose = choose
        self.n_jobs = n_jobs
        self.refit = refit
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any, classes: Any = None, *, sample_weight: Any = None) -> Self:
        """Search the grid, then fit the estimator with the best parameters on all rows.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
        classes : ClassTable, data frame or mapping
            Descriptions of at least the classes in `y`. They are required, because held-out classes are known only by
            their descriptions.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, for an estimator that accepts weights; see `select`.
        """
        refit = check_flag(self.refit, "refit")
        table = require_descriptions(classes)
        found = select(
            self.estimator,
            self.grid,
            X,
            y,
            table,
            splitter=self.splitter,
            scoring=self.scoring,
            halving=self.halving,
            record=self.record,
            choose=self.choose,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            random_state=self.random_state,
            sample_weight=sample_weight,
        )
        # Attributes are set last, so that an interrupted search leaves an earlier result intact.
        if refit:
            self.best_estimator_ = fit(clone_at_point(self.estimator, found.best_params), X, y, table, sample_weight)
        self.cv_results_ = found.results
        self.best_index_ = found.best_index
        self.best_params_ = found.best_params
        self.best_score_ = found.best_score
        self.table_ = table
        return self

    def _get_fitted_inner(self) -> Estimator:
        check_is_fitted(self, "cv_results_")
        if not hasattr(self, "best_estimator_"):
            raise AttributeError(
                "the search has refit=False, so there is no model to ask: set refit=True and fit again"
            )
        return self.inner
