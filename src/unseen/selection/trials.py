"""Try the points of a parameter grid on held-out seen classes, which take the place of unseen ones."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain, pairwise
from time import perf_counter
from typing import Any, Literal, TypeAlias

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import column_or_1d

from unseen.data import ClassTable
from unseen.data.candidates import as_table
from unseen.selection.grid import Estimator, Grid, GridFitter, Point, fit_grid, list_grid_points
from unseen.selection.splitters import HoldOutClasses
from unseen.utils import arrays
from unseen.utils.arrays import is_foreign, to_numpy
from unseen.utils.devices import refuse_processes
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import Registry
from unseen.utils.validation import check_flag, check_row_weights
from unseen.utils.workers import Task, explain_lost_worker, limit_jobs

Scoring = Literal["per-class", "per-image"] | Callable[[NDArray[Any], NDArray[Any]], float]
Splitter: TypeAlias = BaseCrossValidator | Iterable[tuple[Any, Any]] | None
Results = dict[str, NDArray[Any]]
Record = Callable[[Estimator], Mapping[str, float]] | None
Choose = Callable[[Results], int] | None
OnFits = Callable[[int, int], None]

SCORINGS: Registry[Callable[..., float]] = Registry(
    "scoring", {"per-class": balanced_accuracy_score, "per-image": accuracy_score}, other="a function"
)

# An estimator that shares work between points gets few long tasks, but enough to keep every worker busy to the end.
_TASKS_PER_WORKER = 2


@dataclass(frozen=True, eq=False)
class Selection:
    """Result of a search.

    Attributes
    ----------
    results : dict of ndarray of shape (n_points,)
        `params` and a `param_<name>` for each parameter, `split<k>_test_score`, `mean_test_score`, `std_test_score`,
        `rank_test_score` (as in scikit-learn's `cv_results_`), `mean_time` (seconds to fit and score on one split),
        and `mean_<name>` of each recorded number. A data frame can be made from it directly.
    best_index : int
        Index of the chosen point, by default the first with the best mean score.
    """

    results: Results
    best_index: int

    @property
    def best_params(self) -> dict[str, Any]:
        """The parameters of the chosen point."""
        params: dict[str, Any] = self.results["params"][self.best_index]
        return params

    @property
    def best_score(self) -> float:
        """The mean score of the chosen point on held-out classes."""
        return float(self.results["mean_test_score"][self.best_index])


def select(
    estimator: Estimator,
    grid: Grid,
    X: Any,
    y: Any,
    classes: Any,
    *,
    splitter: Splitter = None,
    scoring: Scoring = "per-class",
    record: Record = None,
    choose: Choose = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    on_fits: OnFits | None = None,
    random_state: Any = None,
    sample_weight: Any = None,
) -> Selection:
    """Try every point of a grid on held-out classes.

    For each split, the estimator is fitted only on the rows and descriptions of the training classes, and so are the
    scalings and codes of descriptions. It then predicts the held-out rows, with the held-out classes as candidates.

    Parameters
    ----------
    estimator : estimator
        An estimator with `fit(X, y, classes=...)` and `predict(X, classes=...)`: a model, `unseen.models.Prepared` or a
        scikit-learn pipeline that ends in a model. Its method `fit_grid` is used if it has one (see `GridFitter`).
    grid : mapping, list of mappings, ParameterGrid or ParameterSampler
        Parameter names and lists of values, as in scikit-learn.
    X : array of shape (n, d)
    y : array-like of shape (n,)
    classes : ClassTable, data frame or mapping
        Descriptions of at least the classes in `y`.
    splitter : splitter or iterable of (train, test) row indices, optional
        Class-disjoint splits; by default `HoldOutClasses(0.2, n_splits=3, random_state=random_state)`.
    scoring : "per-class" (default), "per-image" or callable
        Mean accuracy over classes, accuracy over rows, or any function of true and predicted labels to maximise.
    record : callable, optional
        Function of a fitted estimator that returns named numbers for the results, averaged over the splits.
    choose : callable, optional
        Function of the results that returns the index of the point to choose.
    n_jobs : int, optional
        Number of processes, as in joblib; no more are started than there are fits or cores.
    verbose : bool, default False
        Whether to show a progress bar on a terminal.
    on_fits : callable, optional
        Called with the number of finished fits and of all fits; it replaces `verbose`.
    random_state : int, RandomState or None
        Seed of the default splitter.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, in learning and in the accuracy. A function given as `scoring` does not receive it.

    Returns
    -------
    Selection
    """
    verbose = check_flag(verbose, "verbose")
    points = list_grid_points(estimator, grid)
    y = column_or_1d(to_numpy(y))
    folds = list(
        make_class_disjoint_folds(
            splitter or HoldOutClasses(random_state=random_state), X, y, require_descriptions(classes)
        )
    )
    n_fits = len(points) * len(folds)
    n_jobs = limit_jobs(n_jobs, n_fits)
    refuse_processes(X, n_jobs)
    shared = isinstance(estimator, GridFitter)
    chunks = (
        _cut_chunks(points, len(folds), joblib.effective_n_jobs(n_jobs)) if shared else [[point] for point in points]
    )
    weights = None if sample_weight is None else check_row_weights(sample_weight, "sample_weight", len(y))
    trial = _Trial(estimator, X, y, weights, _make_scorer(scoring), record)
    # Ordered by chunk: the first points of a grid tend to be the slowest, and long tasks should not come last.
    tasks = [joblib.delayed(Task(trial.run))(fold, chunk) for chunk in chunks for fold in folds]
    bar = _show_progress_bar(n_fits) if verbose and on_fits is None else nullcontext(on_fits or _ignore)
    with bar as told:
        done = _carry_out(tasks, n_fits, n_jobs, told)
    by_fold = [list(chain.from_iterable(done[at :: len(folds)])) for at in range(len(folds))]
    results = _tabulate(points, by_fold)
    best = int(np.argmax(results["mean_test_score"]) if choose is None else choose(results))
    return Selection(results, best)


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows and descriptions of the training classes and of the held-out classes."""

    name: str
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    seen: ClassTable
    held_out: ClassTable


@dataclass(frozen=True)
class _Outcome:
    score: float
    seconds: float
    noted: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class _Trial:
    """The work on one fold; an instance is sent to each process."""

    estimator: Estimator
    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64] | None
    score: Callable[[NDArray[Any], NDArray[Any], NDArray[np.float64] | None], float]
    record: Record

    def run(self, fold: Fold, points: Sequence[Point]) -> list[_Outcome]:
        """Fit the estimator at each point on the training classes, and score it on the held-out ones."""
        X, y = take_rows(self.X, fold.train), self.y[fold.train]
        models = fit_grid(self.estimator, X, y, fold.seen, points, sample_weight=self._take_weights(fold.train))
        X_test = take_rows(self.X, fold.test)
        return [self._try_point(models, point, X_test, fold) for point in points]

    def _try_point(self, models: Iterator[Estimator], point: Point, X_test: Any, fold: Fold) -> _Outcome:
        start = perf_counter()
        with _name_point(point, fold):
            model = next(models)
            predicted = model.predict(X_test, classes=fold.held_out)
            score = float(self.score(self.y[fold.test], predicted, self._take_weights(fold.test)))
            if not np.isfinite(score):
                raise InputError(f"scoring gave {score}, which cannot be compared: return a finite number")
            noted = {} if self.record is None else self.record(model)
        return _Outcome(score, perf_counter() - start, noted)

    def _take_weights(self, rows: NDArray[np.int64]) -> NDArray[np.float64] | None:
        return None if self.weights is None else self.weights[rows]


