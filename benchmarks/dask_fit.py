"""Measure fits on Dask arrays: time against rows and workers, and the peak memory of a worker.

Rows of 300 numbers in half precision, one file for each chunk, are read by local workers of one thread each, which are
started as `--cluster` starts them, anew in every pass. The most workers fit every size; fewer fit the smallest, which
tells what a worker adds. W on a sample of the rows is compared with that of a fit in memory.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.tools.options import benchmark_options
from benchmarks.tools.timing import measure_peak_memory
from unseen import JFA, ClassTable
from unseen.learning import Smooth
from unseen.models import GaussianJFA, ZeroShotClassifier
from unseen.utils.cluster import Cluster

D_T, D_S = 300, 85
STEPS = 3

MODELS: dict[str, Callable[[], ZeroShotClassifier]] = {
    f"JFA, {STEPS} steps": lambda: JFA(solver=Smooth(max_iter=STEPS, tol=1e-12)),
    "GaussianJFA": GaussianJFA,
}


def main(arguments: list[str]) -> None:
    parser = benchmark_options(__name__, __doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 3_000_000], help="smallest first")
    parser.add_argument("--classes", type=int, default=100)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--folder", type=Path, help="where to write the rows; by default a temporary folder")
    options = parser.parse_args(arguments)
    sizes, chunk, sample = ([1_000, 3_000], 500, 1_000) if options.small else (options.rows, 50_000, 50_000)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        data = Files(Path(folder), max(sizes), options.classes, chunk)
        table = Table("measurement", "workers", "rows", "seconds", "microseconds a row", "peak memory of a worker")
        for workers in sorted(options.workers):
            for name, seconds, n_rows, memory in measure(data, workers, sizes, max(options.workers)):
                each = f"{1e6 * seconds / n_rows:.2f}"
                table.add_row(name, str(workers), f"{n_rows:,}", f"{seconds:.1f}", each, f"{memory:.0f} MiB")
        table.title = f"Fits on Dask arrays, {D_T} columns, {options.classes} classes"
        Console(width=120).print(table)
        print(f"W on {sample:,} rows against the fit in memory: relative difference {compare(data, sample):.1e}")


class Files:
    """Random rows around class prototypes, one file for each chunk."""

    def __init__(self, folder: Path, n_rows: int, n_classes: int, chunk: int) -> None:
        rng = np.random.default_rng(0)
        vectors = rng.standard_normal((n_classes, D_S))
        prototypes = (vectors @ rng.standard_normal((D_S, D_T)) / np.sqrt(D_S)).astype(np.float32)
        self.folder, self.chunk = folder, chunk
        self.y, self.classes = rng.integers(n_classes, size=n_rows), ClassTable(vectors, np.arange(n_classes))
        # The same noise for every chunk, in another order: drawing it anew would take longer than the fits.
        noise = 2 * rng.standard_normal((chunk, D_T), dtype=np.float32)
        for at, start in enumerate(range(0, n_rows, chunk)):
            of = self.y[start : start + chunk]
            rows = prototypes[of] + np.roll(noise, 7 * at, axis=0)[: len(of)]
            np.save(folder / f"{at}.npy", rows.astype(np.float16))

    def take(self, n_rows: int) -> tuple[da.Array, np.ndarray]:
        """Return the first rows as a Dask array, and their classes."""
        files = [(self.folder / f"{at}.npy", start) for at, start in enumerate(range(0, n_rows, self.chunk))]
        parts = [
            da.from_delayed(dask.delayed(read, pure=True)(str(file), size), (size, D_T), np.float32)
            for file, size in ((file, min(self.chunk, n_rows - start)) for file, start in files)
        ]
        return da.concatenate(parts), self.y[:n_rows]


def read(file: str, n_rows: int) -> np.ndarray:
    return np.load(file)[:n_rows].astype(np.float32)


def measure(data: Files, workers: int, sizes: list[int], most: int) -> list[tuple[str, float, int, float]]:
    """Return the name, seconds, rows and the peak memory of a worker (so far) of each fit."""
    results = []
    with Cluster(workers).connect() as client:
        client.wait_for_workers(workers)
        # The first fit of a process also loads libraries, so it is not measured.
        JFA(solver=Smooth(max_iter=1)).fit(*data.take(min(sizes)), classes=data.classes)
        base = max(client.run(measure_peak_memory).values())
        results.append(("before the fits (a fit of one step)", 0.0, min(sizes), base))
        for n_rows in sizes if workers == most else sizes[:1]:
            for name, make in MODELS.items():
                X, y = data.take(n_rows)
                started = time.perf_counter()
                make().fit(X, y, classes=data.classes)
                seconds = time.perf_counter() - started
                results.append((name, seconds, n_rows, max(client.run(measure_peak_memory).values())))
    return results


def compare(data: Files, n_rows: int) -> float:
    """Return the relative difference of W between the fit on chunks and the fit in memory."""
    X, y = data.take(n_rows)
    [there, here] = (
        JFA(solver=Smooth(max_iter=STEPS)).fit(rows, y, classes=data.classes).similarity_.W for rows in (X, X.compute())
    )
    return float(np.linalg.norm(there - here) / np.linalg.norm(here))
