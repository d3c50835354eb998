"""Draw precision and recall of each class for several methods: the paper's figure 5 (fig:recog-pre)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.evaluation import EvaluationResult, ResultTable
from unseen.report.figures.axes import label_classes
from unseen.report.figures.drawn import Drawn
from unseen.utils.errors import InputError
from unseen.utils.figures import HATCHES, make_figure, pick_colour, use_style
from unseen.utils.names import readable_names
from unseen.utils.tables import Table

# In the order of the panels; the first one sorts the classes.
COLUMNS = ("recall", "precision")

# Share of the distance between groups that the bars of a group fill.
_FILLED = 0.84
# In inches: no wider than a telephone can scroll, and of very many classes names are left out.
_WIDTH, _TALLEST = 7.0, 13.0


def per_class_figure(results: Sequence[EvaluationResult]) -> Drawn:
    """Draw recall (left) and precision (right) of each class as bars, one for each method.

    Classes are sorted by the recall of the first method, the best one at the top.

    Parameters
    ----------
    results : sequence of EvaluationResult
        Results of the same dataset in the standard setting; averages over trials are shown.
    """
    ResultTable(results)  # raises an error for no results, and for results of different data
    if any(column not in results[0].trials[0].per_class for column in COLUMNS):
        raise InputError(f"results are of the {results[0].setting} setting: give results of the standard setting")
    labels = results[0].candidates.labels.tolist()
    names = readable_names(labels)
    order = np.argsort(-results[0].per_class(COLUMNS[0]), kind="stable")
    with use_style():
        bars = min(_TALLEST, max(1.5, len(labels) * (0.08 + 0.08 * len(results))))
        figure = make_figure(_WIDTH, bars + 0.6 + 0.2 * len(results))
        panels = figure.subplots(1, 2, sharey=True)
        for axes, column in zip(panels, COLUMNS, strict=True):
            _draw_bars(axes, results, column, order)
        label_classes(panels[0].yaxis, [names[at] for at in order], bars)
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper left")
    return Drawn(
        "per-class",
        "Precision and recall of each unseen class",
        "Recall: share of the images of this class that were recognised. Precision: share of the images predicted as "
        f"this class that belong to it. Classes are sorted by the recall of {results[0].name}.",
        _describe(results),
        figure,
        _tabulate(results, labels),
    )


def _draw_bars(axes: Any, results: Sequence[EvaluationResult], column: str, order: NDArray[np.int64]) -> None:
    m, n = len(order), len(results)
    each = _FILLED / n
    for at, result in enumerate(results):
        values = 100 * result.per_class(column)[order]
        places = np.arange(m) - _FILLED / 2 + each * (at + 0.5)
        style = {"color": pick_colour(at), "hatch": HATCHES[at % len(HATCHES)], "edgecolor": "white", "linewidth": 0.3}
        axes.barh(places, values, each, label=_label(result), **style)
    axes.set(xlim=(0, 100), ylim=(m - 0.4, -0.6), xlabel=f"{column} (%)")
    axes.grid(axis="x")


def _label(result: EvaluationResult) -> str:
    recall, precision = (result.over_classes(column).mean for column in COLUMNS)
    return f"{result.name} (mean recall {recall:.1f}, precision {precision:.1f})"


def _describe(results: Sequence[EvaluationResult]) -> str:
    means = (
        f"{result.name}: precision {result.over_classes('precision')}, recall {result.over_classes('recall')}"
        for result in results
    )
    return "Bar chart over unseen classes. Mean and standard deviation across classes in per cent: " + "; ".join(means)


def _tabulate(results: Sequence[EvaluationResult], labels: list[Any]) -> Table:
    columns = [(f"{result.name} {column}", 100 * result.per_class(column)) for result in results for column in COLUMNS]
    rows = zip(map(str, labels), *(values.tolist() for _, values in columns), strict=True)
    return Table("Per class (%)", ("class", *(name for name, _ in columns)), tuple(rows))