@contextmanager
def _name_point(point: Point, fold: Fold) -> Iterator[None]:
    """Add the point and the fold to an error message."""
    where = f"{', '.join(f'{name}={value!r}' for name, value in point.items()) or 'its defaults'} ({fold.name})"
    try:
        yield
    except ValueError as error:
        raise InputError(f"the search stopped at {where}: {error}") from error
    except Exception as error:
        error.add_note(f"The search stopped at {where}.")
        raise


def make_class_disjoint_folds(splitter: Any, X: Any, y: NDArray[Any], table: ClassTable) -> Iterator[Fold]:
    """Yield the folds of a splitter, or of pairs of row indices, after checking that they are class-disjoint."""
    table.index_of(y, name="y")
    pairs = list(splitter.split(X, y) if hasattr(splitter, "split") else splitter)
    for at, (train, test) in enumerate(pairs, start=1):
        seen, held_out = np.unique(y[train]), np.unique(y[test])
        shared = np.intersect1d(seen, held_out)
        if shared.size:
            raise InputError(
                f"splitter puts {shorten(shared)} on both sides of split {at}: hold out whole classes, "
                "for example with HoldOutClasses or ClassKFold"
            )
        if min(len(seen), len(held_out)) < 2:
            raise InputError(
                f"splitter leaves {len(seen)} training and {len(held_out)} held-out classes in split {at}: "
                "both sides need at least two"
            )
        yield Fold(f"split {at} of {len(pairs)}", train, test, table.select(seen), table.select(held_out))


