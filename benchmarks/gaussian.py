"""Compare fits of GaussianJFA with the product X^T X, also on a memory map, and prediction with that of JFA."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from benchmarks.tools.birds import Birds, load_birds
from benchmarks.tools.ratios import Row, ratio_options, show
from benchmarks.tools.timing import MiB, PeakMemory, time_best, time_once
from unseen import ClassTable
from unseen.models import JFA, GaussianJFA

N_CLASSES, N_FEATURES, N_ATTRIBUTES = 200, 300, 50
BLOCK = 10_000


def main(arguments: list[str]) -> None:
    parser = ratio_options(__name__, __doc__)
    parser.add_argument("--rows", type=int, default=200_000, help="rows of the memory map")
    options = parser.parse_args(arguments)
    birds = load_birds(options.small)
    show(measure(birds), f"gaussian: {birds.source}", options.json)
    with TemporaryDirectory() as folder:
        rows = measure_memory_map(Path(folder), 2_000 if options.small else options.rows)
        title = f"gaussian: memory map of {N_FEATURES} columns in single precision, {N_CLASSES} classes"
        show(rows, title, options.json)


def measure(birds: Birds) -> list[Row]:
    given = {"X": birds.X, "y": birds.y, "classes": birds.classes}
    GaussianJFA().fit(**given)  # the first fit of a process also loads libraries
    floor, chosen, fixed = time_best(
        lambda: birds.X.T @ birds.X,
        lambda: GaussianJFA().fit(**given),
        lambda: GaussianJFA("rbf", width=1.0, ridge=0.1, within_shrinkage=1.0, between_shrinkage=0.5).fit(**given),
        repeats=5,
    )
    thorough = time_once(lambda: GaussianJFA(thorough=True).fit(**given))
    models = [model.fit(**given) for model in (JFA(), GaussianJFA())]
    theirs, ours = time_best(*(lambda m=model: m.predict(birds.X, classes=birds.classes) for model in models))
    return [
        Row("fit, all parameters chosen (28 shapes)", chosen, "seconds allowed", 1.0, at_most=1.0),
        Row("fit, all parameters chosen (28 shapes)", chosen, "X^T X", floor),
        Row("fit, parameters given", fixed, "X^T X", floor),
        Row("fit, thorough (180 shapes)", thorough, "seconds allowed", 10.0, at_most=1.0),
        Row("predict", ours, "predict of JFA", theirs, at_most=1.2),
    ]


def measure_memory_map(folder: Path, n: int) -> list[Row]:
    X, y, table = write_rows(folder / "X.npy", n)
    floor = time_once(lambda: multiply_blocks(X))
    rows = []
    for scaling in ("auto", None):
        way = f"scaling={scaling!r}"
        with PeakMemory() as memory:
            elapsed = time_once(lambda scaling=scaling: GaussianJFA(scaling=scaling).fit(X, y, classes=table))
        rows += [
            Row(f"fit on {n:,} rows, {way}", elapsed, "X^T X in blocks", floor),
            Row(f"memory added, {way}", memory.added / MiB, "MiB allowed", 500.0, at_most=1.0, unit="MiB"),
        ]
    return rows


def write_rows(path: Path, n: int) -> tuple[NDArray[np.float32], NDArray[np.int64], ClassTable]:
    """Write rows of random classes, block by block, and map the file."""
    random = np.random.default_rng(0)
    table = ClassTable(random.standard_normal((N_CLASSES, N_ATTRIBUTES)), np.arange(N_CLASSES))
    means = (table.vectors @ random.standard_normal((N_ATTRIBUTES, N_FEATURES)) / 7).astype(np.float32)
    y = random.integers(0, N_CLASSES, n)
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, N_FEATURES))
    for start in range(0, n, BLOCK):
        own = means[y[start : start + BLOCK]]
        X[start : start + BLOCK] = own + random.standard_normal(own.shape, dtype=np.float32)
    X.flush()
    return np.load(path, mmap_mode="r"), y, table


def multiply_blocks(X: NDArray[np.float32]) -> NDArray[np.float32]:
    total = np.zeros((X.shape[1], X.shape[1]), dtype=np.float32)
    for start in range(0, len(X), BLOCK):
        block = X[start : start + BLOCK]
        total += block.T @ block
    return total
