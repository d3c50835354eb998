"""Measure accuracy on CUB's unseen classes against the number of labelled images that each of them has.

Random class splits into 150 and 50. Images are drawn for each unseen class, and all of its others are tested, among the
unseen classes. GaussianJFA goes on learning from them; the other models see nothing of descriptions. The regulariser of
logistic regression is the best one for as many images of 50 seen classes. Prints the table of docs/results.md and
writes docs/images/few-shot.svg.
"""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from benchmarks.tools.birds import DATA_FOLDER
from benchmarks.tools.options import benchmark_options
from unseen import ClassTable, ZeroShotDataset, load_dataset, make_zero_shot
from unseen.features import SquareRoot, UnitNorm, Whitening
from unseen.models import GaussianJFA
from unseen.utils.figures import make_figure, pick_colour, pick_marker, use_style, write_figure

SHOTS = (0, 1, 2, 5, 10)
DRAWS = 3
SEEDS = range(200, 205)
STRENGTHS = (1.0, 10.0, 100.0, 1000.0)

Learner = Callable[["Shots"], NDArray[Any]]


class Shots(NamedTuple):
    """Labelled images to learn from, and images to name."""

    X: NDArray[np.float32]
    y: NDArray[Any]
    X_test: NDArray[np.float32]
    y_test: NDArray[Any]

    @classmethod
    def draw(cls, X: NDArray[np.float32], y: NDArray[Any], count: int, random: np.random.Generator) -> "Shots":
        order = random.permutation(len(y))
        taken = np.zeros(len(y), dtype=bool)
        for label in np.unique(y):
            taken[order[y[order] == label][:count]] = True
        return cls(X[taken], y[taken], X[~taken], y[~taken])

    def score(self, answers: NDArray[Any]) -> float:
        """Return the mean per-class accuracy in per cent."""
        return 100 * float(np.mean([np.mean(answers[self.y_test == c] == c) for c in np.unique(self.y_test)]))


def prepare(seed: int, small: bool) -> ZeroShotDataset:
    """Load a class split, with features and descriptions prepared on the seen classes."""
    if small:
        return make_zero_shot(n_seen=12, n_unseen=6, n_test_per_class=16, noise=1.0, random_state=seed)
    data = load_dataset(DATA_FOLDER / "CUB_vgg_fc7.npz", split=f"random:{seed}", n_unseen=50)
    steps = make_pipeline(SquareRoot(), PCA(500, random_state=0), Whitening(), UnitNorm()).fit(data.X_train)
    table = ClassTable(SquareRoot(normalise=False).fit_transform(data.classes.vectors), data.classes.labels)
    X = np.asarray(steps.transform(data.X), dtype=np.float32)
    return ZeroShotDataset(X, data.y, table, data.train, data.test_seen, data.test_unseen, name="CUB")


def go_on(model: GaussianJFA, table: ClassTable) -> Learner:
    def learn(shots: Shots) -> NDArray[Any]:
        further = deepcopy(model)
        if len(shots.y):
            further.partial_fit(shots.X, shots.y, classes=table)
        return further.predict(shots.X_test, classes=table)

    return learn


def find_nearest_mean(shots: Shots) -> NDArray[Any]:
    labels = np.unique(shots.y)
    means = np.stack([shots.X[shots.y == label].mean(axis=0) for label in labels])
    return labels[(shots.X_test @ means.T - (means**2).sum(axis=1) / 2).argmax(axis=1)]


def use_seen_metric(model: GaussianJFA) -> Learner:
    """Return the nearest class mean in the space where seen classes have unit covariance."""
    within = model.statistics_.within_shrunk(model.choice_.shape.within_shrinkage)
    root = np.linalg.inv(np.linalg.cholesky(within)).T
    scaling = model._feature_scaling

    def learn(shots: Shots) -> NDArray[Any]:
        X, X_test = (scaling.apply(rows) @ root for rows in (shots.X, shots.X_test))
        return find_nearest_mean(shots._replace(X=X, X_test=X_test))

    return learn


