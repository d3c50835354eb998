"""The paper's parameter study: learn W at every setting of a grid of omegas, both ways, and keep what came of it."""

import sys
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from threadpoolctl import threadpool_limits

import unseen
from unseen.data import ZeroShotDataset
from unseen.learning import Smooth, SoftMaximum
from unseen.sweep.blocks import Block, BlockSolver
from unseen.sweep.data import ScoreOn, make_split
from unseen.sweep.executors import Executor, InProcess
from unseen.sweep.problems import MERGE, MERGE_PARTS, NEGLIGIBLE_BETA, DistinctProblems, find_distinct_problems
from unseen.sweep.results import SweepResult, Way, find_parts
from unseen.sweep.settings import make_settings
from unseen.sweep.solver import Task, make_tasks
from unseen.sweep.store import SweepStore
from unseen.utils.errors import InputError
from unseen.utils.progress import OnProgress, Progress, ignore

# The paper's grid: 10^-5 to 10^5 for each omega.
PAPER_GRID = tuple(10.0**k for k in range(-5, 6))

# Steps at the most. Descents that need more creep towards the boundary of the positive-definite set.
MAX_ITER = 100

# By which rules settings are one problem, and one part of a problem.
MERGING = [MERGE, NEGLIGIBLE_BETA, MERGE_PARTS]

# What is told of while they are learned.
PARTS = "parts of problems, W free"


def sweep(
    dataset: ZeroShotDataset,
    out: Path | str,
    *,
    grid: Iterable[float] = PAPER_GRID,
    lambdas: Iterable[float] = (1.0,),
    executor: Executor | None = None,
    device: str | None = None,
    dimensions: int | None = None,
    score_on: ScoreOn = "unseen",
    temperature: float = 0.1,
    max_iter: int = MAX_ITER,
    seed: int = 0,
    on_progress: OnProgress = ignore,
) -> SweepResult:
    """Learn W at every setting and measure it; what a folder holds already is not solved again.

    Parameters
    ----------
    dataset : ZeroShotDataset
    out : path
        The folder of the sweep: `results.csv` when it is done, `sweep.sqlite` meanwhile.
    grid : iterable of float
        The values of each of the four omegas.
    lambdas : iterable of float
        The weights of the regulariser.
    executor : Executor, optional
        `Processes(2)`, `DaskCluster(workers=2)`, ...; this process if not given.
    device : str, optional
        A device of PyTorch, such as "cuda", for the kernels; several processes may share it.
    dimensions, score_on, seed
        See `unseen.sweep.data.make_split`.
    temperature : float
        Of the soft maximum that is the loss.
    max_iter : int
        Steps of a descent at the most.
    on_progress : callable, optional
        Told how many of the distinct problems, and then of their parts, are solved.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from unseen import load_dataset
    >>> with TemporaryDirectory() as folder:
    ...     result = sweep(load_dataset("synthetic", random_state=0), folder, grid=[1.0, 100.0])
    >>> len(result), result.problems
    (32, 16)
    """
    on_progress(Progress("preparing"))
    grid, lambdas = list(grid), list(lambdas)
    settings = make_settings(grid, lambdas)
    with threadpool_limits(1):  # as in solving: the same rounding whatever the machine's threads
        split = make_split(dataset, dimensions=dimensions, score_on=score_on, seed=seed)
        scaled = split.scale()
    problems = find_distinct_problems(settings, unit_length=scaled.unit_length)
    solver = BlockSolver(scaled, SoftMaximum(temperature), Smooth(max_iter=max_iter), device)
    solver.reach_device()
    facts = {
        "data set": dataset.fingerprint(),
        "version": unseen.__version__,
        "grid": sorted({float(value) for value in grid}),
        "lambda": sorted({float(value) for value in lambdas}),
        "choice of dimensions": [dimensions, scaled.train.phi.shape[1]],
        "choice of classes to score": [score_on, seed],
        "temperature": temperature,
        "max_iter": max_iter,
        "merging": MERGING,
    }
    # Nothing is written before all that was asked for has been looked at.
    with SweepStore(_folder(out) / "sweep.sqlite") as store:
        store.claim(facts)
        damaged = store.remove_damaged()
        if damaged:
            print(f"{damaged:,} outcomes in {store.path} are damaged: they are solved again.", file=sys.stderr)
        started = time.perf_counter()
        rounds = _Rounds(solver, problems, store, executor or InProcess(), on_progress)
        whole = make_tasks(problems, range(len(problems)))
        solved_now = rounds.solve(f"{len(settings):,} settings, distinct problems", whole)
        parts = make_tasks(problems, find_parts(problems, store.outcomes()), ("free",))
        solved_now += rounds.solve(PARTS, parts)
        result = SweepResult.gather(
            settings,
            problems,
            store.outcomes(),
            dataset=dataset.name,
            scored_on=score_on,
            seconds=time.perf_counter() - started,
            solved_now=solved_now,
        )
    result.to_csv(Path(out) / "results.csv")
    return result


@dataclass(frozen=True, eq=False)
class _Rounds:
    """What the rounds of a study share: first its problems are solved, then the parts of some of them."""

    solver: BlockSolver
    problems: DistinctProblems
    store: SweepStore
    executor: Executor
    on_progress: OnProgress

    def solve(self, doing: str, tasks: list[Task]) -> int:
        """Solve the blocks of which something is not solved yet, as a whole; return how many tasks these are."""
        solved = self.store.solved()
        blocks = [block for block in self.solver.cut(tasks) if not _keys(block) <= solved]
        solving = sum(map(len, blocks))
        if not blocks:
            return 0
        solver = self._warm_solver
        done = len(tasks) - solving
        self.on_progress(Progress(doing, done, len(tasks)))
        with closing(self.executor.run(solver, blocks)) as finished:
            for outcomes in finished:
                self.store.add(outcomes)
                done += len({outcome.problem for outcome in outcomes})
                self.on_progress(Progress(doing, done, len(tasks)))
        return solving

    @cached_property
    def _warm_solver(self) -> BlockSolver:
        return self.solver.with_warm_starts(self.problems, self.on_progress)


def _keys(block: Block) -> set[tuple[int, Way]]:
    return {(task.problem, way) for task in block for way in task.ways}


def _folder(out: Path | str) -> Path:
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"out={out} cannot be made a folder ({error.strerror}): give another") from error
    return folder
