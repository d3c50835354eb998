"""Search a parameter grid on held-out seen classes: in rounds that stop hopeless points early, or in full."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import joblib
import numpy as np
from sklearn.utils.validation import column_or_1d

from unseen.selection.folds import Splitter, make_class_disjoint_folds, require_descriptions
from unseen.selection.grid import Estimator, Grid, GridFitter, Point, list_grid_points
from unseen.selection.results import Course, Outcome, Results, Selection, find_finished, tabulate
from unseen.selection.rounds import Round, cut_short, find_incumbents, keep_best, plan_rounds
from unseen.selection.splitters import HoldOutClasses
from unseen.selection.trials import GivenGround, Record, Scoring, Stage, Staged, Trial, make_scorer, open_stages
from unseen.utils.arrays import to_numpy
from unseen.utils.cluster import count_threads, find_client, run_on_cluster
from unseen.utils.devices import refuse_processes
from unseen.utils.validation import check_flag, check_row_weights
from unseen.utils.workers import Task, explain_lost_worker, limit_jobs

Choose = Callable[[Results], int] | None
OnFits = Callable[[int, int], None]

# A task: the split, the place of the stage among those of the split, and the points to try.
Work: TypeAlias = tuple[int, int, dict[int, Point]]
# The number of a task, and the outcome at each of its points.
Done: TypeAlias = tuple[int, dict[int, Outcome]]

# An estimator that shares work between points gets few long tasks, because not every one keeps that work for the next
# task, but enough of them to keep every worker busy.
_TASKS_PER_WORKER = 2


def select(
    estimator: Estimator,
    grid: Grid,
    X: Any,
    y: Any,
    classes: Any,
    *,
    splitter: Splitter = None,
    scoring: Scoring = "per-class",
    halving: bool = True,
    record: Record = None,
    choose: Choose = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    on_fits: OnFits | None = None,
    random_state: Any = None,
    sample_weight: Any = None,
) -> Selection:
    """Try the points of a grid on held-out classes.

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
    halving : bool, default True
        Whether points that are behind after a few steps of the solver are not fitted to the end (see
        `unseen.selection.rounds`). It applies to models that learn by L-BFGS, as JFA does, and to grids of at least 8
        points; all others are searched in full. False fits every point to the end on every split.
    record : callable, optional
        Function of a fitted estimator that returns named numbers for the results, averaged over the splits.
    choose : callable, optional
        Function of the results of the points that were fitted to the end, which returns the place of the one to choose
        among them.
    n_jobs : int, optional
        Number of processes, as in joblib; no more are started than there are fits or cores. Inside
        `joblib.parallel_config("dask")` the fits run on a Dask cluster instead, which gets the rows once.
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

    Notes
    -----
    Preparations are fitted once for each split, before anything is tried, and prepared rows stay in memory until the
    search ends. A process also keeps the rows of the split that it was at last. The result does not depend on the
    number of processes or workers.
    """
    verbose, halving = check_flag(verbose, "verbose"), check_flag(halving, "halving")
    points = list_grid_points(estimator, grid)
    y = column_or_1d(to_numpy(y))
    splitter = splitter or HoldOutClasses(random_state=random_state)
    folds = list(make_class_disjoint_folds(splitter, X, y, require_descriptions(classes)))
    weights = None if sample_weight is None else check_row_weights(sample_weight, "sample_weight", len(y))
    trial = Trial(points, make_scorer(scoring), record)
    rounds = plan_rounds(len(points), [len(fold.held_out) for fold in folds]) if halving else []
    if not _can_be_cut(estimator, points, rounds):
        rounds = [Round(len(points), range(len(folds)))]
    n_fits = sum(each.n_fits for each in rounds)
    n_jobs = limit_jobs(n_jobs, n_fits)
    refuse_processes(X, n_jobs, cluster=find_client() is not None)
    bar = _show_progress_bar(n_fits) if verbose and on_fits is None else nullcontext(on_fits or _ignore)
    stages = [
        list(open_stages(estimator, points, GivenGround(X, y, weights, fold), wrapped=record is not None))
        for fold in folds
    ]
    with bar as told:
        search = _Search(Staged(trial, stages), n_jobs, n_fits, told)
        courses = search.run(rounds, find_incumbents(estimator, points))
    results = tabulate(points, courses, len(folds), len(rounds))
    finished = find_finished(results)
    last = {name: column[finished] for name, column in results.items()}
    best = np.argmax(last["mean_test_score"]) if choose is None else choose(last)
    return Selection(results, int(finished[int(best)]))


def _can_be_cut(estimator: Estimator, points: Sequence[Point], rounds: Sequence[Round]) -> bool:
    """Tell whether the estimator can stop early at all points, as the rounds want it to."""
    limits = [each.steps for each in rounds if each.steps is not None]
    # After how many steps does not matter.
    return bool(limits) and all(cut_short(estimator, point, limits[0]) is not None for point in points)


@dataclass
class _Search:
    """The rounds of a search."""

    staged: Staged
    n_jobs: int | None
    n_fits: int
    on_fits: OnFits
    done: int = field(default=0, init=False)

    def run(self, rounds: Sequence[Round], incumbents: Sequence[int]) -> list[Course]:
        """Run all rounds; return how each point did in the last one that it took part in."""
        left = list(range(rounds[0].size))
        courses: dict[int, Course] = {}
        for number, each in enumerate(rounds):
            if number:
                left = keep_best({at: courses[at].score for at in left}, each.size, incumbents)
            outcomes = self._carry_out(each, left)
            courses |= {at: Course(number, {split: outcomes[split][at] for split in each.splits}) for at in left}
        return [courses[at] for at in range(rounds[0].size)]

    def _carry_out(self, each: Round, left: Sequence[int]) -> dict[int, dict[int, Outcome]]:
        """Try points on the splits of a round; return the outcomes of each split."""
        outcomes: dict[int, dict[int, Outcome]] = {split: {} for split in each.splits}
        client = find_client()
        n_workers = joblib.effective_n_jobs(self.n_jobs) if client is None else count_threads(client)
        works = list(self._list_works(each, left, n_workers))
        run = self._run_here(works) if client is None else self._run_there(works, client)
        # Closing the generator stops the other processes when this one is interrupted.
        with explain_lost_worker("the search"), closing(run) as finished:
            for at, found in finished:
                outcomes[works[at][0]] |= found
                self.done += len(found)
                self.on_fits(self.done, self.n_fits)
        return outcomes

    def _run_here(self, works: Sequence[Work]) -> Generator[Done, None, None]:
        """Yield the outcomes of tasks that run in this process or in others of this machine."""
        tasks = [
            joblib.delayed(Task(self.staged.trial.run))(self.staged.stages[split][stage], points)
            for split, stage, points in works
        ]
        with closing(joblib.Parallel(self.n_jobs, return_as="generator")(tasks)) as finished:
            yield from enumerate(finished)

    def _run_there(self, works: Sequence[Work], client: Any) -> Generator[Done, None, None]:
        """Return the outcomes of tasks that run on a Dask cluster; only the first round sends the rows."""
        return run_on_cluster(client, self.staged, Staged.run, dict(enumerate(works)), "the search")

    def _list_works(self, each: Round, left: Sequence[int], n_workers: int) -> Iterator[Work]:
        """Yield the split, the place of the stage and the points of each task.

        By stage first, because a process keeps only the last one open. The first points of a grid tend to be the
        slowest, and so they come first on each.
        """
        n_parts = 1 if n_workers == 1 else -(-_TASKS_PER_WORKER * n_workers // len(each.splits))
        for split in each.splits:
            for place, stage in enumerate(self.staged.stages[split]):
                for part in _cut(left, n_parts):
                    chosen = {at: _limit(stage, at, each.steps) for at in part if at in stage.points}
                    alone = not isinstance(stage.estimator, GridFitter)
                    for points in [{at: point} for at, point in chosen.items()] if alone else [chosen]:
                        if points:
                            yield split, place, points


def _limit(stage: Stage, at: int, steps: int | None) -> Point:
    """Return the parameters of a point, limited to so many steps."""
    point = stage.points[at]
    limited = point if steps is None else cut_short(stage.estimator, point, steps)
    assert limited is not None  # checked before the search began
    return limited


def _cut(points: Sequence[int], n_parts: int) -> Iterator[list[int]]:
    """Cut points into parts, the largest of which come first."""
    return (part.tolist() for part in np.array_split(points, min(n_parts, len(points))))


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
