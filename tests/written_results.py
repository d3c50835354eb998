"""Commands that write, and how to compare what they wrote, for the tests of what can befall them."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commands import ran
from sweeping import write_data

from unseen import make_zero_shot

EXPERIMENT = """
title: A small experiment
dataset: {name: synthetic, options: {random_state: 0, n_seen: 6, n_unseen: 3}}
model: {name: BilinearSVM, parameters: {init: random, solver: stochastic}}
trials: 4
"""


@dataclass
class Command:
    """A command, the folder it writes to, and what its result is: all that does not depend on the clock.

    `before` is what it finds there: the result of an earlier command, or a part of its own.
    """

    arguments: tuple[Any, ...]
    before: tuple[Any, ...]
    out: Path
    read: Callable[[Path, str], Any]

    def prepare(self) -> None:
        shutil.rmtree(self.out, ignore_errors=True)
        if self.before:
            self.out.mkdir()
            ran(*self.before)


def read_files(folder: Path, _printed: str = "") -> dict[str, bytes]:
    """Read all files but stores, which hold moments of time."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".sqlite"}


def read_trials(_folder: Path, printed: str) -> Any:
    """Read what `unseen bench` measured, without the seconds it took."""
    [found] = json.loads(printed)
    result = found["result"]
    return [{key: value for key, value in trial.items() if "seconds" not in key} for trial in result["trials"]]


def make_fit(folder: Path) -> Command:
    out = folder / "out"
    fit = ("fit", write_small_data(folder), "-m", "eszsl", "--no-calibrate", "--force", "--out", out / "m.unseen")
    return Command((*fit, "--set", "gamma=10"), fit, out, read_files)


def make_bench(folder: Path) -> Command:
    (folder / "small.yaml").write_text(EXPERIMENT)
    bench = ("bench", folder / "small.yaml", "--format", "json", "--store", folder / "out" / "trials.sqlite")
    return Command(bench, (*bench, "--trials", 1), folder / "out", read_trials)


def make_sweep(folder: Path) -> Command:
    sweep = ("sweep", write_small_data(folder), "--grid", "1,100", "--max-iter", 3, "--out", folder / "out")
    return Command(sweep, (), folder / "out", read_files)


def write_small_data(folder: Path) -> Path:
    """Write a small dataset, for commands that take its path."""
    data = make_zero_shot(
        n_seen=6, n_unseen=3, n_features=8, n_attributes=5, n_per_class=10, n_test_per_class=10, random_state=0
    )
    write_data(folder / "data.npz", data)
    return folder / "data.npz"
