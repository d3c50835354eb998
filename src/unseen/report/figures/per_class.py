"""Draw precision and recall of each class for several methods: the paper's figure 5 (fig:recog-pre)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from unseen.evaluation import EvaluationResult, ResultTable
from unseen.report.figures.axes import label_classes, shorten_name
from unseen.report.figures.drawn import Drawn
from unseen.utils.errors import InputError
from unseen.utils.figures import HATCHES, make_figure, pick_colour, use_style
from unseen.utils.tables import Table

COLUMNS = ("precision", "recall")

# Share of the distance between groups that the bars of a group fill.
_FILLED = 0.84
_WIDEST, _NARROWEST = 11.0, 7.0


def per_class_figure(results: Sequence[EvaluationResult]) -> Drawn:
    """Draw precision (above) and recall (below) of each class as bars, one for each method.

    Parameters
    ----------
    results : sequence of EvaluationResult
        Results of the same dataset in the standard setting; averages over trials are shown.
    """
    ResultTable(results)  # raises an error for no results, and for results of different data
    if any(column not in results[0].trials[0].per_class for column in COLUMNS):
        raise InputError(f"results are of the {results[0].setting} setting: give results of the standard setting")
    labels = [str(label) for label in results[0].candidates.labels]
    with use_style():
        width = min(_WIDEST, max(_NARROWEST, 1.2 + 0.13 * len(labels) * (len(results) + 1)))
        # Class names stand upright below the bars and need room.
        figure = make_figure(width, 4.4 + 0.07 * max(len(shorten_name(label)) for label in labels))
        panels = figure.subplots(2, 1, sharex=True)
        for axes, column in zip(panels, COLUMNS, strict=True):
            _draw_bars(axes, results, column)
        label_classes(panels[1].xaxis, labels, width)
        panels[1].set_xlabel("unseen class")
        columns = min(len(results), int(width / 3.4))
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper left", ncols=columns)
    return Drawn(
        "per-class",
        "Precision and recall of each unseen class",
        "Precision: share of the images predicted as this class that belong to it. Recall: share of the images of this "
        "class that were recognised.",
        _describe(results),
        figure,
        _tabulate(results, labels),
    )


def _draw_bars(axes: Any, results: Sequence[EvaluationResult], column: str) -> None:
    m, n = len(results[0].candidates.labels), len(results)
    each = _FILLED / n
    for at, result in enumerate(results):
        values = 100 * result.per_class(column)
        places = np.arange(m) - _FILLED / 2 + each * (at + 0.5)
        style = {"color": pick_colour(at), "hatch": HATCHES[at % len(HATCHES)], "edgecolor": "white", "linewidth": 0.3}
        axes.bar(places, values, each, label=_label(result), **style)
    axes.set(ylim=(0, 100), xlim=(-0.6, m - 0.4), ylabel=f"{column} (%)")
    axes.grid(axis="y")


def _label(result: EvaluationResult) -> str:
    precision, recall = (result.over_classes(column).mean for column in COLUMNS)
    return f"{result.name} (mean precision {precision:.1f}, recall {recall:.1f})"


def _describe(results: Sequence[EvaluationResult]) -> str:
    means = (
        f"{result.name}: precision {result.over_classes('precision')}, recall {result.over_classes('recall')}"
        for result in results
    )
    return "Bar chart over unseen classes. Mean and standard deviation across classes in per cent: " + "; ".join(means)


def _tabulate(results: Sequence[EvaluationResult], labels: list[str]) -> Table:
    columns = [(f"{result.name} {column}", 100 * result.per_class(column)) for result in results for column in COLUMNS]
    rows = zip(labels, *(values.tolist() for _, values in columns), strict=True)
    return Table("Per class (%)", ("class", *(name for name, _ in columns)), tuple(rows))
