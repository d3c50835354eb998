"""Measure accuracy on photographs of birds of unseen classes.

The table of attributes in the folder of features and each further class table (written by `unseen describe`) are tried
in turn. Preparation and parameters are chosen on held-out seen classes; the unseen classes are scored once, with the
chosen ones.
"""

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from sklearn.decomposition import PCA
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline

from benchmarks.tools.options import benchmark_options
from unseen import JFA, ClassTable, ZeroShotDataset, load_dataset, make_zero_shot
from unseen.features.rowwise import SquareRoot, UnitNorm
from unseen.features.whitening import Whitening
from unseen.models import ESZSL, BilinearSVM, Prepared
from unseen.selection import ClassDisjointSearch

PREPARATIONS: dict[str, Any] = {
    "none": None,
    "length 1": UnitNorm(),
    "length 1, PCA 300": make_pipeline(UnitNorm(), PCA(300, random_state=0)),
    "square root, length 1": make_pipeline(SquareRoot(), UnitNorm()),
    "length 1, whitening": make_pipeline(UnitNorm(), Whitening()),
}
LAM = [0.3, 1.0, 3.0]
MODELS: list[tuple[Any, dict[str, list[Any]]]] = [
    (JFA(), {"model__lam": LAM}),
    (BilinearSVM(), {"model__lam": LAM}),
    (ESZSL(), {"model__gamma": [1.0, 10.0, 100.0, 1000.0], "model__lam": [1.0, 10.0]}),
]


def main(arguments: list[str]) -> None:
    parser = benchmark_options(__name__, __doc__)
    parser.add_argument("features", type=Path, nargs="?", help="the folder that `unseen extract` wrote")
    parser.add_argument("classes", type=Path, nargs="*", help="further class tables, as CSV")
    options = parser.parse_args(arguments)
    if options.features is None and not options.small:
        parser.error("name the folder of features")
    data = stand_in() if options.small else load_dataset(options.features)
    tables = {"attributes": data.classes} | {path.stem: ClassTable.from_csv(path) for path in options.classes}
    title = f"{len(data.X_test_unseen)} pictures of {len(data.unseen_classes)} unseen classes, mean per-class accuracy"
    table = Table("descriptions", "model", "chosen", "held-out seen classes", "unseen classes", title=title)
    for name, classes in tables.items():
        for model, grid in MODELS:
            table.add_row(name, type(model).__name__, *measure(data, classes.select(list(data.classes)), model, grid))
    Console().print(table)


def stand_in() -> ZeroShotDataset:
    """Make data that are small, but wide enough for every preparation."""
    return make_zero_shot(n_seen=20, n_unseen=5, n_features=310, n_attributes=12, n_per_class=24, random_state=0)


def measure(data: ZeroShotDataset, classes: ClassTable, model: Any, grid: dict[str, list[Any]]) -> list[str]:
    """Choose parameters on seen classes, and score once on the unseen ones."""
    whole = {"features": list(PREPARATIONS.values())} | grid
    search = ClassDisjointSearch(Prepared(model), whole, random_state=0)
    search.fit(data.X_train, data.y_train, classes=classes.select(data.seen_classes))
    answers = search.predict(data.X_test_unseen, classes=classes.select(data.unseen_classes))
    chosen = dict(search.best_params_)
    preparation = repr(chosen.pop("features"))
    named = next(name for name, known in PREPARATIONS.items() if repr(known) == preparation)
    settings = [f"{key.removeprefix('model__')}={value:g}" for key, value in chosen.items()]
    accuracy = balanced_accuracy_score(data.y_test_unseen, answers)
    return ["; ".join([named, *settings]), f"{search.best_score_:.1%}", f"{accuracy:.1%}"]
