"""Compare candidate defaults by accuracy on held-out *seen* classes, never on the unseen ones.

Prints the tables of docs/choices.md.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GroupShuffleSplit

from benchmarks.tools.birds import Birds, load_birds
from benchmarks.tools.options import benchmark_options
from unseen import JFA
from unseen.models import ESZSL, BilinearSVM, DirectJFA, ZeroShotClassifier

# Non-smooth losses are trained by the stochastic solver here: as good as CCCP, and faster on this many rows.
ROUGH = {"solver": "stochastic", "random_state": 0}

QUESTIONS: dict[str, dict[str, ZeroShotClassifier]] = {
    "the form of the loss": {
        "soft maximum, temperature 0.1 (default)": JFA(),
        "soft maximum, temperature 0.03": JFA(temperature=0.03),
        "soft maximum, temperature 0.3": JFA(temperature=0.3),
        "soft maximum, temperature 1": JFA(temperature=1.0),
        "maximum (the paper's)": JFA(loss="maximum", **ROUGH),
        "ranking sum": JFA(loss="ranking", **ROUGH),
    },
    "scaling": {
        "centred, length 1 (default)": JFA(),
        "as they are": JFA(scaling=None),
    },
    "lambda": {f"lam={lam:g}": JFA(lam=lam) for lam in (0.1, 0.3, 1.0, 3.0, 10.0)},
    "omega": {
        "(1000, 10, 0, 1) (default)": JFA(),
        "(1000, 10, 0, 0)": JFA(omega=(1000, 10, 0, 0)),
        "(1000, 10, 0, 10)": JFA(omega=(1000, 10, 0, 10)),
        "(1000, 1, 0, 0.1)": JFA(omega=(1000, 1, 0, 0.1)),
        "(100, 10, 10, 1)": JFA(omega=(100, 10, 10, 1)),
        "(100, 1, 0, 0.1)": JFA(omega=(100, 1, 0, 0.1)),
        "(10, 10, 0, 0)": JFA(omega=(10, 10, 0, 0)),
        "no displacement (BilinearSVM)": BilinearSVM(),
    },
    "other ways to learn": {
        "weights free, omega (10, 10, 0, 0)": JFA(omega=(10, 10, 0, 0), weights="free"),
        "the inverse of H directly": DirectJFA(),
        "ESZSL": ESZSL(),
    },
}


def make_folds(birds: Birds, n_splits: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield training rows of two thirds of the classes, and rows of the other classes, which are held out."""
    splitter = GroupShuffleSplit(n_splits=n_splits, test_size=1 / 3, random_state=0)
    yield from splitter.split(birds.X, birds.y, groups=birds.y)


def measure_accuracy(model: ZeroShotClassifier, birds: Birds, n_splits: int) -> list[float]:
    """Return the mean per-class accuracy on the held-out classes of each fold."""
    scores = []
    for train, held_out in make_folds(birds, n_splits):
        model.fit(birds.X[train], birds.y[train], classes=birds.classes.select(np.unique(birds.y[train])))
        candidates = birds.classes.select(np.unique(birds.y[held_out]))
        scores.append(balanced_accuracy_score(birds.y[held_out], model.predict(birds.X[held_out], classes=candidates)))
    return scores


def main(arguments: list[str]) -> None:
    parser = benchmark_options(__name__, __doc__)
    parser.add_argument("questions", nargs="*", help=f"from {', '.join(map(repr, QUESTIONS))}; by default all")
    parser.add_argument(
        "--splits", type=int, default=5, help="number of times that a third of the seen classes is held out"
    )
    options = parser.parse_args(arguments)
    birds, console = load_birds(options.small), Console()
    for question in options.questions or QUESTIONS:
        answers = QUESTIONS[question]
        title = f"{question}: per-class accuracy on held-out seen classes, {birds.source}, {options.splits} splits"
        table = Table("choice", "mean", "in each split", title=title)
        for name, model in track(answers.items(), description=question, transient=True, console=console):
            scores = measure_accuracy(model, birds, options.splits)
            table.add_row(name, f"{np.mean(scores):.1%}", "  ".join(f"{score:.1%}" for score in scores))
        console.print(table)
