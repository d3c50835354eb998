"""Measure JFA.fit on a Dask array larger than a worker's memory, and compare W with a fit in memory on a sample.

1,000,000 x 300 rows on disk, 1,000 classes, two workers of one thread each.
"""

import resource
import tempfile
import time
from pathlib import Path

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from rich.console import Console
from rich.table import Table

from benchmarks.tools.options import benchmark_options
from unseen import JFA, ClassTable
from unseen.learning import Smooth

N_WORKERS = 2
D_T, D_S = 300, 100
STEPS = 3


def main(arguments: list[str]) -> None:
    options = benchmark_options(__name__, __doc__).parse_args(arguments)
    sizes = (3_000, 50, 500, 1_000) if options.small else (1_000_000, 1_000, 20_000, 50_000)
    Console().print(measure(*sizes))


def write_rows(folder: Path, n_rows: int, n_classes: int, chunk: int) -> tuple[da.Array, np.ndarray, ClassTable]:
    """Write random rows around class prototypes, one file per chunk, and return them as a Dask array."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((n_classes, D_S))
    prototypes = (vectors @ rng.standard_normal((D_S, D_T)) / np.sqrt(D_S)).astype(np.float32)
    y = rng.integers(n_classes, size=n_rows)
    bounds = range(0, n_rows, chunk)
    for at, start in enumerate(bounds):
        of = y[start : start + chunk]
        np.save(folder / f"{at}.npy", prototypes[of] + 2 * rng.standard_normal((len(of), D_T), dtype=np.float32))
    parts = [
        da.from_delayed(_read(str(folder / f"{at}.npy")), (min(chunk, n_rows - start), D_T), np.float32)
        for at, start in enumerate(bounds)
    ]
    return da.concatenate(parts), y, ClassTable(vectors, np.arange(n_classes))


def _read(path: str):
    import dask

    return dask.delayed(np.load, pure=True)(path)


def measure_peak_memory() -> float:
    """Return the peak memory of this process, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(n_rows: int, n_classes: int, chunk: int, n_sample: int) -> Table:
    table = Table("measurement", "value", title=f"JFA.fit on a Dask array, {n_rows:,} x {D_T}, {n_classes:,} classes")
    solver = Smooth(max_iter=STEPS)
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=N_WORKERS, threads_per_worker=1, memory_limit="2GB", dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        X, y, classes = write_rows(Path(folder), n_rows, n_classes, chunk)
        base = max(client.run(measure_peak_memory).values())
        started = time.perf_counter()
        model = JFA(solver=solver).fit(X, y, classes=classes)
        seconds = time.perf_counter() - started
        table.add_row(f"{STEPS} steps of the solver", f"{seconds:.0f} s")
        table.add_row("objective", " -> ".join(f"{value:.6g}" for value in model.history_))
        table.add_row("peak memory of a worker", f"{max(client.run(measure_peak_memory).values()):.0f} MiB")
        table.add_row("  before the fit", f"{base:.0f} MiB")
        there = JFA(solver=solver).fit(X[:n_sample], y[:n_sample], classes=classes)
        here = JFA(solver=solver).fit(X[:n_sample].compute(), y[:n_sample], classes=classes)
        difference = np.linalg.norm(there.similarity_.W - here.similarity_.W) / np.linalg.norm(here.similarity_.W)
        table.add_row(f"W on {n_sample:,} rows against the fit in memory", f"relative difference {difference:.1e}")
    return table
