"""Compare searches that stop hopeless points early with full searches: what they choose, and what they cost.

A quarter of the seen classes, drawn anew for each class split, takes the place of unseen ones: the models that both
searches choose are compared on them. Unseen classes are touched by nothing.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import balanced_accuracy_score

from benchmarks.tools.counting import CallCount
from benchmarks.tools.datasets import prepared_datasets, whitened_birds
from benchmarks.tools.ratios import Row, ratio_options, show
from unseen import JFA, ZeroShotDataset, load_dataset
from unseen.learning import LatentSVM
from unseen.selection import ClassDisjointSearch, HoldOutClasses
from unseen.selection.grid import Estimator
from unseen.sweep.data import Split

# What the choice of omega may cost, in default fits of the same run.
MOST_FITS = 20

GRID = {
    "lam": [0.3, 1.0, 3.0],
    "temperature": [0.1, 0.3, 1.0, 3.0],
    "omega": [[1000, 100, 0, 1], [10000, 10, 0, 1], [10000, 10, 0, 10], [10000, 100, 0, 1], [100000, 1, 0, 0.1]],
}


def search_omega(default: JFA, seed: int, halving: bool) -> Estimator:
    return JFA("auto", temperature=default.temperature, halving=halving, random_state=seed)


def search_grid(default: JFA, seed: int, halving: bool) -> Estimator:
    splitter = HoldOutClasses(0.25, random_state=seed)
    return ClassDisjointSearch(default, GRID, splitter=splitter, halving=halving)


WAYS: dict[str, Callable[[JFA, int, bool], Estimator]] = {'omega="auto"': search_omega, "a grid of 60": search_grid}


@dataclass(frozen=True)
class Run:
    """A fit or a search: its seconds (of the processor), evaluations, choice, scores, and accuracy."""

    seconds: float
    evaluations: int
    chosen: object
    scores: np.ndarray | None
    best: int
    accuracy: float


def main(arguments: list[str]) -> None:
    parser = ratio_options(__name__, __doc__)
    parser.add_argument("--splits", type=int, default=3, help="number of class splits of each dataset")
    parser.add_argument("--only", default="", help="the datasets whose name begins like this")
    parser.add_argument("--omega", action="store_true", help='only omega="auto", not the grid')
    options = parser.parse_args(arguments)
    ways = dict([*WAYS.items()][:1]) if options.omega or options.small else WAYS
    for title, default, data in list_datasets(options.small, options.only):
        rows = []
        table = Table(
            "search", "split", "default fits", "full", "same", "rank", "held-out accuracy", "full's", title=title
        )
        for seed in range(1 if options.small else options.splits):
            split = draw_split(data, seed)
            fit = run(default, split)
            for name, make in ways.items():
                quick, full = (run(make(default, seed, halving), split) for halving in (True, False))
                table.add_row(name, str(seed), *describe(fit, quick, full))
                bound = MOST_FITS if make is search_omega else None
                rows.append(Row(f"{name}, split {seed}", quick.seconds, "a default fit", fit.seconds, at_most=bound))
        Console().print(table)
        show(rows, title, options.json)


def list_datasets(small: bool, start: str) -> Iterator[tuple[str, JFA, ZeroShotDataset]]:
    """Yield datasets with the default model for each."""
    if small:
        yield "synthetic", JFA(), whitened_birds(small=True)
        return
    makers: dict[str, tuple[JFA, Callable[[], ZeroShotDataset]]] = {
        "digit-pairs": (JFA(), partial(load_dataset, "digit-pairs")),
        "AwA": (JFA(temperature=1.0), lambda: next(data for _, data in prepared_datasets(False, "AwA"))),
        "CUB": (JFA(temperature=0.3), partial(whitened_birds, small=False)),
    }
    for title, (default, load) in makers.items():
        if title.startswith(start):
            yield title, default, load()


def draw_split(data: ZeroShotDataset, seed: int) -> Split:
    """Learn from three quarters of the seen classes, and ask about the others."""
    labels = np.asarray(data.seen_classes)
    held_out = np.random.default_rng(seed).permutation(len(labels)) < len(labels) // 4
    train = np.isin(data.y_train, labels[~held_out])
    X, y = np.asarray(data.X_train, dtype=np.float32), data.y_train
    return Split(
        X[train], y[train], data.classes.select(labels[~held_out]),
        X[~train], y[~train], data.classes.select(labels[held_out]),
    )  # fmt: skip


def run(model: Estimator, split: Split) -> Run:
    """Fit a model or a search, and score it once on the held-out classes."""
    started = time.process_time()
    with CallCount(LatentSVM, "evaluate") as count:
        model.fit(split.X, split.y, classes=split.seen)
    seconds = time.process_time() - started
    accuracy = balanced_accuracy_score(split.y_test, model.predict(split.X_test, classes=split.candidates))
    results = getattr(model, "cv_results_", None) or getattr(getattr(model, "selection_", None), "results", None)
    if results is None:
        return Run(seconds, count.calls, None, None, 0, accuracy)
    best = model.best_index_ if hasattr(model, "best_index_") else model.selection_.best_index
    return Run(seconds, count.calls, results["params"][best], results["mean_test_score"], best, accuracy)


def describe(fit: Run, quick: Run, full: Run) -> list[str]:
    assert full.scores is not None
    return [
        *(f"{search.seconds / fit.seconds:.1f} ({search.evaluations} evaluations)" for search in (quick, full)),
        "yes" if quick.best == full.best else "no",
        f"{1 + (full.scores > full.scores[quick.best]).sum()} of {len(full.scores)}",
        *(f"{search.accuracy:.2%}" for search in (quick, full)),
    ]
