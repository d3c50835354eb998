"""Draw the bar chart of an explanation."""

from typing import Any

import numpy as np

from unseen.report.explain import Explanation
from unseen.utils.figures import BLUE, VERMILLION, make_figure, use_style
from unseen.utils.names import readable_attribute, readable_name


@use_style()
def draw(explanation: Explanation, top: int = 15, title: str | None = None) -> Any:
    """Return a matplotlib figure with one bar for each of the strongest attributes.

    Parameters
    ----------
    explanation : Explanation
    top : int, default 15
        Number of attributes.
    title : str, optional
        Title of the chart; by default the class and the model.
    """
    order = explanation.strongest(top)
    effect = explanation.effect[order]
    figure = make_figure(7.0, 1.0 + 0.28 * len(order))
    axes = figure.subplots()
    colours = [BLUE if value > 0 else VERMILLION for value in effect]
    # Hatched as well, for printing without colours.
    hatches = ["" if value > 0 else "////" for value in effect]
    bars = axes.barh(np.arange(len(order)), effect, color=colours, hatch=hatches, edgecolor="white", linewidth=0.5)
    axes.bar_label(bars, labels=[f"{value:+.2g}" for value in effect], padding=3, fontsize=8)
    axes.set_yticks(np.arange(len(order)), [readable_attribute(explanation.attributes[at]) for at in order], fontsize=8)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.margins(x=0.15)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(_label_axis(explanation), fontsize=9)
    axes.set_title(title or f"{readable_name(explanation.label)}, seen by {explanation.model}")
    return figure


def _label_axis(explanation: Explanation) -> str:
    if explanation.kind == "displacement":
        return "how far the image moves the attribute of the class (in the attribute's units)"
    return "what the attribute adds to the score of the class"
