"""Draw the confusion matrix."""

from typing import Any

import numpy as np

from unseen.evaluation import EvaluationResult
from unseen.evaluation.metrics import Floats
from unseen.report.figures.axes import label_classes
from unseen.report.figures.drawn import Drawn
from unseen.utils.figures import make_figure, make_shades, use_style
from unseen.utils.names import readable_names
from unseen.utils.optional import import_optional
from unseen.utils.tables import Table

# Up to this many classes, every cell shows its number.
_WRITTEN = 15
_WORST = 3
# Above this share (%) a cell is so blue that white is easier to read on it than black.
_STRONG = 75


def confusion_figure(result: EvaluationResult) -> Drawn:
    """Draw the confusion matrix, each row in per cent of the test images of its class.

    Parameters
    ----------
    result : EvaluationResult
        Result of a setting with a confusion matrix; counts are averaged over trials.
    """
    labels = result.candidates.labels.tolist()
    names = readable_names(labels)
    counts = result.confusion
    share = 100 * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    with use_style():
        size = min(9.0, max(4.5, 1.5 + 0.17 * len(labels)))
        figure = make_figure(size + 0.9, size)
        axes = figure.subplots()
        # Shades grow with the square root, so that rare mistakes are visible.
        shades = import_optional("matplotlib.colors", "figures", "drawing a figure").PowerNorm(0.5, 0, 100)
        image = axes.imshow(share, cmap=make_shades(), norm=shades, interpolation="nearest")
        label_classes(axes.xaxis, names, size - 1)
        label_classes(axes.yaxis, names, size - 1)
        axes.set(xlabel="recognised as", ylabel="true class")
        axes.spines[:].set_visible(False)
        if len(labels) <= _WRITTEN:
            for (row, column), value in np.ndenumerate(share):
                shade = "white" if value > _STRONG else "black"
                axes.text(column, row, f"{value:.0f}", ha="center", va="center", color=shade, fontsize=8)
        ticks = [0, 5, 10, 25, 50, 100]
        figure.colorbar(image, ax=axes, label="% of the images of the class", shrink=0.8, pad=0.02, ticks=ticks)
    return Drawn(
        "confusion",
        f"Confusion of {result.name}, {result.setting} setting",
        "Each row is a true class and sums to 100 %: the diagonal was recognised, and the rest shows what it was "
        "taken for. Shades grow with the square root, so that rare mistakes are visible.",
        _describe(names, share),
        figure,
        _tabulate(labels, counts),
    )


def _describe(names: list[str], share: Floats) -> str:
    wrong = np.where(np.eye(len(names), dtype=bool), 0, share)
    worst = np.argsort(-wrong, axis=None, kind="stable")[:_WORST]
    pairs = [np.unravel_index(at, wrong.shape) for at in worst if wrong.flat[at] > 0]
    most = "; ".join(f"{names[row]} as {names[column]}, {wrong[row, column]:.0f} %" for row, column in pairs)
    return f"Confusion matrix of {len(names)} classes. Most often mistaken: {most or 'none'}."


def _tabulate(labels: list[Any], counts: Floats) -> Table:
    rows = tuple((str(label), *row) for label, row in zip(labels, counts.tolist(), strict=True))
    return Table("Test images by true class (rows) and answer (columns)", ("true class", *map(str, labels)), rows)
