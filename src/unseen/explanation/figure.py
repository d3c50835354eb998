"""The bar chart of an explanation."""

from pathlib import Path
from typing import Any

import numpy as np

from unseen.data.extras import optional_module
from unseen.errors import InputError
from unseen.explanation.explanation import Explanation

# Okabe and Ito's blue and vermillion: told apart by every kind of colour vision, and in grey by their lightness.
UP, DOWN = "#0072B2", "#D55E00"
ENDINGS = (".png", ".svg", ".pdf")


def check_ending(path: Path) -> None:
    """Refuse a file of a kind that cannot be drawn."""
    if path.suffix.casefold() not in ENDINGS:
        raise InputError(f"{path} has the ending {path.suffix!r}: choose {', '.join(ENDINGS)}")


def draw(explanation: Explanation, top: int = 15, title: str | None = None) -> Any:
    """Return a matplotlib figure with one bar for each of the strongest attributes.

    Parameters
    ----------
    explanation : Explanation
    top : int, default 15
        How many attributes.
    title : str, optional
        Above the chart; by default what is shown.
    """
    figure_module = optional_module("matplotlib.figure", "figures", "drawing a figure")
    order = explanation.strongest(top)
    effect = explanation.effect[order]
    figure = figure_module.Figure(figsize=(7.0, 1.0 + 0.28 * len(order)), layout="constrained")
    axes = figure.subplots()
    colours = [UP if value > 0 else DOWN for value in effect]
    # Hatched as well, for a print without colours.
    hatches = ["" if value > 0 else "////" for value in effect]
    bars = axes.barh(np.arange(len(order)), effect, color=colours, hatch=hatches, edgecolor="white", linewidth=0.5)
    axes.bar_label(bars, labels=[f"{value:+.2g}" for value in effect], padding=3, fontsize=8)
    axes.set_yticks(np.arange(len(order)), [explanation.attributes[at] for at in order], fontsize=8)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.margins(x=0.15)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(_axis(explanation), fontsize=9)
    axes.set_title(title or f"{explanation.label}, seen by {explanation.model}", fontsize=10, loc="left")
    return figure


def write_figure(figure: Any, path: Path, ending: str) -> None:
    """Write a figure in the format that an ending names (the path may be a temporary one)."""
    figure.savefig(path, format=ending.removeprefix(".").casefold(), dpi=150)


def _axis(explanation: Explanation) -> str:
    if explanation.kind == "displacement":
        return "how far the image moves the attribute of the class (in the attribute's units)"
    return "what the attribute adds to the score of the class"
