"""Measure transductive models on real data: accuracy, robustness, time and memory.

headline     JFA + SP-ZSR as in the paper: 10 trials of 50 runs
models       each model with each refinement
generalized  batches that mix seen and unseen classes
robustness   absent candidates, unequal class sizes, few rows; compared with the standard decision
large        100,000 rows and 1,000 candidates: time and memory
held-out     default weights and variants on held-out seen classes, as one batch
"""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import accuracy_score, recall_score

from benchmarks.tools.batches import BATCHES
from benchmarks.tools.datasets import MODELS, prepared_datasets
from benchmarks.tools.options import benchmark_options
from benchmarks.tools.timing import measure_peak_memory
from unseen import JFA, ZeroShotDataset, evaluate, make_zero_shot
from unseen.models import ESZSL
from unseen.transduction import PST, SMS, SPZSR, TMVHLP, UDA

REFINEMENTS = [SPZSR, PST, UDA, SMS, TMVHLP]


def score_per_class(true: NDArray[Any], answers: NDArray[Any]) -> float:
    """Return the mean accuracy over the classes that occur."""
    return float(recall_score(true, answers, labels=np.unique(true), average="macro", zero_division=0))


def format_both(true: NDArray[Any], answers: NDArray[Any]) -> str:
    return f"{100 * score_per_class(true, answers):.1f} / {100 * accuracy_score(true, answers):.1f}"


def headline(title: str, data: ZeroShotDataset, small: bool) -> Iterator[Any]:
    yield evaluate(JFA(), data, trials=2).to_text()
    # JFA gives the same answers in both trials on these data, so the following need not fit it again.
    model = FrozenEstimator(JFA().fit(data.X_train, data.y_train, classes=data.seen_table))
    trials, n_runs = (2, 3) if small else (10, 50)
    yield evaluate(SPZSR(model, n_runs=n_runs, n_jobs=2), data, "transductive", trials=trials).to_text()


def models(title: str, data: ZeroShotDataset, small: bool) -> Iterator[Any]:
    names = [refinement.__name__ for refinement in REFINEMENTS]
    table = Table("model", "standard", *names, title=f"{title}: per class / per image accuracy (%), unseen classes")
    X, y, candidates = data.X_test_unseen, data.y_test_unseen, data.unseen_table
    for kind in MODELS:
        model = clone(kind).fit(data.X_train, data.y_train, classes=data.seen_table)
        cells = [format_both(y, model.predict(X, classes=candidates))]
        for refinement in REFINEMENTS:
            threads = {"n_jobs": 2} if refinement is SPZSR else {}
            refined = refinement(FrozenEstimator(model), **threads)
            refined.fit(data.X_train, data.y_train, classes=data.seen_table)
            cells.append(format_both(y, refined.predict(X, classes=candidates)))
        table.add_row(type(kind).__name__, *cells)
    yield table


def generalized(title: str, data: ZeroShotDataset, small: bool) -> Iterator[Any]:
    if not data.test_seen.size:
        yield f"{title}: no test rows of seen classes in this split"
        return
    yield evaluate(JFA(), data, "generalized", trials=1).to_text()
    yield evaluate(SPZSR(JFA(), n_jobs=2), data, "transductive-generalized", trials=1 if small else 3).to_text()


def robustness(title: str, data: ZeroShotDataset, small: bool) -> Iterator[Any]:
    refined = SPZSR(JFA(), n_runs=20, n_jobs=2).fit(data.X_train, data.y_train, classes=data.seen_table)
    table = Table("batch", "rows", "standard", "JFA + SPZSR", "difference", title=f"{title}: per-class accuracy (%)")
    X, y, candidates = data.X_test_unseen, data.y_test_unseen, data.unseen_table
    for name, (draw, repeats) in BATCHES.items():
        found, sizes = [], []
        for repeat in range(1 if small else repeats):
            rows = draw(candidates.index_of(y), np.random.default_rng(repeat))
            answers = [part.predict(X[rows], classes=candidates) for part in (refined.model_, refined)]
            found.append([100 * score_per_class(y[rows], given) for given in answers])
            sizes.append(len(rows))
        before, after = np.mean(found, axis=0)
        table.add_row(name, f"{np.mean(sizes):.0f}", f"{before:.1f}", f"{after:.1f}", f"{after - before:+.1f}")
    yield table


