"""Compare our models with other people's on the same random class splits, with time and lines of code.

Everything gets the same features, prepared on the seen rows of each split: square roots if none is negative, PCA to
500, whitening, length 1; and the same descriptions: square roots of frequencies, others as given. Parameters are chosen
on held-out seen classes of the split. Peers (exemplar regression, a ridge pipeline, CNZSL) are in
benchmarks/tools/peer_models; none of them uses this library. CNZSL is measured on features and descriptions as they
come, too, for which it was made: our preparation costs it accuracy.
"""

import sys
from argparse import Namespace
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
from rich.console import Console
from rich.progress import track
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from benchmarks.tools.birds import DATA_FOLDER
from benchmarks.tools.code_lines import count_code_lines
from benchmarks.tools.options import benchmark_options
from benchmarks.tools.peer_models.exemplar_regression import ExemplarRegression
from benchmarks.tools.peer_models.ridge_pipeline import RidgePipeline
from unseen import ClassTable, ZeroShotDataset, load_dataset
from unseen.evaluation import ResultTable, SplitComparison, SplitResult
from unseen.evaluation.running import draw_tasks, run_trial
from unseen.evaluation.settings.inductive import make_setting
from unseen.features import SquareRoot, UnitNorm, Whitening, list_description_choices
from unseen.models import ESZSL, JFA, BilinearSVM, Blend, GaussianJFA
from unseen.selection import ClassDisjointSearch, ClassKFold
from unseen.utils.errors import InputError
from unseen.utils.registry import check_choice
from unseen.utils.tables import Table
from unseen.utils.validation import check_whole_number

N_COMPONENTS = 500

# File, and how its rows are divided before classes are drawn. CUB comes with test rows of seen classes.
DATASETS = {
    "cub": ("CUB_vgg_fc7.npz", {"split": "proposed"}),
    "awa": ("AWA1_handcrafted.npz", {"split": "standard"}),
    "flo": ("FLO82_resnet50.npz", {"split": "random:0", "n_unseen": 16}),
}

# Share of the rows of seen classes that are kept for testing where the data do not name such rows.
SEEN_FRACTION = 0.2

# Measured without our preparation.
AS_GIVEN = "CNZSL, features as given"

TIMES = "Seconds are of one split, without the preparation that all share; testing has everything after training."
LINES = (
    "Lines of code: those of the modules that a method needs of its own project, a statement on a line; without "
    "comments and docstrings, and without other projects such as scikit-learn and PyTorch."
)


def main(arguments: list[str]) -> None:
    options, models = _read_options(arguments)
    data = load_data("digit-pairs" if options.small else options.dataset, options.setting)
    results = measure(data, models, options.setting, options.splits, options.seed)
    for table in make_tables(results, models, options.metric, options.against):
        print(table.to_markdown() if options.markdown else table.to_text(), end="\n\n")


def _read_options(arguments: list[str]) -> tuple[Namespace, dict[str, BaseEstimator]]:
    """Read and check the options, before hours of work; return the methods that they name too."""
    parser = benchmark_options("peers", __doc__)
    parser.add_argument("--dataset", choices=DATASETS, default="cub", help="by default cub")
    parser.add_argument(
        "--setting", choices=("standard", "generalized"), default="standard", help="by default standard"
    )
    parser.add_argument("--splits", type=int, default=2, help="number of random class splits, at least 2 (default)")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the class splits, by default 0")
    parser.add_argument("--metric", help="metric to compare, by default mean per-class accuracy or H")
    parser.add_argument("--against", help="method to compare the others with, by default the one with the best mean")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="methods to compare, at least two; by default all")
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    options = parser.parse_args(arguments)
    models = _select_models(make_models(options.small), options.only)
    check_whole_number(options.splits, "splits", 2)
    check_whole_number(options.seed, "seed", 0)
    if options.metric is not None:
        check_choice(options.metric, make_setting(options.setting).metrics, "metric")
    if options.against is not None:
        check_choice(options.against, list(models), "against")
    return options, models


def _select_models(models: dict[str, BaseEstimator], names: list[str] | None) -> dict[str, BaseEstimator]:
    if names is None:
        return models
    chosen = {check_choice(name, list(models), "only"): models[name] for name in names}
    if len(chosen) < 2:
        raise InputError(f"only={names!r} leaves nothing to compare: name at least two methods")
    return chosen


def load_data(name: str, setting: str) -> ZeroShotDataset:
    if name == "digit-pairs":
        return load_dataset(name, n_train=3)
    file, how = DATASETS[name]
    if not (DATA_FOLDER / file).exists():
        raise InputError(f"dataset={name!r} needs {DATA_FOLDER / file}: set UNSEEN_DATA to the folder that has it")
    if setting == "generalized" and name != "cub":
        how = how | {"seen_fraction": SEEN_FRACTION}
    return load_dataset(DATA_FOLDER / file, **how)


