"""The paper's parameter study: learn W at every setting of a grid of omegas, both ways, and keep what came of it."""

import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import unseen
from unseen.data import ZeroShotDataset
from unseen.learning import Smooth
from unseen.sweep.data import ScoreOn, make_split
from unseen.sweep.executors import BlockSolver, Executor, InProcess
from unseen.sweep.results import SweepResult
from unseen.sweep.settings import Floats, make_settings
from unseen.sweep.shortcuts import MERGE, DistinctProblems, find_distinct_problems, log10_nu
from unseen.sweep.solver import Task
from unseen.sweep.store import SweepStore
from unseen.utils.errors import InputError
from unseen.utils.progress import OnProgress, Progress, ignore

# The paper's grid: 10^-5 to 10^5 for each omega.
PAPER_GRID = tuple(10.0**k for k in range(-5, 6))

# Steps at the most. Descents that need more creep towards the boundary of the positive-definite set.
MAX_ITER = 100


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
        Told how many of the distinct problems are solved.

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
    settings = make_settings(grid, lambdas)
    split = make_split(dataset, dimensions=dimensions, score_on=score_on, seed=seed)
    scaled = split.scale()
    problems = find_distinct_problems(settings, unit_length=scaled.unit_length)
    solver = BlockSolver(scaled, temperature, Smooth(max_iter=max_iter), device)
    facts = {
        "data set": dataset.fingerprint(),
        "version": unseen.__version__,
        "grid": sorted({float(value) for value in grid}),
        "lambda": sorted({float(value) for value in lambdas}),
        "choice of dimensions": [dimensions, scaled.train.phi.shape[1]],
        "choice of classes to score": [score_on, seed],
        "temperature": temperature,
        "max_iter": max_iter,
        "merging": MERGE,
    }
    with SweepStore(_folder(out) / "sweep.sqlite") as store:
        store.claim(facts)
        started, before = time.perf_counter(), store.solved()
        if len(before) < len(problems):
            _solve_rest(solver, problems, store, before, executor or InProcess(), on_progress, len(settings))
        result = SweepResult.gather(
            settings,
            problems,
            store.outcomes(),
            dataset=dataset.name,
            scored_on=score_on,
            seconds=time.perf_counter() - started,
            solved_now=len(problems) - len(before),
        )
    result.to_csv(Path(out) / "results.csv")
    return result


def _solve_rest(
    solver: BlockSolver,
    problems: DistinctProblems,
    store: SweepStore,
    solved: set[int],
    executor: Executor,
    on_progress: OnProgress,
    n_settings: int,
) -> None:
    tasks = [
        Task(int(at), problems.settings[at], problems.spread[at])
        for at in _hardest_first(problems.settings)
        if int(at) not in solved
    ]
    doing, done, total = f"{n_settings:,} settings, distinct problems", len(solved), len(problems)
    on_progress(Progress(doing, done, total))
    solver = solver.with_warm_starts(problems.settings)
    blocks = [tasks[start : start + solver.block] for start in range(0, len(tasks), solver.block)]
    outcomes = 0
    for finished in executor.run(solver, blocks):
        store.add(finished)
        outcomes += len(finished)
        on_progress(Progress(doing, done + outcomes // 2, total))


def _hardest_first(settings: Floats) -> NDArray[np.int64]:
    """Order problems by their effective regulariser nu: little of it means many steps, and no long task at the end."""
    return np.asarray(np.argsort(log10_nu(settings), kind="stable"), dtype=np.int64)


def _folder(out: Path | str) -> Path:
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"out={out} cannot be made a folder ({error.strerror}): give another") from error
    return folder
