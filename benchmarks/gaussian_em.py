"""Compare parameters of GaussianEM, and models inside it, on held-out *seen* classes, in complete and awkward batches.

As many seen classes are held out as there are unseen ones. Prints the tables of docs/transduction.md.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import recall_score
from sklearn.pipeline import make_pipeline

from benchmarks.tools.batches import BATCHES
from benchmarks.tools.birds import DATA_FOLDER
from benchmarks.tools.options import benchmark_options
from unseen import ZeroShotDataset, load_dataset, make_zero_shot
from unseen.features import SquareRoot, UnitNorm, Whitening
from unseen.models import BilinearSVM, GaussianJFA, Prepared
from unseen.transduction import SPZSR, GaussianEM

# The model inside, and what differs from the defaults.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "bilinear + GaussianEM": ("bilinear", {}),
    "without scores": ("bilinear", {"prior_weight": 0.0}),
    "scores count twice": ("bilinear", {"prior_weight": 1.0}),
    "freedom 0.3": ("bilinear", {"freedom": 0.3}),
    "freedom 3": ("bilinear", {"freedom": 3.0}),
    "class sizes nearly equal": ("bilinear", {"size_prior": 100.0}),
    "30 steps": ("bilinear", {"n_steps": 30}),
    "GaussianJFA + GaussianEM": ("Gaussian", {}),
}

SHOWN = (
    "all test rows",
    "half of the candidates absent",
    "nine of ten candidates absent",
    "sizes unequal 20 : 1",
    "6 rows per candidate",
    "2 rows per candidate",
)


def load_datasets(small: bool) -> Iterator[tuple[str, ZeroShotDataset, dict[str, Any]]]:
    """Yield titles, datasets, and models with their preparation."""
    if small:
        yield "synthetic", make_zero_shot(n_seen=16, n_unseen=5, noise=1.0, random_state=0), make_models(1.0)
        return
    steps = {
        "features": make_pipeline(SquareRoot(), PCA(500, random_state=0), Whitening(), UnitNorm()),
        "descriptions": SquareRoot(normalise=False),
    }
    yield "CUB", load_dataset(DATA_FOLDER / "CUB_vgg_fc7.npz", split="proposed"), make_models(0.3, **steps)
    steps = {"features": make_pipeline(Whitening(), UnitNorm())}
    yield "AwA", load_dataset(DATA_FOLDER / "AWA1_handcrafted.npz", split="standard"), make_models(1.0, **steps)


def make_models(temperature: float, **steps: Any) -> dict[str, Any]:
    models = {"bilinear": BilinearSVM(lam=1.0, temperature=temperature), "Gaussian": GaussianJFA()}
    return {name: Prepared(model, **steps) for name, model in models.items()}


def compare(title: str, data: ZeroShotDataset, models: dict[str, Any], n_draws: int, repeats: int) -> Table:
    found: dict[str, list[list[float]]] = {}
    for draw in range(n_draws):
        for name, values in measure(data, models, draw, repeats).items():
            found.setdefault(name, []).append(values)
    table = Table("", *SHOWN, title=f"{title}, held-out seen classes, mean per-class accuracy (%), {n_draws} draws")
    for name, of_draws in found.items():
        table.add_row(name, *(f"{100 * value:.1f}" for value in np.mean(of_draws, axis=0)))
    return table


def measure(data: ZeroShotDataset, models: dict[str, Any], draw: int, repeats: int) -> dict[str, list[float]]:
    """Return the accuracy of every model and variant on each kind of batch."""
    X, y, seen = data.X_train, data.y_train, data.seen_table
    held = np.random.default_rng(draw).permutation(data.seen_classes)[: len(data.unseen_classes)]
    out, asked, shown = np.isin(y, held), seen.select(held), seen.without(held.tolist())
    fitted = {name: clone(model).fit(X[~out], y[~out], classes=shown) for name, model in models.items()}
    compared: dict[str, Any] = dict(fitted)
    refined = {name: GaussianEM(FrozenEstimator(model)).fit(X[~out], y[~out], shown) for name, model in fitted.items()}
    for name, (inside, changed) in VARIANTS.items():
        compared[name] = refined[inside], changed
    compared["bilinear + SPZSR, 10 runs"] = SPZSR(FrozenEstimator(fitted["bilinear"]), n_runs=10).fit(
        X[~out], y[~out], shown
    )
    accuracies: dict[str, list[float]] = {}
    for kind in SHOWN:
        drawer, often = BATCHES[kind]
        batches = [
            drawer(asked.index_of(y[out]), np.random.default_rng(repeat)) for repeat in range(min(often, repeats))
        ]
        for name, model in compared.items():
            answers = [predict(model, X[out][rows], asked) for rows in batches]
            scores = [score(y[out][rows], given) for rows, given in zip(batches, answers, strict=True)]
            accuracies.setdefault(name, []).append(float(np.mean(scores)))
    return accuracies


def predict(model: Any, X: Any, asked: Any) -> Any:
    if isinstance(model, tuple):  # what was learned does not depend on what is changed
        refined, changed = model
        before = {name: getattr(refined, name) for name in changed}
        answers = refined.set_params(**changed).predict(X, classes=asked)
        refined.set_params(**before)
        return answers
    return model.predict(X, classes=asked)


def score(true: Any, answers: Any) -> float:
    return float(recall_score(true, answers, labels=np.unique(true), average="macro", zero_division=0))


def main(arguments: list[str]) -> None:
    parser = benchmark_options(__name__, __doc__)
    parser.add_argument("--draws", type=int, default=3, help="draws of held-out classes")
    parser.add_argument("--repeats", type=int, default=3, help="batches of each kind, at most")
    parser.add_argument("--data", default="", help="only datasets whose title starts with this")
    options = parser.parse_args(arguments)
    for title, data, models in load_datasets(options.small):
        if title.startswith(options.data):
            Console().print(compare(title, data, models, options.draws, options.repeats))
