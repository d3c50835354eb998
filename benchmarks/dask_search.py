"""Measure a search on a Dask cluster: time against workers, and how often the rows are sent.

60 points of JFA on 3 folds of CUB's seen classes, by successive halving and in full, on local workers of one thread
each that are started and warm, compared with the result of this process. The rows are already prepared, so that nothing
but fits is measured. Pin threads to one for it: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1.
"""

import time
from typing import Any

import joblib
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.halving import GRID
from benchmarks.tools.counting import CallCount
from benchmarks.tools.datasets import whitened_birds
from benchmarks.tools.options import benchmark_options
from unseen import JFA, ZeroShotDataset
from unseen.selection import HoldOutClasses, Selection, select
from unseen.utils.cluster import Cluster

WAYS = {"halving": True, "in full": False}


class Rows(np.ndarray):
    """Rows whose writing for another process can be counted."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        return super().__reduce_ex__(protocol)


def main(arguments: list[str]) -> None:
    parser = benchmark_options(__name__, __doc__)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3, help="searches of each kind, of which the fastest counts")
    parser.add_argument("--only", choices=WAYS, help="search only in this way")
    options = parser.parse_args(arguments)
    data = whitened_birds(options.small)
    grid = {"lam": GRID["lam"] * 3} if options.small else GRID
    ways = {name: halving for name, halving in WAYS.items() if options.only in (None, name)}
    table = Table("search", "workers", "seconds", "times as fast", "rows sent", "as in one process", title=data.name)
    here = {name: search(data, grid, halving) for name, halving in ways.items()}
    first: dict[str, float] = {}
    for workers in options.workers:
        for name, seconds, sent, found in measure(data, grid, ways, workers, options.repeats):
            ratio = first.setdefault(name, seconds) / seconds
            same = "yes" if are_equal(found, here[name]) else "no"
            table.add_row(name, str(workers), f"{seconds:.2f}", f"{ratio:.2f}", f"{sent:g}", same)
    Console(width=120).print(table)


def measure(
    data: ZeroShotDataset, grid: dict[str, list[Any]], ways: dict[str, bool], workers: int, repeats: int
) -> list[tuple[str, float, float, Selection]]:
    """Return the name, the least seconds, how often the rows were sent for a search, and the result of each way."""
    rows = []
    with Cluster(workers).connect() as client, joblib.parallel_config("dask", client=client):
        client.wait_for_workers(workers)
        client.run(warm_up)
        for name, halving in ways.items():
            seconds = []
            with CallCount(Rows, "__reduce_ex__") as count:
                for _ in range(repeats):
                    started = time.perf_counter()
                    found = search(data, grid, halving)
                    seconds.append(time.perf_counter() - started)
            rows.append((name, min(seconds), count.calls / repeats, found))
    return rows


def warm_up() -> None:
    """Import what a fit needs, which is not measured."""
    data = whitened_birds(small=True)
    JFA().fit(data.X_train, data.y_train, classes=data.classes)


def search(data: ZeroShotDataset, grid: dict[str, list[Any]], halving: bool) -> Selection:
    X, splitter = np.asarray(data.X_train, dtype=np.float32).view(Rows), HoldOutClasses(0.25, random_state=0)
    return select(JFA(), grid, X, data.y_train, data.classes, splitter=splitter, halving=halving)


def are_equal(one: Selection, other: Selection) -> bool:
    return one.best_index == other.best_index and np.array_equal(
        one.results["mean_test_score"], other.results["mean_test_score"], equal_nan=True
    )
