"""Measure cost against the number of rows, on a memory map: time must be linear, and memory bounded."""

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.tools.ratios import Row, ratio_options, show
from benchmarks.tools.timing import MiB, PeakMemory, time_once
from unseen import ClassTable
from unseen.learning import Smooth, Stochastic
from unseen.models import JFA

D_T, N_CLASSES, D_S = 300, 100, 85

# A fixed number of steps, so that the work per row is the same at every size.
SOLVERS = {"smooth, 3 steps": Smooth(max_iter=3, tol=1e-12), "stochastic, 1 epoch": Stochastic(epochs=1)}


def main(arguments: list[str]) -> None:
    options = ratio_options(__name__, __doc__).parse_args(arguments)
    show(measure(options.small), "row_scaling: random numbers", options.json)


def measure(small: bool) -> list[Row]:
    sizes = [1_000, 4_000] if small else [1_000, 10_000, 100_000, 1_000_000]
    rng = np.random.default_rng(0)
    classes = ClassTable(rng.standard_normal((N_CLASSES, D_S)), np.arange(N_CLASSES))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        X = _make_memory_map(Path(folder) / "features.dat", sizes[-1], classes, rng)
        y = np.arange(sizes[-1]) % N_CLASSES
        for name, solver in SOLVERS.items():
            previous = None
            for n in sizes:
                model = JFA(solver=solver, random_state=0)
                with PeakMemory() as memory:
                    per_row = time_once(lambda m=model, n=n: m.fit(X[:n], y[:n], classes=classes)) / n
                    per_row += time_once(lambda m=model, n=n: m.predict(X[:n])) / n
                if previous is not None:
                    label = f"{name}: seconds per row, {n:,} rows"
                    # Small sizes include the fixed cost of a fit, so a larger size must not cost more per row.
                    rows.append(Row(label, per_row, f"{previous[0]:,} rows", previous[1], at_most=1.5))
                previous = n, per_row
            rows.append(
                Row(
                    f"{name}: memory added, {n:,} rows",
                    memory.added / MiB,
                    "MiB allowed",
                    500.0,
                    at_most=1,
                    unit="MiB",
                )
            )
    return rows


def _make_memory_map(path: Path, n: int, classes: ClassTable, rng: np.random.Generator) -> np.memmap:
    means = (classes.vectors @ rng.standard_normal((D_S, D_T)) / np.sqrt(D_S)).astype(np.float32)
    X = np.memmap(path, np.float32, "w+", shape=(n, D_T))
    for start in range(0, n, 50_000):
        block = X[start : start + 50_000]
        block[:] = means[(start + np.arange(len(block))) % N_CLASSES] + rng.standard_normal(block.shape, np.float32)
    X.flush()
    return np.memmap(path, np.float32, "r", shape=(n, D_T))
