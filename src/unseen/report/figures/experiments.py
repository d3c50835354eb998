"""Draw the results of experiments with their intervals, beside the published numbers."""

from collections.abc import Sequence
from typing import Any

from unseen.evaluation import EvaluationResult
from unseen.evaluation.metrics import choose_headline
from unseen.experiments.runner import Outcome
from unseen.report.figures.drawn import Drawn
from unseen.utils.figures import BLUE, VERMILLION, make_figure, use_style
from unseen.utils.tables import Cell, Table

_WIDTH, _ROW = 7.0, 0.3


def experiments_figure(outcomes: Sequence[Outcome[EvaluationResult]]) -> Drawn:
    """Draw each experiment as a point with its 95% interval, best first, and its published numbers as diamonds.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Outcomes of experiments on the same data in the same setting.
    """
    metric = choose_headline(outcomes[0].result.metrics)
    ordered = sorted(outcomes, key=lambda outcome: -outcome.result.mean(metric))
    first = ordered[0].result
    published = [_list_published(outcome, metric) for outcome in ordered]
    with use_style():
        figure = make_figure(_WIDTH, 0.9 + _ROW * len(ordered))
        axes = figure.subplots()
        for row, (outcome, numbers) in enumerate(zip(ordered, published, strict=True)):
            _draw_row(axes, row, outcome.result, metric, numbers)
        axes.set_yticks(range(len(ordered)), [outcome.experiment.name for outcome in ordered])
        axes.set(xlabel=f"{metric} (%)", ylim=(len(ordered) - 0.4, -0.6))
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", ncols=2)
    return Drawn(
        f"experiments-{first.dataset}-{first.setting}".replace(" ", "-"),
        f"{first.dataset}, {first.setting} setting",
        "A line is the 95% interval, over trials if these differ and otherwise over test images. It does not say what "
        "other classes would give. Published numbers may be of other features or splits: the table has the details.",
        f"{metric}, best first: "
        + ", ".join(f"{one.experiment.name} {100 * one.result.mean(metric):.1f} %" for one in ordered),
        figure,
        _tabulate(ordered, metric, published),
    )


def _draw_row(axes: Any, row: int, result: EvaluationResult, metric: str, published: Sequence[float]) -> None:
    interval = result.interval(metric)
    ends = (100 * interval.low, 100 * interval.high)
    axes.plot(ends, (row, row), color=BLUE, linewidth=2.2, solid_capstyle="round")
    axes.plot(100 * result.mean(metric), row, "o", color=BLUE, markersize=7, label="_" * bool(row) + "measured here")
    # Named once in the legend, by the first row that has any.
    known = {handle.get_label() for handle in axes.lines}
    for number in published:
        label = "_" * ("published" in known) + "published"
        style = {"color": VERMILLION, "markersize": 7, "markerfacecolor": "none"}
        axes.plot(number, row, "D", label=label, **style)
        known.add(label)


def _list_published(outcome: Outcome[EvaluationResult], metric: str) -> list[float]:
    return [reference.mean for reference in outcome.experiment.published if reference.metric == metric]


def _tabulate(ordered: Sequence[Outcome[EvaluationResult]], metric: str, published: Sequence[Sequence[float]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for outcome, numbers in zip(ordered, published, strict=True):
        interval = outcome.result.interval(metric)
        ours = (outcome.result.mean(metric), interval.low, interval.high)
        theirs = numbers[0] if numbers else None
        rows.append((outcome.experiment.name, *(100 * value for value in ours), theirs))
    return Table("Experiments", ("experiment", f"{metric} (%)", "95% low", "95% high", "published"), tuple(rows))
