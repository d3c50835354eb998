"""Compare preconditioners and tolerances of L-BFGS by evaluations and by accuracy on held-out *seen* classes.

Prints the table of docs/choices.md.
"""

from collections.abc import Iterator
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import balanced_accuracy_score

from benchmarks.choices import make_folds
from benchmarks.tools.birds import Birds, load_birds
from benchmarks.tools.counting import CallCount
from benchmarks.tools.datasets import prepared_datasets
from benchmarks.tools.options import benchmark_options
from unseen import JFA, load_dataset
from unseen.learning import LatentSVM, Smooth
from unseen.learning.solvers.descent import preconditioner
from unseen.learning.solvers.descent.preconditioner import NO_PRECONDITIONER, find_preconditioner
from unseen.models import BilinearSVM, ZeroShotClassifier

MODELS: dict[str, ZeroShotClassifier] = {
    "default": JFA(),
    "temperature 0.03": JFA(temperature=0.03),
    "temperature 0.3": JFA(temperature=0.3),
    "lam 0.1": JFA(lam=0.1),
    "lam 10": JFA(lam=10.0),
    "omega (100, 10, 10, 1)": JFA(omega=(100, 10, 10, 1)),
    "omega (1000, 1, 0, 0.1)": JFA(omega=(1000, 1, 0, 0.1)),
    "bilinear": BilinearSVM(),
}

# Share of the Hessian, None for no preconditioner, and tolerance. The first stands for the optimum.
WAYS = [
    (0.05, 1e-8),
    *((share, tol) for share in (0.03, 0.05, 0.1) for tol in (1e-4, 2e-5)),
    (None, 1e-5),
    (None, 1e-4),
]


def main(arguments: list[str]) -> None:
    options, console = benchmark_options(__name__, __doc__).parse_args(arguments), Console()
    ways = WAYS[:2] if options.small else WAYS
    for data in load(options.small):
        console.print(measure(data, ways, n_splits=1 if options.small else 3))


def load(small: bool) -> Iterator[Birds]:
    yield load_birds(small)
    if small:
        return
    [(title, awa)] = prepared_datasets(small, "AwA")
    digits = load_dataset("digit-pairs")
    for name, data in ((title, awa), ("digit-pairs", digits)):
        yield Birds(data.X_train, data.y_train, data.seen_table, name)


def measure(data: Birds, ways: list[tuple[float | None, float]], n_splits: int) -> Table:
    """Fit every model on every fold in every way; compare accuracies with those of the first way."""
    table = Table(
        "share", "tolerance", "evaluations", "mean difference", "mean size of it", "largest", title=data.source
    )
    found = [np.array([fit(model, data, n_splits, *way) for model in MODELS.values()]) for way in ways]
    for (share, tol), (counts, scores) in zip(ways, (np.moveaxis(way, -1, 0) for way in found), strict=True):
        apart = 100 * (scores - found[0][..., 1])
        cells = (f"{apart.mean():+.2f}", f"{np.abs(apart).mean():.2f}", f"{np.abs(apart).max():.2f}")
        table.add_row(str(share), f"{tol:g}", f"{np.exp(np.log(counts).mean()):.1f}", *cells)
    return table


def fit(
    model: ZeroShotClassifier, data: Birds, n_splits: int, share: float | None, tol: float
) -> list[tuple[int, float]]:
    """Return the evaluations and the accuracy on held-out classes of each fold."""
    find = find_preconditioner if share else lambda *_: NO_PRECONDITIONER
    results = []
    for train, held_out in make_folds(data, n_splits):
        seen, candidates = (data.classes.select(np.unique(data.y[rows])) for rows in (train, held_out))
        with (
            patch.object(preconditioner, "SHARE", share),
            patch("unseen.learning.solvers.smooth.find_preconditioner", find),
            CallCount(LatentSVM, "evaluate") as evaluations,
        ):
            model.set_params(solver=Smooth(tol=tol)).fit(data.X[train], data.y[train], classes=seen)
        answers = model.predict(data.X[held_out], classes=candidates)
        results.append((evaluations.calls, balanced_accuracy_score(data.y[held_out], answers)))
    return results
