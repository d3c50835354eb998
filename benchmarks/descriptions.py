"""Compare preparations of descriptions by accuracy on held-out *seen* classes, never on the unseen ones.

The seen classes are divided into thirds, each of which is held out once, several times over. Differences are to
descriptions as they are, with the standard error over classes. Prints the tables of docs/choices.md.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from benchmarks.tools.birds import DATA_FOLDER
from benchmarks.tools.options import benchmark_options
from unseen import ZeroShotDataset, load_dataset
from unseen.features import KernelMap, Logit, SquareRoot, UnitNorm, Whitening
from unseen.models import BilinearSVM, Prepared
from unseen.selection import ClassKFold

ROOT = SquareRoot(normalise=False)
CHOICES: dict[str, Any] = {
    "as they are": None,
    "square root": ROOT,
    "square root of sum 1": SquareRoot(),
    "logit": Logit(),
    "Whitening(1.0)": Whitening(1.0),
    "Whitening(10.0)": Whitening(10.0),
    "KernelMap(width=1)": KernelMap(),
    "KernelMap(width=3)": KernelMap(width=3.0),
    "square root, KernelMap(width=1)": make_pipeline(ROOT, KernelMap()),
    "square root, KernelMap(width=3)": make_pipeline(ROOT, KernelMap(width=3.0)),
    "logit, KernelMap(width=1)": make_pipeline(Logit(), KernelMap()),
    "logit, KernelMap(width=3)": make_pipeline(Logit(), KernelMap(width=3.0)),
    "logit, Whitening(1.0)": make_pipeline(Logit(), Whitening(1.0)),
}


class Answers(NamedTuple):
    """Accuracy on each held-out class and on all held-out rows of a division, averaged over divisions."""

    per_class: NDArray[np.float64]
    per_image: float


def load_datasets(small: bool) -> Iterator[tuple[str, ZeroShotDataset, Prepared]]:
    """Yield titles, datasets, and models with the preparation of the features."""
    if small:
        yield "digit-pairs", load_dataset("digit-pairs", n_train=3), Prepared(BilinearSVM(), features=UnitNorm())
        return
    steps = make_pipeline(SquareRoot(), PCA(300, random_state=0), Whitening(), UnitNorm())
    birds = Prepared(BilinearSVM(lam=1.0, temperature=0.3), features=steps)
    yield "CUB, proposed split", load_dataset(DATA_FOLDER / "CUB_vgg_fc7.npz", split="proposed"), birds
    animals = Prepared(BilinearSVM(lam=1.0, temperature=1.0), features=make_pipeline(Whitening(), UnitNorm()))
    yield "AwA, standard split", load_dataset(DATA_FOLDER / "AWA1_handcrafted.npz", split="standard"), animals


def measure_accuracies(data: ZeroShotDataset, model: Prepared, divisions: int) -> dict[str, Answers]:
    """Measure every choice on the same held-out classes."""
    X, y = data.X_train, np.asarray(data.y_train)
    points = [{"descriptions": choice} for choice in CHOICES.values()]
    right = np.zeros((len(CHOICES), len(y)))
    for seed in range(divisions):
        for train, test in ClassKFold(3, random_state=seed).split(X, y):
            candidates = data.seen_table.select(np.unique(y[test]))
            seen = data.seen_table.select(np.unique(y[train]))
            for at, fitted in enumerate(model.fit_grid(X[train], y[train], seen, points)):
                right[at, test] += fitted.predict(X[test], classes=candidates) == y[test]
    _, encoded, counts = np.unique(y, return_inverse=True, return_counts=True)
    right *= 100 / divisions
    return {
        name: Answers(np.bincount(encoded, row) / counts, float(row.mean()))
        for name, row in zip(CHOICES, right, strict=True)
    }


def main(arguments: list[str]) -> None:
    parser = benchmark_options(__name__, __doc__)
    parser.add_argument("--divisions", type=int, default=4, help="number of times that all seen classes are divided")
    options = parser.parse_args(arguments)
    for title, data, model in load_datasets(options.small):
        table = Table("descriptions", "per class", "difference", "per image", title=f"{title}, held-out seen classes")
        answers = measure_accuracies(data, model, options.divisions)
        before = answers["as they are"].per_class
        for name, found in answers.items():
            change = found.per_class - before
            error = change.std(ddof=1) / len(change) ** 0.5
            table.add_row(
                name, f"{found.per_class.mean():.1f}", f"{change.mean():+.1f} ± {error:.1f}", f"{found.per_image:.1f}"
            )
        Console().print(table)
