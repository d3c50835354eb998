"""Time `unseen predict` on a file of features.

Each command runs in its own process. Its time beyond start-up is its time minus that of the same command on one row.
"""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import unseen
from benchmarks.tools.ratios import Row, ratio_options, show
from unseen import ClassTable
from unseen.models import JFA, Calibrated

ALLOWED = 2.0

OUTPUTS = {
    "labels as csv": ["--out", "out.csv"],
    "top 5 as csv": ["--top", "5", "--out", "out.csv"],
    "top 5 as json": ["--top", "5", "--out", "out.json"],
    "top 5 as parquet": ["--top", "5", "--abstain", "0.5", "--out", "out.parquet"],
}


def main(arguments: list[str]) -> None:
    parser = ratio_options(__name__, __doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args(arguments)
    n, d, m = (300, 20, 10) if options.small else (100_000, 512, 200)
    outputs = {"labels as csv": ["--out", "out.csv"]} if options.small else OUTPUTS
    with TemporaryDirectory() as folder:
        make_files(Path(folder), n, d, m)
        rows = [
            measure(f"{name}, beyond start-up", Path(folder), extra, options.repeats) for name, extra in outputs.items()
        ]
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
    many = means[np.arange(n) % m] + random.standard_normal((n, d), dtype=np.float32)
    np.save(folder / "all.npy", many)
    np.save(folder / "one.npy", many[:1])


def measure(name: str, folder: Path, extra: list[str], repeats: int) -> Row:
    best = {file: min(time_command(folder, file, extra) for _ in range(repeats)) for file in ("one.npy", "all.npy")}
    beyond = best["all.npy"] - best["one.npy"]
    return Row(f"{name} ({best['one.npy']:.2f} s)", beyond, "seconds allowed", ALLOWED, at_most=1.0)


def time_command(folder: Path, file: str, extra: list[str]) -> float:
    command = ["predict", "model.unseen", file, "--classes", "new.csv", "--force", *extra]
    code = f"from unseen.cli import app; app({command!r})"
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - started