def make_models(small: bool = False) -> dict[str, BaseEstimator]:
    """Return everything to compare, by name; if small, with less to choose from."""
    grid = {"lam": [1.0]} if small else {"lam": [0.3, 1.0, 3.0], "temperature": [0.3, 1.0]}
    ridges = [0.1, 10.0] if small else [1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0]

    def choose(model: BaseEstimator, grid: dict[str, list[float]]) -> ClassDisjointSearch:
        return ClassDisjointSearch(model, grid, splitter=ClassKFold(3, random_state=0))

    bilinear = choose(BilinearSVM(), grid)
    ours = {
        "GaussianJFA": GaussianJFA(),
        "JFA": choose(JFA(), grid),
        "BilinearSVM": bilinear,
        "Blend": Blend([("gaussian", GaussianJFA()), ("bilinear", bilinear)], random_state=0),
        "ESZSL": choose(ESZSL(), {"gamma": ridges, "lam": ridges}),
    }
    return ours | _make_peers(small)


def _make_peers(small: bool) -> dict[str, BaseEstimator]:
    peers = {
        "exemplar regression": ExemplarRegression(random_state=0),
        "ridge pipeline": RidgePipeline(random_state=0),
    }
    if find_spec("torch") is None:
        print("CNZSL is left out, because it needs PyTorch: pip install unseen[torch]", file=sys.stderr)
        return peers
    from benchmarks.tools.peer_models.cnzsl import CNZSL

    network = CNZSL(n_hidden=32, n_epochs=2, random_state=0) if small else CNZSL(random_state=0)
    return peers | {"CNZSL": network, AS_GIVEN: network}


def prepare(data: ZeroShotDataset) -> ZeroShotDataset:
    """Prepare features as fitted on the training rows, and descriptions."""
    X, train = np.asarray(data.X, dtype=np.float32), np.asarray(data.X_train, dtype=np.float32)
    roots = [SquareRoot()] if train.min() >= 0 else []
    steps = make_pipeline(*roots, PCA(min(N_COMPONENTS, *train.shape), random_state=0), Whitening(), UnitNorm())
    X = np.asarray(steps.fit(train).transform(X), dtype=np.float32)
    return replace(data, X=X, classes=_prepare_descriptions(data), feature_names=None)


def _prepare_descriptions(data: ZeroShotDataset) -> ClassTable:
    # Square roots are among the choices for frequencies only.
    for choice in list_description_choices(data.seen_table.vectors):
        if isinstance(choice, SquareRoot):
            return ClassTable(choice.fit_transform(data.classes.vectors), data.classes.labels)
    return data.classes


def measure(
    data: ZeroShotDataset, models: dict[str, BaseEstimator], setting: str, n_splits: int, seed: int
) -> list[SplitResult]:
    """Evaluate all models on the splits of `evaluate(class_splits=n_splits, random_state=seed)`, each prepared once."""
    n_unseen = len(data.unseen_classes)
    chosen, tasks = make_setting(setting), draw_tasks(seed, n_splits, n_unseen)
    trials, candidates = {name: [] for name in models}, []
    for task in track(tasks, description="class splits", transient=True, console=Console(stderr=True)):
        split = task.split(data)
        prepared = prepare(split)
        candidates.append(chosen.candidates(split))
        for name, model in models.items():
            trials[name].append(run_trial(model, split if name == AS_GIVEN else prepared, chosen, task.seed))
    return [
        SplitResult(
            name=name,
            model=repr(models[name]),
            dataset=data.name,
            setting=chosen.name,
            trials=tuple(found),
            candidates=tuple(candidates),
            n_seen=len(data.seen_classes),
            n_unseen=n_unseen,
        )
        for name, found in trials.items()
    ]


def make_tables(
    results: list[SplitResult], models: dict[str, BaseEstimator], metric: str | None = None, against: str | None = None
) -> list[Table]:
    """Return the table of all metrics, and that of differences with time and lines of code."""
    comparison = SplitComparison(results, metric, against)
    compared = comparison.table()
    costs = [(*(round(s, 2) for s in one.seconds), count_code_lines(models[one.name])) for one in comparison.ordered]
    with_costs = replace(
        compared,
        columns=(*compared.columns, "training (s)", "testing (s)", "lines of code"),
        rows=tuple((*row, *cost) for row, cost in zip(compared.rows, costs, strict=True)),
        notes=(*compared.notes, TIMES, LINES),
    )
    return [ResultTable(comparison.ordered).table(), with_costs]


if __name__ == "__main__":
    from benchmarks.__main__ import start

    # Under its own name, not as __main__.
    start(["peers", *sys.argv[1:]])
