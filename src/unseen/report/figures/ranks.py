"""Draw the average ranks of models over class splits, and join those that cannot be told apart (Demšar, 2006)."""

from collections.abc import Sequence
from math import comb
from typing import Any

from unseen.evaluation import SplitComparison, SplitResult
from unseen.evaluation.splits.comparison import note_too_few
from unseen.report.figures.drawn import Drawn
from unseen.utils.figures import BLUE, GREY, make_figure, use_style
from unseen.utils.tables import Cell, Table

# Distances below the axis, in its units: between the bars of groups, and between the names of models.
_BAR, _NAME = 0.28, 0.5
# Widths of the axis and of a character beside it, in inches.
_AXIS, _CHARACTER = 4.0, 0.085
# How far a bar reaches beyond the ranks that it joins.
_BEYOND = 0.03
# How many numbers of ranks fit on the axis.
_MOST_RANKS = 15


def critical_difference_figure(
    results: Sequence[SplitResult], metric: str | None = None, *, level: float = 0.05
) -> Drawn:
    """Draw the average rank of each model over the same class splits, with a bar below models that do not differ.

    Whether two models differ is decided by Wilcoxon's signed-rank test of each pair, corrected by Holm for all pairs
    (Benavoli et al., 2016). Nemenyi's test would compare average ranks, which depend on the other models drawn.

    Parameters
    ----------
    results : sequence of SplitResult
        Results of at least two models on the same class splits, of `evaluate` with `class_splits`.
    metric : str, optional
        As for `SplitComparison`.
    level : float, default 0.05
        Pairs with a corrected p-value of at least this are not told apart.
    """
    compared = SplitComparison(results, metric)
    ranks, groups = compared.ranks(), compared.groups(level)
    named = {result.name: result for result in results}
    labels = {
        name: f"{name}   {rank:.2f}  ({100 * named[name].mean(compared.compared):.1f} %)"
        for name, rank in ranks.items()
    }
    first, n = results[0], len(results[0].trials)
    too_few = note_too_few(n, comb(len(results), 2), level)
    with use_style():
        rows = (len(ranks) + 1) // 2
        lines = _stack([(ranks[group[0]], ranks[group[-1]]) for group in groups])
        top = 0.35 + _BAR * len(lines)
        bottom = top + _NAME * (rows - 0.2)
        longest = max(map(len, list(labels.values())[:rows])) + max(map(len, list(labels.values())[rows:]))
        figure = make_figure(_AXIS + _CHARACTER * longest, 0.9 + 0.15 * len(too_few) + 0.55 * bottom)
        figure.get_layout_engine().set(w_pad=0.1)
        axes = figure.subplots()
        _draw_axis(axes, len(ranks), -bottom)
        _draw_groups(axes, lines)
        _draw_names(axes, list(ranks.values()), list(labels.values()), top)
        axes.set_xlabel(f"average rank by {compared.compared} over {n} class splits of {first.dataset} (1 is best)")
        note = f"A bar joins neighbours of which no two differ (Wilcoxon's test of each pair, Holm, p ≥ {level:g})."
        figure.supxlabel("\n".join([note, *too_few]), fontsize=8, color=GREY)
    return Drawn(
        "ranks",
        "Average ranks over class splits",
        f"The model that is best in a split has rank 1 there; beside each name, its average rank and, in brackets, its "
        f"{compared.compared} averaged over the splits. A bar joins neighbours of which no two differ (Wilcoxon's "
        f"signed-rank test of each pair over the {n} splits, corrected by Holm, p ≥ {level:g}). Splits share classes, "
        "so this holds for further random splits of the same classes." + "".join(f" {note}" for note in too_few),
        _describe(ranks, groups),
        figure,
        _tabulate(compared, ranks, groups),
    )


def _draw_axis(axes: Any, n_models: int, bottom: float) -> None:
    # Of many ranks only every few are named, so that their numbers do not touch.
    apart = 1 + n_models // _MOST_RANKS
    axes.set(xlim=(1, n_models), ylim=(bottom, 0.0), yticks=[], xticks=range(1, n_models + 1, apart))
    axes.xaxis.set_ticks_position("top")
    axes.xaxis.set_label_position("top")
    for side in ("left", "bottom", "right"):
        axes.spines[side].set_visible(False)
    axes.spines["top"].set_visible(True)


def _stack(bars: Sequence[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    """Put bars, given by their ends, on as few lines as they need not to touch."""
    lines: list[list[tuple[float, float]]] = []
    for bar in bars:
        free = (line for line in lines if line[-1][1] + 4 * _BEYOND < bar[0])
        line = next(free, None)
        if line is None:
            lines.append([bar])
        else:
            line.append(bar)
    return lines


def _draw_groups(axes: Any, lines: Sequence[Sequence[tuple[float, float]]]) -> None:
    for at, line in enumerate(lines):
        height = -0.3 - _BAR * at
        for low, high in line:
            ends = (low - _BEYOND, high + _BEYOND)
            axes.plot(ends, (height, height), color=BLUE, linewidth=4, solid_capstyle="round", clip_on=False, zorder=3)


def _draw_names(axes: Any, ranks: Sequence[float], labels: Sequence[str], top: float) -> None:
    """Write the better half of the names at the left and the others at the right, each led to its rank."""
    n = len(ranks)
    half = (n + 1) // 2
    for at, (rank, label) in enumerate(zip(ranks, labels, strict=True)):
        left = at < half
        # The lines of the outermost names turn first, so that no two cross.
        height = -top - _NAME * ((at if left else n - 1 - at) + 0.4)
        end = 1 if left else n
        axes.plot((rank, rank, end), (0, height, height), color=GREY, linewidth=0.9, clip_on=False, zorder=1)
        axes.plot(rank, 0, "o", color=BLUE, markersize=5, clip_on=False, zorder=4)
        # In points, so that the room for names does not depend on the width of the axis.
        beside = (-6 if left else 6, 0)
        style = {"ha": "right" if left else "left", "va": "center", "annotation_clip": False}
        axes.annotate(label, (end, height), beside, textcoords="offset points", **style)


def _describe(ranks: dict[str, float], groups: Sequence[Sequence[str]]) -> str:
    joined = "; ".join(", ".join(group) for group in groups) or "none"
    ordered = ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.items())
    return f"Average ranks, best first: {ordered}. Not told apart: {joined}."


def _tabulate(compared: SplitComparison, ranks: dict[str, float], groups: Sequence[Sequence[str]]) -> Table:
    p_values = compared.p_values()
    named = {result.name: result for result in compared.results}

    def find(one: str, two: str) -> Cell:
        return p_values.get((one, two), p_values.get((two, one)))

    rows: list[tuple[Cell, ...]] = [
        (
            *(name, 100 * named[name].mean(compared.compared), rank),
            " ".join(str(at) for at, group in enumerate(groups, start=1) if name in group),
            *(find(name, other) for other in ranks),
        )
        for name, rank in ranks.items()
    ]
    against = (f"p against {name}" for name in ranks)
    columns = ("model", f"{compared.compared} (%)", "average rank", "groups", *against)
    return Table("Average ranks over class splits", columns, tuple(rows))
