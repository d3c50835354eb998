"""Time `unseen predict` on a file of features.

Each command runs in its own process. Its time beyond start-up is its time minus that of the same command on one row;
the floor is the bare product of the same rows, memory-mapped, and the same number of columns, in blocks. Memory is what
a command holds at its peak, which must not grow with the rows: `--rows 1000000` takes ten times as many.
"""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import unseen
from benchmarks.tools.ratios import Row, ratio_options, show
from benchmarks.tools.timing import MiB, find_in_status
from unseen import ClassTable
from unseen.models import JFA, Calibrated

# How many bare products all of it may take, and how much memory in MiB (Parquet needs PyArrow).
PRODUCTS, MEMORY = 6.0, 400.0
BLOCK = 8192

OUTPUTS = {
    "labels as csv": ["--out", "out.csv"],
    "top 5 as csv": ["--top", "5", "--out", "out.csv"],
    "top 5 as json": ["--top", "5", "--out", "out.json"],
    "top 5 as parquet": ["--top", "5", "--abstain", "0.5", "--out", "out.parquet"],
}

# Runs a command and prints what Linux knows of the process. The peak that a parent is told would count its own memory.
CODE = """
from pathlib import Path
from unseen.cli import app
try:
    app({command!r})
finally:
    print(Path("/proc/self/status").read_text())
"""


def main(arguments: list[str]) -> None:
    parser = ratio_options(__name__, __doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args(arguments)
    n, d, m = (300, 20, 10) if options.small else (options.rows, 512, 200)
    outputs = {"labels as csv": ["--out", "out.csv"]} if options.small else OUTPUTS
    with TemporaryDirectory() as folder:
        make_files(Path(folder), n, d, m)
        floor = min(time_product(Path(folder), m) for _ in range(options.repeats))
        rows = []
        for name, extra in outputs.items():
            rows += measure(name, Path(folder), extra, options.repeats, floor)
    title = f"unseen predict: {n:,} rows x {d} features (float32), {m} candidate classes, random numbers"
    show(rows, title, options.json)


def make_files(folder: Path, n: int, d: int, m: int) -> None:
    """Write a calibrated JFA model, features of one and of all rows, and the candidates."""
    random = np.random.default_rng(0)
    vectors = random.standard_normal((m, 85))
    classes = ClassTable(vectors, [f"class {at}" for at in range(m)], [f"attribute {at}" for at in range(85)])
    means = (vectors @ random.standard_normal((85, d))).astype(np.float32) / 9
    y = np.arange(20 * m) % m
    X = means[y] + random.standard_normal((len(y), d), dtype=np.float32)
    model = Calibrated(JFA(), random_state=0).fit(X, classes.labels[y], classes=classes)
    unseen.save(model, folder / "model.unseen")
    classes.to_csv(folder / "new.csv")
    many = np.lib.format.open_memmap(folder / "all.npy", "w+", np.float32, (n, d))
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(start + BLOCK, n))
        many[rows] = means[rows % m] + random.standard_normal((len(rows), d), dtype=np.float32)
    many.flush()
    np.save(folder / "one.npy", many[:1])


def time_product(folder: Path, m: int) -> float:
    """Time the product of the rows of the file and a matrix of m columns, in blocks."""
    X = np.load(folder / "all.npy", mmap_mode="r")
    matrix = np.ones((X.shape[1], m), dtype=np.float32)
    started = time.perf_counter()
    for start in range(0, len(X), BLOCK):
        X[start : start + BLOCK] @ matrix
    return time.perf_counter() - started


def measure(name: str, folder: Path, extra: list[str], repeats: int, floor: float) -> list[Row]:
    best = {file: min(time_command(folder, file, extra) for _ in range(repeats)) for file in ("one.npy", "all.npy")}
    (start, _), (whole, peak) = best["one.npy"], best["all.npy"]
    return [
        Row(f"{name}, beyond start-up ({start:.2f} s)", whole - start, "bare product", floor, at_most=PRODUCTS),
        Row(f"{name}, memory", peak, "MiB allowed", MEMORY, at_most=1.0, unit="MiB"),
    ]


def time_command(folder: Path, file: str, extra: list[str]) -> tuple[float, float]:
    """Return the seconds that a command takes, and its memory at the peak in MiB."""
    command = ["predict", "model.unseen", file, "--classes", "new.csv", "--force", *extra]
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(command=command)], cwd=folder, capture_output=True, text=True
    )
    seconds = time.perf_counter() - started
    if done.returncode:
        raise RuntimeError(f"{command} failed: {done.stderr}")
    return seconds, find_in_status(done.stdout, "VmHWM") / MiB
