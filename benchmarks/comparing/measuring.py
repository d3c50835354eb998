"""Run the quick benchmarks on several trees in turn, each in a process of its own."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import track

from benchmarks.tools.birds import DATA_FOLDER
from benchmarks.tools.ratios import Row, read_rows
from unseen.utils.errors import InputError
from unseen.utils.registry import Registry

# The benchmarks that are quick and about speed, with the options that make them so.
QUICK = Registry(
    "quick benchmark",
    {"training_pass": ["--ours"], "fit_and_predict": [], "gaussian": ["--rows", "20000"]},
)

# The rows of every run, by benchmark.
Runs = dict[str, list[list[Row]]]


def measure(trees: list[Path], names: list[str], repeats: int, small: bool) -> list[Runs]:
    """Run the benchmarks on every tree in turn."""
    runs: list[Runs] = [{name: [] for name in names} for _ in trees]
    turns = list(product(range(repeats), names, range(len(trees))))
    for _, name, at in track(turns, description="measuring", transient=True, console=Console(stderr=True)):
        runs[at][name].append(run(trees[at], name, small))
    return runs


def run(tree: Path, name: str, small: bool) -> list[Row]:
    """Run a benchmark of a tree in a process of its own, with the package of that tree."""
    paths = [str(tree / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        options = [*QUICK[name], "--json", str(file), *(["--small"] if small else [])]
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks", name, *options],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "UNSEEN_DATA": str(DATA_FOLDER)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}").splitlines()[-1]
            raise InputError(f"benchmark {name} fails in {tree} ({said}): mend it, or name others after --only")
        return read_rows(file)
