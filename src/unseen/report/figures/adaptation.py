"""Draw t-SNE maps of features before and after adaptation: the paper's figure 2."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data import ZeroShotDataset
from unseen.evaluation.metrics import Floats
from unseen.models import JFA
from unseen.models.base import core_of
from unseen.models.wrappers.preparation import Preparation
from unseen.report.figures.axes import shorten_name
from unseen.report.figures.drawn import Drawn
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError
from unseen.utils.figures import LIGHT_GREY, PALETTE, make_figure, pick_colour, pick_marker, use_style
from unseen.utils.names import readable_names
from unseen.utils.optional import import_optional
from unseen.utils.tables import Table
from unseen.utils.validation import check_whole_number

PANELS = ("original features", "adapted features z_t", "adapted descriptions z_s")
_TITLES = ("original features", "adapted features $z_t$", "adapted descriptions $z_s$")

# More dimensions do not improve the search for neighbours, and only slow it down.
_DIMENSIONS = 50
_PERPLEXITY = 30
# Images shown of one class, so that the map stays readable.
_IMAGES = 60


def adapts(model: Any) -> bool:
    """Return whether a fitted model displaces features and descriptions."""
    return isinstance(core_of(model), JFA)


def adaptation_figure(model: Any, dataset: ZeroShotDataset, *, n_classes: int = 10, random_state: int = 0) -> Drawn:
    """Draw t-SNE maps of test images of unseen classes: original features, z_t and z_s (Eq. eqn:z).

    Each image is adapted to the unseen class that the model predicts for it, so that no label of a test image is used.
    Colour and marker show the true classes.

    Parameters
    ----------
    model : estimator
        A fitted `JFA`, possibly inside `Prepared`, `Calibrated` or a transductive model.
    dataset : ZeroShotDataset
    n_classes : int, default 10
        Number of unseen classes to show, those with the most test images first.
    random_state : int, default 0
        Random seed for the maps and for the choice of images (at most 60 of a class). The same seed gives the same
        figure.
    """
    if not adapts(model):
        raise InputError(f"model={model!r} does not adapt features: give a fitted JFA")
    check_whole_number(n_classes, "n_classes", 1)
    rows = _choose_rows(dataset, n_classes, random_state)
    spaces = _compute_spaces(model, dataset, rows)
    maps = [embed(space, random_state) for space in spaces]
    labels = dataset.y[rows]
    with use_style():
        figure = make_figure(10.5, 4.1)
        panels = figure.subplots(1, len(PANELS))
        for letter, axes, title, places in zip("abc", panels, _TITLES, maps, strict=True):
            _scatter(axes, places, labels)
            axes.set_title(f"({letter}) {title}")
        handles, names = panels[0].get_legend_handles_labels()
        columns = min(10, _count_legend_columns(names))
        figure.legend(handles, names, loc="outside lower center", ncols=columns, handletextpad=0.1, markerscale=1.3)
    shares = [_compare_neighbours(places, labels) for places in maps]
    return Drawn(
        "adaptation",
        "Images of unseen classes before and after adaptation (t-SNE)",
        "Each point is a test image of an unseen class, adapted to the class that the model predicts. Colour and "
        "marker show its true class. Left: original features; middle and right: after both sides have moved "
        "towards each other. Only nearness has a meaning in such a map, not axes or sizes.",
        f"Three maps of {len(rows)} images of {len(names)} unseen classes. The nearest point is of the same true class "
        + ", ".join(f"for {share:.0%} in {title}" for share, title in zip(shares, PANELS, strict=True)),
        figure,
        _tabulate(rows, labels, maps),
    )


def embed(X: Floats, random_state: int = 0) -> Floats:
    """Embed rows in the plane by t-SNE, shape (n, 2); the same rows and seed give the same map.

    Equal rows (z_s of images that are adapted alike to one class) get the same place.
    """
    tsne = import_optional("openTSNE", "figures", "a t-SNE map")
    reduced = _reduce(np.asarray(X, dtype=np.float64))
    perplexity = max(1.0, min(_PERPLEXITY, (len(reduced) - 1) / 3))
    map_ = tsne.TSNE(
        perplexity=perplexity, initialization="pca", neighbors="exact", random_state=random_state, n_jobs=1
    )
    return np.asarray(map_.fit(reduced))


def _reduce(X: Floats) -> Floats:
    """Project rows to their leading principal directions, at a common scale."""
    centred = X - X.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    scores = left[:, :_DIMENSIONS] * sizes[:_DIMENSIONS]
    # Signs of principal directions are arbitrary; fix them so that maps repeat.
    signs = np.sign(scores[np.abs(scores).argmax(axis=0), np.arange(scores.shape[1])])
    return np.asarray(scores * signs / max(float(scores.std()), 1e-12))


def _choose_rows(dataset: ZeroShotDataset, n_classes: int, random_state: int) -> NDArray[np.int64]:
    random = np.random.default_rng(random_state)
    y = dataset.y_test_unseen
    counts = np.array([np.count_nonzero(y == label) for label in dataset.unseen_classes])
    chosen = np.sort(np.argsort(-counts, kind="stable")[:n_classes])
    groups = [dataset.test_unseen[y == dataset.unseen_classes[at]] for at in chosen]
    return np.concatenate([np.sort(random.permutation(group)[:_IMAGES]) for group in groups])


def _compute_spaces(model: Any, dataset: ZeroShotDataset, rows: NDArray[np.int64]) -> list[Floats]:
    inside, preparation = core_of(model), Preparation.of(model)
    table, batch = dataset.unseen_table, dataset.test_unseen
    # Predict the whole batch, because a transductive model answers all rows together.
    answers = dict(zip(batch.tolist(), model.predict(dataset.X[batch], classes=table), strict=True))
    prepared = preparation.prepare_rows(dataset.X[rows])
    assert isinstance(inside, JFA)
    adapted = inside.adapt(prepared, [answers[row] for row in rows.tolist()], classes=preparation.prepare_table(table))
    return [to_numpy(space).astype(np.float64) for space in (prepared, adapted.z_t, adapted.z_s)]


def _scatter(axes: Any, places: Floats, labels: NDArray[Any]) -> None:
    distinct = list(dict.fromkeys(labels.tolist()))
    for at, (label, name) in enumerate(zip(distinct, readable_names(distinct), strict=True)):
        x, y = places[labels == label].T
        # When colours repeat, a dark edge distinguishes the second use from the first.
        edge = "white" if at < len(PALETTE) else "black"
        style = {"s": 24, "alpha": 0.85, "linewidths": 0.4 if at < len(PALETTE) else 0.9, "edgecolors": edge}
        axes.scatter(x, y, c=pick_colour(at), marker=pick_marker(at), label=shorten_name(name), **style)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color(LIGHT_GREY)


def _count_legend_columns(names: list[str]) -> int:
    return max(2, int(110 / (6 + max(map(len, names)))))


def _compare_neighbours(places: Floats, labels: NDArray[Any]) -> float:
    """Return the share of points whose nearest other point is of the same class."""
    distances = ((places[:, None, :] - places[None, :, :]) ** 2).sum(axis=-1)
    np.fill_diagonal(distances, np.inf)
    return float(np.mean(labels[distances.argmin(axis=1)] == labels))


def _tabulate(rows: NDArray[np.int64], labels: NDArray[Any], maps: list[Floats]) -> Table:
    columns = tuple(f"{title}, {side}" for title in PANELS for side in ("x", "y"))
    places = np.hstack(maps).tolist()
    cells = tuple((int(row), str(label), *place) for row, label, place in zip(rows, labels, places, strict=True))
    return Table("t-SNE", ("row", "true class", *columns), cells)