def require_descriptions(classes: Any) -> ClassTable:
    """Return the class table, or refuse if there is none: the search needs class descriptions."""
    if classes is None:
        raise InputError(
            "classes is None, but held-out classes are known only by their descriptions: "
            "give a ClassTable, a data frame or a mapping from label to description"
        )
    return as_table(classes)


def _cut_chunks(points: list[dict[str, Any]], n_folds: int, n_workers: int) -> list[list[dict[str, Any]]]:
    wanted = 1 if n_workers == 1 else -(-_TASKS_PER_WORKER * n_workers // n_folds)
    bounds = np.linspace(0, len(points), min(wanted, len(points)) + 1).astype(int)
    return [points[start:stop] for start, stop in pairwise(bounds)]


def _carry_out(tasks: list[Any], n_fits: int, n_jobs: int | None, on_fits: OnFits) -> list[list[_Outcome]]:
    done: list[list[_Outcome]] = []
    # Closing the generator stops the other processes when this one is interrupted.
    with explain_lost_worker("the search"), closing(joblib.Parallel(n_jobs, return_as="generator")(tasks)) as finished:
        for outcomes in finished:
            done.append(outcomes)
            on_fits(sum(map(len, done)), n_fits)
    return done


def _ignore(done: int, total: int) -> None:
    """Show nothing."""


@contextmanager
def _show_progress_bar(n_fits: int) -> Iterator[OnFits]:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("class-disjoint search", total=n_fits)
        yield lambda done, total: progress.update(bar, completed=done)


def _tabulate(points: list[dict[str, Any]], outcomes: list[list[_Outcome]]) -> Results:
    """Collect the outcomes of all folds in one table."""

    def each(field: Callable[[_Outcome], float]) -> NDArray[np.float64]:
        return np.array([[field(outcome) for outcome in fold] for fold in outcomes])

    scores = each(lambda outcome: outcome.score)
    names = dict.fromkeys(name for point in points for name in point)
    results = {"params": _make_object_array(points)}
    results |= {f"param_{name}": _make_object_array([point.get(name) for point in points]) for name in names}
    results |= {f"split{at}_test_score": row for at, row in enumerate(scores)}
    results |= {"mean_test_score": scores.mean(axis=0), "std_test_score": scores.std(axis=0)}
    results["rank_test_score"] = rankdata(-results["mean_test_score"], method="min").astype(np.int64)
    results["mean_time"] = each(lambda outcome: outcome.seconds).mean(axis=0)
    for name in outcomes[0][0].noted:
        results[f"mean_{name}"] = each(lambda outcome, name=name: outcome.noted[name]).mean(axis=0)  # type: ignore[misc]
    return results


def _make_object_array(values: list[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def take_rows(X: Any, rows: NDArray[np.int64]) -> Any:
    """Take some rows of features, which may be an array of any library."""
    return arrays.take_rows(X, rows) if is_foreign(X) else _safe_indexing(X, rows)


def _make_scorer(scoring: Scoring) -> Callable[[NDArray[Any], NDArray[Any], NDArray[np.float64] | None], float]:
    if callable(scoring):
        return lambda true, predicted, weights: scoring(true, predicted)
    named = SCORINGS.find(scoring)
    return lambda true, predicted, weights: named(true, predicted, sample_weight=weights)