# Ablations of SP-ZSR: the defaults with one of them changed.
VARIANTS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "spherical covariance": {"shrinkage": 1.0},
    "covariance shrunk by 0.1": {"shrinkage": 0.1},
    "one temperature": {"start_temperature": 2.0},
    "without scores in the refinement": {"prior_weight": 0.0},
    "without predicted means": {"pull": 0.0},
    "pull 5": {"pull": 5.0},
    "pull 20": {"pull": 20.0},
    "class sizes all equal": {"size_prior": 1e9},
    "class sizes free": {"size_prior": 1.0},
    "temperature 1": {"temperature": 1.0},
    "temperature 4": {"temperature": 4.0},
    "all rows in every run": {"part": 1.0},
    "a single run": {"n_runs": 1},
}


def held_out(title: str, data: ZeroShotDataset, small: bool) -> Iterator[Any]:
    """Compare weights on held-out seen classes, as many as there are unseen ones; no unseen class is used."""
    splits = range(1 if small else 3)
    columns = [f"draw {split}" for split in splits]
    table = Table("JFA + SPZSR, 10 runs", *columns, "mean", title=f"{title}: held-out seen classes, per class (%)")
    X, y, seen = data.X_train, data.y_train, data.seen_classes
    found: dict[str, list[float]] = {"standard decision": [], **{name: [] for name in VARIANTS}}
    for split in splits:
        held = np.random.default_rng(split).permutation(seen)[: len(data.unseen_classes)]
        out, asked, shown = np.isin(y, held), data.seen_table.select(held), data.seen_table.without(held.tolist())
        model = JFA().fit(X[~out], y[~out], classes=shown)
        found["standard decision"].append(score_per_class(y[out], model.predict(X[out], classes=asked)))
        points = [{"n_runs": 10, **changed} for changed in VARIANTS.values()]
        fitted = SPZSR(FrozenEstimator(model), n_jobs=2).fit_grid(X[~out], y[~out], shown, points)
        for name, refined in zip(VARIANTS, fitted, strict=True):
            found[name].append(score_per_class(y[out], refined.predict(X[out], classes=asked)))
    for name, values in found.items():
        table.add_row(name, *(f"{100 * value:.1f}" for value in [*values, np.mean(values)]))
    yield table


def large(small: bool) -> Iterator[Any]:
    n, m = (2_000, 100) if small else (100_000, 1_000)
    sizes = {"n_seen": 200, "n_unseen": m, "n_per_class": 10, "n_test_per_class": n // m}
    data = make_zero_shot(**sizes, n_features=64, n_attributes=64, noise=1.0, random_state=0)
    X, y = data.X_test_unseen.astype("float32"), data.y_test_unseen
    refined = SPZSR(ESZSL(), n_runs=3, n_jobs=2).fit(data.X_train.astype("float32"), data.y_train, data.seen_table)
    memory = measure_peak_memory()
    started = time.perf_counter()
    answers = refined.predict(X, classes=data.unseen_table)
    seconds, memory = time.perf_counter() - started, measure_peak_memory() - memory
    before = refined.model_.predict(X, classes=data.unseen_table)
    yield (
        f"{len(X)} rows x {m} candidates, 3 runs: {seconds:.0f} s, peak memory +{memory:.0f} MiB; per image "
        f"{100 * accuracy_score(y, before):.1f}% -> {100 * accuracy_score(y, answers):.1f}%"
    )


ON_DATA: dict[str, Callable[[str, ZeroShotDataset, bool], Iterator[Any]]] = {
    "headline": headline,
    "models": models,
    "generalized": generalized,
    "robustness": robustness,
    "held-out": held_out,
}


def main(arguments: list[str]) -> None:
    parser = benchmark_options(__name__, __doc__)
    parser.add_argument("names", nargs="*", choices=[[], *ON_DATA, "large"], help="benchmarks to run; by default all")
    parser.add_argument("--data", default="", help="only datasets whose title starts with this")
    options = parser.parse_args(arguments)
    names, console = options.names or [*ON_DATA, "large"], Console()
    warnings.filterwarnings("ignore", message="the batch has a single row")
    for title, data in prepared_datasets(options.small, options.data):
        for name in names:
            for shown in ON_DATA[name](title, data, options.small) if name in ON_DATA else ():
                console.print(shown)
    if "large" in names:
        console.print(*large(options.small))
