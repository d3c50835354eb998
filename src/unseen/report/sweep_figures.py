"""Figures 3 and 4 of the paper from a sweep: accuracy over sorted settings, and the eigenvalues of the best."""

import io
from pathlib import Path
from typing import Any

import numpy as np

from unseen.data.extras import optional_module
from unseen.sweep.observations import TOP, groups
from unseen.sweep.result import SweepResult, write_whole

# Colour-blind safe (Okabe & Ito), and told apart by line style too.
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"

STYLES = {
    "global": ("global optimum (W free, H positive definite)", BLUE, "-"),
    "local": ("local optimum (W free, H indefinite)", ORANGE, "--"),
    "kept": ("W kept where H is positive definite", GREEN, "-."),
}


def draw(result: SweepResult, folder: Path) -> list[Path]:
    """Draw both figures into a folder, as SVG and PNG; return the files."""
    # Its own drawing surface: no window, and the caller's figures stay as they are.
    optional_module("matplotlib", "figures", "--figure")
    written = []
    for name, figure in (("figure3", accuracy_figure(result)), ("figure4", eigenvalue_figure(result))):
        for ending in ("svg", "png"):
            content = io.BytesIO()
            # Without a date the same sweep gives the same file.
            metadata = {"Date": None} if ending == "svg" else {}
            figure.savefig(content, format=ending, dpi=120, metadata=metadata)
            write_whole(folder / f"{name}.{ending}", content.getvalue())
            written.append(folder / f"{name}.{ending}")
    return written


def accuracy_figure(result: SweepResult) -> Any:
    """Draw figure 3: accuracies sorted in descending order, with the extreme eigenvalues of H at the best."""
    figure = _figure(7.0, 4.2)
    axes = figure.subplots()
    parts = {**groups(result), "kept": result.rows("positive-definite")}
    accuracy = 100 * result.columns["per_class_accuracy"]
    for at, (name, rows) in enumerate(parts.items()):
        label, colour, line = STYLES[name]
        if not len(rows):
            axes.plot([], [], color=colour, linestyle=line, label=f"{label}: none")
            continue
        axes.plot(np.arange(1, len(rows) + 1), accuracy[rows], color=colour, linestyle=line, linewidth=2,
                  label=f"{label}: {len(rows):,} settings")  # fmt: skip
        ends = [result.columns[f"{end}_eigenvalue"][rows[0]] for end in ("smallest", "largest")]
        axes.annotate(
            f"best {accuracy[rows[0]]:.1f}%, eigenvalues of H {ends[0]:.2g} to {ends[1]:.2g}",
            (1, accuracy[rows[0]]), xytext=(0.30, 0.70 - 0.06 * at), textcoords="axes fraction", color=colour,
            fontsize=9, arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.7},
        )  # fmt: skip
    where = "unseen classes" if result.scored_on == "unseen" else "held-out classes"
    axes.set(xlabel="settings of omega, best first", ylabel=f"mean accuracy per class on {where} (%)", ylim=(0, None))
    axes.set_title(f"Global against local optimality: {result.dataset}", loc="left")
    axes.legend(frameon=False, fontsize=9, loc="upper right")
    _plain(axes)
    return figure


def eigenvalue_figure(result: SweepResult) -> Any:
    """Draw figure 4: how the smallest and largest eigenvalues of H spread over the best settings."""
    figure = _figure(7.0, 4.2)
    panels = figure.subplots(1, 2, sharey=True)
    shown = {"global": groups(result)["global"][:TOP], "kept": result.rows("positive-definite")[:TOP]}
    for axes, end in zip(panels, ("smallest", "largest"), strict=True):
        values = {name: np.log10(result.columns[f"{end}_eigenvalue"][rows]) for name, rows in shown.items()}
        every = np.concatenate(list(values.values()))
        low, high = int(np.floor(every.min())), int(np.ceil(every.max()))
        edges = np.arange(low, max(high, low + 1) + 1)
        for name, logs in values.items():
            label, colour, line = STYLES[name]
            axes.hist(logs, bins=edges, histtype="step", linewidth=2, color=colour, linestyle=line, label=label)
        ticks = edges[:: max(1, len(edges) // 8)]
        axes.set_xticks(ticks, [f"$10^{{{tick}}}$" for tick in ticks])
        axes.set(xlabel=f"{end} eigenvalue of H")
        _plain(axes)
    panels[0].set_ylabel(f"settings among the best {TOP}")
    figure.suptitle(f"Eigenvalues of H of the best settings: {result.dataset}", x=0.02, ha="left")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, fontsize=9, loc="outside lower center", ncols=1)
    return figure


def _figure(width: float, height: float) -> Any:
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "unseen"}):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        return figure


def _plain(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", linewidth=0.4)
