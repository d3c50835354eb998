"""The paper's parameter study: learn W at every setting of a grid of omegas, both ways, and keep what came of it."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import unseen
from unseen.data import ZeroShotDataset
from unseen.learning import Smooth
from unseen.sweep.data import ScoreOn, split_of
from unseen.sweep.executors import Here, Place
from unseen.sweep.problems import MERGE, Floats, Problems, coordinates, find_distinct
from unseen.sweep.results import SweepResult
from unseen.sweep.settings import make_settings
from unseen.sweep.solver import Task
from unseen.sweep.store import SweepStore
from unseen.sweep.work import Work
from unseen.utils.errors import InputError

# The paper's grid: 10^-5 to 10^5 for each omega.
PAPER_GRID = tuple(10.0**k for k in range(-5, 6))

# Steps at the most. Descents that need more creep towards the boundary of the positive-definite set.
MAX_ITER = 100


@dataclass(frozen=True)
class Progress:
    """How far a sweep has come: distinct problems solved, of all, for so many settings."""

    done: int
    total: int
    settings: int


def sweep(
    dataset: ZeroShotDataset,
    out: Path | str,
    *,
    grid: Iterable[float] = PAPER_GRID,
    lambdas: Iterable[float] = (1.0,),
    place: Place | None = None,
    device: str | None = None,
    dimensions: int | None = None,
    score_on: ScoreOn = "unseen",
    temperature: float = 0.1,
    max_iter: int = MAX_ITER,
    seed: int = 0,
    watch: Callable[[Progress], None] = lambda progress: None,
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
    place : Place, optional
        `Cores(2)`, `Cluster(workers=2)`, ...; this process if not given.
    device : str, optional
        A device of PyTorch, such as "cuda", for the kernels; several processes may share it.
    dimensions, score_on, seed
        See `unseen.sweep.data.split_of`.
    temperature : float
        Of the soft maximum that is the loss.
    max_iter : int
        Steps of a descent at the most.
    watch : callable, optional
        Told of progress.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from unseen import load_dataset
    >>> with TemporaryDirectory() as folder:
    ...     result = sweep(load_dataset("synthetic", random_state=0), folder, grid=[1.0, 100.0])
    >>> len(result), result.problems
    (32, 16)
    """
    settings = make_settings(grid, lambdas)
    split = split_of(dataset, dimensions=dimensions, score_on=score_on, seed=seed)
    material = split.material()
    problems = find_distinct(settings, unit_length=material.unit_length)
    work = Work(material, temperature, Smooth(max_iter=max_iter), device)
    facts = {
        "data set": dataset.fingerprint(),
        "version": unseen.__version__,
        "grid": sorted({float(value) for value in grid}),
        "lambda": sorted({float(value) for value in lambdas}),
        "choice of dimensions": [dimensions, material.train.phi.shape[1]],
        "choice of classes to score": [score_on, seed],
        "temperature": temperature,
        "max_iter": max_iter,
        "merging": MERGE,
    }
    with SweepStore(_folder(out) / "sweep.sqlite") as store:
        store.claim(facts)
        started, before = time.perf_counter(), store.solved()
        if len(before) < len(problems):
            _solve_rest(work, problems, store, before, place or Here(), watch, len(settings))
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
    work: Work,
    problems: Problems,
    store: SweepStore,
    solved: set[int],
    place: Place,
    watch: Callable[[Progress], None],
    n_settings: int,
) -> None:
    tasks = [
        Task(int(at), problems.settings[at], problems.spread[at])
        for at in _hardest_first(problems.settings)
        if int(at) not in solved
    ]
    done, total = len(solved), len(problems)
    watch(Progress(done, total, n_settings))
    work = work.with_starts(problems.settings)
    blocks = [tasks[start : start + work.block] for start in range(0, len(tasks), work.block)]
    outcomes = 0
    for finished in place.run(work, blocks):
        store.add(finished)
        outcomes += len(finished)
        watch(Progress(done + outcomes // 2, total, n_settings))


def _hardest_first(settings: Floats) -> NDArray[np.int64]:
    """Order problems by their effective regulariser nu: little of it means many steps, and no long task at the end."""
    place = coordinates(settings)
    return np.asarray(np.argsort(place[:, 2] - 2 * place[:, 0], kind="stable"), dtype=np.int64)


def _folder(out: Path | str) -> Path:
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"out={out} cannot be made a folder ({error.strerror}): give another") from error
    return folder
