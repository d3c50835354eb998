"""Try points of a parameter grid on held-out seen classes, which take the place of unseen ones."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from unseen.data import ClassTable
from unseen.selection.folds import Fold, take_rows
from unseen.selection.grid import Estimator, Point, Preparing
from unseen.selection.opened import LastOpened
from unseen.selection.results import Outcome
from unseen.utils.errors import InputError
from unseen.utils.registry import Registry

Scoring = Literal["per-class", "per-image"] | Callable[[NDArray[Any], NDArray[Any]], float]
Score = Callable[[NDArray[Any], NDArray[Any], NDArray[np.float64] | None], float]
Record = Callable[[Estimator], Mapping[str, float]] | None


def measure_per_class(true: NDArray[Any], predicted: NDArray[Any], weights: NDArray[np.float64] | None = None) -> float:
    """Return the mean over classes of the share of their rows that are right.

    It is scikit-learn's `balanced_accuracy_score`, which takes twenty times as long for labels that are words: in a
    search on a GPU that is a tenth of the time.

    >>> measure_per_class(np.array(["a", "a", "b"]), np.array(["a", "b", "b"]))
    0.75
    """
    _, classes = np.unique(true, return_inverse=True)
    of_class = np.bincount(classes, weights)
    right = np.bincount(classes, np.asarray(true == predicted, np.float64) * (1.0 if weights is None else weights))
    kept = of_class > 0
    return float((right[kept] / of_class[kept]).mean())


def measure_per_image(true: NDArray[Any], predicted: NDArray[Any], weights: NDArray[np.float64] | None = None) -> float:
    """Return the share of rows that are right."""
    return float(np.average(true == predicted, weights=weights))


SCORINGS: Registry[Score] = Registry(
    "scoring", {"per-class": measure_per_class, "per-image": measure_per_image}, other="a function"
)


@dataclass(frozen=True, eq=False)
class Rows:
    """Training rows or held-out rows of a split, with their classes."""

    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64] | None
    classes: ClassTable | None


class Ground(Protocol):
    """What points that share a preparation learn from and are scored on, in one split."""

    def read(self) -> tuple[Rows, Rows]:
        """Return the training rows and the held-out rows."""


@dataclass(frozen=True, eq=False)
class GivenGround:
    """Rows as they were given, which are taken from all rows when they are read."""

    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64] | None
    fold: Fold

    def read(self) -> tuple[Rows, Rows]:
        """Take the rows."""
        fold = self.fold
        sides = ((fold.train, fold.seen), (fold.test, fold.held_out))
        train, test = (
            Rows(take_rows(self.X, rows), self.y[rows], None if self.weights is None else self.weights[rows], classes)
            for rows, classes in sides
        )
        return train, test


@dataclass(frozen=True, eq=False)
class PreparedGround:
    """Rows that were prepared before."""

    train: Rows
    test: Rows

    def read(self) -> tuple[Rows, Rows]:
        """Return the rows."""
        return self.train, self.test


@dataclass(frozen=True, eq=False)
class Stage:
    """Points of a grid that share a preparation, on one split.

    Attributes
    ----------
    name : str
        The split.
    estimator : estimator
        What is fitted: the given estimator, or the model inside its preparation.
    points : mapping from int to Point
        The parameters of `estimator` at each point, by the number of the point in the grid.
    ground : Ground
    wrap : callable
        Puts the preparation around the fitted model, for those who look at it.
    """

    name: str
    estimator: Estimator
    points: Mapping[int, Point]
    ground: Ground
    wrap: Callable[[Estimator], Estimator]


def open_stages(estimator: Estimator, points: Sequence[Point], given: GivenGround, *, wrapped: bool) -> Iterator[Stage]:
    """Yield the stages of one split: rows and descriptions are prepared here, once for all points that share it.

    Parameters
    ----------
    estimator : estimator
    points : sequence of Point
        All points of the grid.
    given : GivenGround
    wrapped : bool
        Whether fitted models are needed with their preparation around them.
    """
    name = given.fold.name
    if not isinstance(estimator, Preparing):
        yield Stage(name, estimator, dict(enumerate(points)), given, _leave)
        return
    train, test = given.read()
    done, last, phi_test = 0, None, None
    with _explain(f"{name}, preparing"):
        for leader, phi, table, own in estimator.prepare_grid(
            train.X, train.y, train.classes, points, sample_weight=train.weights
        ):
            if phi is not last:  # several preparations of descriptions may share the rows
                last, phi_test = phi, leader.prepare_rows(test.X)
            ground = PreparedGround(
                Rows(phi, train.y, train.weights, table),
                Rows(phi_test, test.y, test.weights, leader.prepare_table(given.fold.held_out)),
            )
            wrap = leader.with_model if wrapped else _leave
            yield Stage(name, leader.model, dict(enumerate(own, done)), ground, wrap)
            done += len(own)


def _leave(model: Estimator) -> Estimator:
    return model


@dataclass(frozen=True, eq=False)
class Trial:
    """The work on one stage; an instance is sent to each process.

    Attributes
    ----------
    named : sequence of Point
        All points of the grid, as they are called in error messages.
    score, record
        How predictions are scored, and what else is noted of a fitted estimator.
    """

    named: Sequence[Point]
    score: Score
    record: Record
    _last: LastOpened = field(default_factory=LastOpened, init=False)

    def run(self, stage: Stage, points: Mapping[int, Point]) -> dict[int, Outcome]:
        """Fit the estimator at each point on the training classes, and score it on the held-out ones."""
        opened = self._last.open(stage)
        models = opened.fit_points(list(points.values()))
        with ignore_limits():
            return {at: self._try_point(models, at, opened.test, stage) for at in points}

    def _try_point(self, models: Iterator[Estimator], at: int, test: Rows, stage: Stage) -> Outcome:
        start = perf_counter()
        named = ", ".join(f"{name}={value!r}" for name, value in self.named[at].items()) or "its defaults"
        with _explain(f"{named} ({stage.name})"):
            model = next(models)
            predicted = model.predict(test.X, classes=test.classes)
            score = float(self.score(test.y, predicted, test.weights))
            if not np.isfinite(score):
                raise InputError(f"scoring gave {score}, which cannot be compared: return a finite number")
            noted = {} if self.record is None else self.record(stage.wrap(model))
        return Outcome(score, perf_counter() - start, noted)


@dataclass(frozen=True, eq=False)
class Staged:
    """All stages of a search with the work on them, which a Dask cluster gets as one: rows that they share once.

    Attributes
    ----------
    trial : Trial
    stages : sequence of sequences of Stage
        The stages of each split.
    """

    trial: Trial
    stages: Sequence[Sequence[Stage]]

    def run(self, split: int, place: int, points: Mapping[int, Point]) -> dict[int, Outcome]:
        """Try points on one of the stages."""
        return self.trial.run(self.stages[split][place], points)


@contextmanager
def ignore_limits() -> Iterator[None]:
    """Ignore that fits end at a limit of steps: in trials that is wanted, or shows in the scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@contextmanager
def _explain(where: str) -> Iterator[None]:
    """Add the point and the split to an error message."""
    try:
        yield
    except ValueError as error:
        raise InputError(f"the search stopped at {where}: {error}") from error
    except Exception as error:
        error.add_note(f"The search stopped at {where}.")
        raise


def make_scorer(scoring: Scoring) -> Score:
    """Return the function of true labels, predicted labels and weights that is maximised."""
    if callable(scoring):
        return lambda true, predicted, weights: scoring(true, predicted)
    return SCORINGS.find(scoring)
