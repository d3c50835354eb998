"""Measure accuracy on CUB's unseen classes against attribute quality, with and without adapted descriptions.

Prints the table of docs/results.md and writes docs/images/attribute-noise.svg.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray

from benchmarks.tools.datasets import whitened_birds
from benchmarks.tools.options import benchmark_options
from unseen import ClassTable
from unseen.data import ZeroShotDataset
from unseen.learning import Smooth
from unseen.models import JFA, BilinearSVM
from unseen.selection import ClassDisjointSearch, HoldOutClasses

DRAWS = 2
NOISE = (0.0, 1.0, 2.0)
MISSING = (0.0, 0.5, 0.8)
LAMBDAS = [1.0, 3.0]
# From strong adaptation to hardly any; the last is nearly bilinear.
OMEGAS = [(1000, 3, 0, 1), (1000, 10, 0, 1), (10000, 100, 0, 1)]


class Kind(NamedTuple):
    """A way to spoil descriptions: its name, its levels, and the function that spoils a table at a level."""

    name: str
    levels: tuple[float, ...]
    spoil: Callable[[NDArray[np.float64], float, np.random.Generator], NDArray[np.float64]]


def add_noise(vectors: NDArray[np.float64], level: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Add noise to every attribute, in units of its spread over the classes."""
    return vectors + level * vectors.std(axis=0) * rng.standard_normal(vectors.shape)


def drop_cells(vectors: NDArray[np.float64], level: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Replace this share of all cells, drawn at random, by the mean of their attribute."""
    return np.where(rng.random(vectors.shape) < level, vectors.mean(axis=0), vectors)


KINDS = (Kind("noise", NOISE, add_noise), Kind("missing", MISSING, drop_cells))


def rescale(table: ClassTable, seen: NDArray[Any]) -> ClassTable:
    """Divide all descriptions by one number; they are neither centred nor of equal length."""
    vectors = table.select(seen).vectors
    return ClassTable(table.vectors / np.sqrt((vectors**2).sum(axis=1).mean()), table.labels)


def make_searches(scaling: str | None) -> dict[str, Any]:
    """Return the searches of both models, which use the same held-out seen classes."""
    splitter = HoldOutClasses(0.25, n_splits=3, random_state=0)
    common = {"temperature": 0.3, "scaling": scaling, "solver": Smooth(max_iter=60, tol=1e-4)}
    return {
        "bilinear": ClassDisjointSearch(BilinearSVM(**common), {"lam": LAMBDAS}, splitter=splitter),
        "adaptive": ClassDisjointSearch(JFA(**common), {"lam": LAMBDAS, "omega": OMEGAS}, splitter=splitter),
    }


def measure_accuracies(data: ZeroShotDataset, kind: Kind, level: float, draw: int, scaled: bool) -> dict[str, float]:
    """Spoil the descriptions of all classes once, select and fit both models, and score them on the unseen classes."""
    vectors = kind.spoil(data.classes.vectors, level, np.random.default_rng([draw, int(100 * level)]))
    table = ClassTable(vectors, data.classes.labels)
    table = table if scaled else rescale(table, data.seen_classes)
    result = {}
    for name, search in make_searches("auto" if scaled else None).items():
        search.fit(data.X_train, data.y_train, classes=table.select(data.seen_classes))
        labels = search.predict(data.X_test_unseen, classes=table.select(data.unseen_classes))
        recalls = [np.mean(labels[data.y_test_unseen == label] == label) for label in data.unseen_classes]
        result[name] = 100 * float(np.mean(recalls))
    return result


def list_points() -> Iterator[tuple[Kind, float, bool]]:
    """Yield every point of the curves: kind, level, and whether descriptions are centred and of length 1."""
    for kind in KINDS:
        for level in kind.levels:
            for scaled in (True, False):
                yield kind, level, scaled


def main(arguments: list[str]) -> None:
    parser = benchmark_options(__name__, __doc__)
    parser.add_argument("--jobs", type=int, default=2, help="how many processes fit models at a time")
    options = parser.parse_args(arguments)
    table = measure(options.small, options.jobs)
    if not options.small:
        draw(table, Path(__file__).parents[1] / "docs" / "images" / "attribute-noise.svg")


def measure(small: bool, jobs: int) -> list[dict[str, Any]]:
    """Print the table and return its rows."""
    data, draws = whitened_birds(small), 1 if small else DRAWS
    chosen = list(list_points())[:2] if small else list(list_points())
    tasks = [
        joblib.delayed(measure_accuracies)(data, *point[:2], draw, point[2])
        for point in chosen
        for draw in range(draws)
    ]
    done = joblib.Parallel(jobs)(tasks)
    rows = []
    print(
        "| descriptions | spoilt by | level | bilinear | adaptive | difference |\n| --- | --- | --- | --- | --- | --- |"
    )
    for at, (kind, level, scaled) in enumerate(chosen):
        outcomes = done[at * draws : (at + 1) * draws]
        bilinear, adaptive = (np.array([outcome[name] for outcome in outcomes]) for name in ("bilinear", "adaptive"))
        rows.append(
            {
                "kind": kind.name,
                "level": level,
                "scaled": scaled,
                "bilinear": bilinear,
                "adaptive": adaptive,
            }
        )
        form = "centred, length 1" if scaled else "as given"
        gain = adaptive - bilinear
        print(
            f"| {form} | {kind.name} | {level:g} | {bilinear.mean():.1f} ± {bilinear.std():.1f} "
            f"| {adaptive.mean():.1f} ± {adaptive.std():.1f} | {gain.mean():+.1f} ± {gain.std():.1f} |"
        )
    return rows


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the curves."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True, constrained_layout=True)
    labels = {"noise": "noise added to attributes (in their spreads)", "missing": "share of attribute cells missing"}
    styles = {("bilinear", False): "C0o--", ("adaptive", False): "C1s--", ("bilinear", True): "C0o-"}
    styles[("adaptive", True)] = "C1s-"
    for axis, kind in zip(axes, KINDS, strict=True):
        for (model, scaled), style in styles.items():
            mine = [row for row in rows if row["kind"] == kind.name and row["scaled"] == scaled]
            form = "centred, length 1" if scaled else "as given"
            axis.plot(
                [row["level"] for row in mine], [row[model].mean() for row in mine], style, label=f"{model}, {form}"
            )
        axis.set_xlabel(labels[kind.name])
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("mean per-class accuracy (%)")
    axes[0].legend(frameon=False, loc="lower left", fontsize="small")
    figure.savefig(path)