def regress(strength: float) -> Learner:
    return lambda shots: LogisticRegression(C=strength, max_iter=500).fit(shots.X, shots.y).predict(shots.X_test)


def choose_strength(data: ZeroShotDataset, count: int) -> float:
    """Choose the regulariser on as many images of as many seen classes as there are unseen ones."""
    random = np.random.default_rng(0)
    drawn = np.isin(data.y_train, random.permutation(data.seen_classes)[: len(data.unseen_classes)])
    shots = Shots.draw(data.X_train[drawn], data.y_train[drawn], count, random)
    return max(STRENGTHS, key=lambda strength: shots.score(regress(strength)(shots)))


def measure_split(data: ZeroShotDataset, draws: int) -> dict[tuple[str, int], float]:
    """Return the mean accuracy over draws, for each model and number of images."""
    model = GaussianJFA().fit(data.X_train, data.y_train, classes=data.seen_table)
    found = {}
    for count in SHOTS:
        learners = {"GaussianJFA.partial_fit": go_on(model, data.unseen_table)}
        if count:
            learners["nearest mean, covariance of seen classes"] = use_seen_metric(model)
            learners["nearest mean"] = find_nearest_mean
            learners["logistic regression"] = regress(choose_strength(data, count))
        for name, learner in learners.items():
            randoms = [np.random.default_rng(seed) for seed in range(draws if count else 1)]
            drawn = (Shots.draw(data.X_test_unseen, data.y_test_unseen, count, random) for random in randoms)
            found[name, count] = float(np.mean([shots.score(learner(shots)) for shots in drawn]))
    return found


def main(arguments: list[str]) -> None:
    parser = benchmark_options(__name__, __doc__)
    parser.add_argument("--draws", type=int, default=DRAWS, help="how often images are drawn for each class split")
    options = parser.parse_args(arguments)
    seeds = SEEDS[:2] if options.small else SEEDS
    splits = [measure_split(prepare(seed, options.small), options.draws) for seed in seeds]
    found = {key: np.array([split[key] for split in splits]) for key in splits[0]}
    show(found)
    if not options.small:
        draw(found, Path(__file__).parents[1] / "docs" / "images" / "few-shot.svg")


def show(found: dict[tuple[str, int], NDArray[np.float64]]) -> None:
    table = Table(
        "labelled images of each unseen class", *map(str, SHOTS), title="mean per-class accuracy ± over splits"
    )
    for name in dict.fromkeys(name for name, _ in found):
        cells = [found.get((name, count)) for count in SHOTS]
        table.add_row(name, *("" if cell is None else f"{cell.mean():.1f} ± {cell.std(ddof=1):.1f}" for cell in cells))
    Console().print(table)


def draw(found: dict[tuple[str, int], NDArray[np.float64]], path: Path) -> None:
    """Draw the curves over evenly spaced numbers of images, with the range over class splits."""
    with use_style():
        figure = make_figure(6.4, 3.6)
        axes = figure.add_subplot()
        for at, name in enumerate(dict.fromkeys(name for name, _ in found)):
            places = [place for place, count in enumerate(SHOTS) if (name, count) in found]
            values = np.stack([found[name, SHOTS[place]] for place in places])
            colour = pick_colour(at)
            axes.plot(places, values.mean(axis=1), marker=pick_marker(at), color=colour, label=name)
            axes.fill_between(places, values.min(axis=1), values.max(axis=1), color=colour, alpha=0.15, linewidth=0)
        axes.set_xticks(range(len(SHOTS)), [str(count) for count in SHOTS])
        axes.set(xlabel="labelled images of each unseen class", ylabel="mean per-class accuracy (%)", ylim=(0, 100))
        axes.grid(axis="y")
        axes.legend(loc="lower right")
        write_figure(figure, path, force=True)
