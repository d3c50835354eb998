"""Compare the sweep of omega with training one model at a time, and two Dask workers with one.

Pin threads to one for it: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1.
"""

import time
import warnings
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.exceptions import ConvergenceWarning

from benchmarks.tools.options import benchmark_options
from unseen import JFA, ZeroShotDataset, load_dataset, make_zero_shot
from unseen.learning import Smooth, SoftMaximum
from unseen.sweep import PAPER_GRID, DaskCluster, sweep
from unseen.sweep.batched_objective import BatchedObjective
from unseen.sweep.blocks import BlockSolver
from unseen.sweep.data import Split, make_split
from unseen.sweep.problems import DistinctProblems, find_distinct_problems
from unseen.sweep.results import WAYS, Outcome, accuracies, find_numbers, find_parts
from unseen.sweep.settings import make_settings
from unseen.sweep.solver import make_tasks
from unseen.sweep.study import MAX_ITER


def main(arguments: list[str]) -> None:
    parser = benchmark_options(__name__, __doc__)
    parser.add_argument("data", nargs="?", default="digit-pairs")
    parser.add_argument("--settings", type=int, default=30, help="random settings trained one by one")
    parser.add_argument("--problems", type=int, default=60, help="random distinct problems solved by the sweep")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dask", action="store_true", help="time one and two Dask workers instead")
    options = parser.parse_args(arguments)
    data = load_dataset(options.data)
    if options.small:
        data = make_zero_shot(6, 3, 8, 5, 10, 10, random_state=0)
        options.settings, options.problems = 3, 4
    console = Console()
    if options.dask:
        console.print(dask_speed(data, (0.01, 1.0) if options.small else (0.01, 0.1, 1.0, 10.0, 100.0)))
    else:
        compare(data, options.settings, options.problems, options.seed, console)


def compare(data: ZeroShotDataset, n_settings: int, n_problems: int, seed: int, console: Console) -> None:
    settings = make_settings(PAPER_GRID, [1.0])
    split = make_split(data)
    scaled = split.scale()
    problems = find_distinct_problems(settings, unit_length=scaled.unit_length)
    sweeper = BlockSolver(scaled, SoftMaximum(0.1), Smooth(max_iter=MAX_ITER)).with_warm_starts(problems)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(settings), size=n_settings, replace=False)
    outcomes = _solve(sweeper, problems, np.unique(problems.of_setting[chosen]))
    numbers = {way: find_numbers(problems, outcomes, way) for way in WAYS}
    found = {(o.problem, o.way): o for o in outcomes}
    trainings = {
        "same limit of steps": (split, Smooth(max_iter=MAX_ITER)),
        "again, rounded otherwise": (_round_otherwise(split, rng), Smooth(max_iter=MAX_ITER)),
        "default limit": (split, Smooth()),
    }
    table = Table("omega (log10)", "way", "sweep", *trainings, title=f"{data.name}: accuracy (…: did not converge)")
    accuracy = {name: {way: np.zeros(n_settings) for way in WAYS} for name in ("sweep", *trainings)}
    converged = {name: {way: np.ones(n_settings, dtype=bool) for way in WAYS} for name in ("sweep", *trainings)}
    seconds = dict.fromkeys(trainings, 0.0)
    for row, at in enumerate(chosen):
        for way in WAYS:
            outcome = found[int(numbers[way][at]), way]
            accuracy["sweep"][way][row], converged["sweep"][way][row] = 100 * outcome.per_class, outcome.converged
            for name, (given, solver) in trainings.items():
                trained = _train_one(sweeper.objective, given, settings[at], way, solver)
                accuracy[name][way][row], converged[name][way][row] = trained.accuracy, trained.converged
                seconds[name] += trained.seconds / n_settings
            cells = [f"{accuracy[name][way][row]:.2f}{'' if converged[name][way][row] else ' …'}" for name in accuracy]
            table.add_row(str(np.log10(settings[at][:4]).round().astype(int)), way, *cells)
    console.print(table)
    started = time.process_time()
    _solve(sweeper, problems, rng.choice(len(problems), size=n_problems, replace=False))
    each = (time.process_time() - started) / n_problems
    console.print(f"{len(settings):,} settings, {len(problems):,} distinct problems")
    console.print(
        f"sweep: {each:.3f} core-seconds per distinct problem (both ways, with its parts), "
        f"{each * len(problems):,.0f} in all"
    )
    for name, spent in seconds.items():
        ratio = spent * len(settings) / (each * len(problems))
        console.print(f"one by one, {name}: {spent:.3f} core-seconds per setting, {ratio:.1f} times the sweep")
    for one, other in (("sweep", "same limit of steps"), ("sweep", "default limit"), tuple(trainings)[:2]):
        for way in WAYS:
            apart = np.abs(accuracy[one][way] - accuracy[other][way])
            settled = apart[converged[other][way]]
            console.print(
                f"{one} against {other}, {way}: {_describe(apart)} within 0.5 points; "
                f"of those that converge one by one, {_describe(settled)}"
            )


def _describe(apart: np.ndarray) -> str:
    return f"{(apart <= 0.5).sum()} of {len(apart)} (largest difference {apart.max(initial=0.0):.2f})"


class _Trained(NamedTuple):
    """What came of training one setting by itself."""

    accuracy: float
    converged: bool
    seconds: float


def _round_otherwise(split: Split, rng: np.random.Generator) -> Split:
    """Change every feature by about the rounding error of single precision; differences of this size are chance."""
    return replace(split, X=split.X * (1 + 1e-7 * rng.standard_normal(split.X.shape)).astype(np.float32))


def _solve(sweeper: BlockSolver, problems: DistinctProblems, chosen: np.ndarray) -> list[Outcome]:
    """Solve some problems, and then their parts, as the study does."""
    outcomes = sweeper.solve(make_tasks(problems, chosen))
    return outcomes + sweeper.solve(make_tasks(problems, find_parts(problems, outcomes), ("free",)))


def _train_one(objective: BatchedObjective, split: Split, setting: np.ndarray, way: str, solver: Smooth) -> _Trained:
    """Train the ordinary estimator from scratch."""
    started = time.process_time()
    with warnings.catch_warnings():
        # Both happen at many settings, and the table says so.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "JFA learned nothing")
        model = JFA(tuple(setting[:4]), setting[4], weights=way, solver=solver)
        model.fit(split.X, split.y, classes=split.seen)
    seconds = time.process_time() - started
    # Scored as in the sweep: if little is learned, `predict` loses such small differences of scores in rounding.
    accuracy, _ = accuracies(objective, setting, model.similarity_.W @ split.basis)
    return _Trained(100 * accuracy, model.converged_, seconds)


def dask_speed(data: ZeroShotDataset, grid: tuple[float, ...]) -> str:
    """Time the same sweep on one and on two workers that are already running."""
    from distributed import LocalCluster

    seconds = []
    for count in (1, 2):
        with (
            LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None) as cluster,
            TemporaryDirectory() as folder,
        ):
            executor = DaskCluster(scheduler=cluster.scheduler_address)
            sweep(data, f"{folder}/warm", grid=(1.0, 10.0), executor=executor, max_iter=3)  # imports, on every worker
            seconds.append(sweep(data, f"{folder}/timed", grid=grid, executor=executor).seconds)
    return (
        f"{data.name}, {len(grid) ** 4} settings: one Dask worker {seconds[0]:.1f} s, two {seconds[1]:.1f} s, "
        f"{seconds[0] / seconds[1]:.2f} times as fast"
    )
