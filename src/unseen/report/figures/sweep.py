"""Draw figures 3 and 4 of the paper from a sweep: sorted accuracies, and eigenvalues of the best settings."""

from pathlib import Path
from typing import Any

import numpy as np

from unseen.sweep.observations import TOP, groups
from unseen.sweep.results import SweepResult
from unseen.utils.figures import BLUE, GREEN, VERMILLION, make_figure, render_figure, use_style
from unseen.utils.storage.writing import create_file

STYLES = {
    "global": ("global optimum (W free, H positive definite)", BLUE, "-"),
    "local": ("local optimum (W free, H indefinite)", VERMILLION, "--"),
    "kept": ("W kept where H is positive definite", GREEN, "-."),
}


def draw(result: SweepResult, folder: Path) -> list[Path]:
    """Draw both figures into a folder, as SVG and PNG; return the files."""
    written = []
    for name, figure in (("figure3", draw_accuracies(result)), ("figure4", draw_eigenvalues(result))):
        for ending in ("svg", "png"):
            path = folder / f"{name}.{ending}"
            with create_file(path, force=True) as draft:
                draft.write_bytes(render_figure(figure, ending))
            written.append(path)
    return written


@use_style()
def draw_accuracies(result: SweepResult) -> Any:
    """Draw figure 3: accuracies sorted in descending order, with the extreme eigenvalues of H at the best."""
    figure = make_figure(7.0, 4.6)
    axes = figure.subplots()
    parts = {**groups(result), "kept": result.rows("positive-definite")}
    accuracy = 100 * result.columns["per_class_accuracy"]
    for name, rows in parts.items():
        label, colour, line = STYLES[name]
        style = {"color": colour, "linestyle": line, "linewidth": 2}
        if not len(rows):
            axes.plot([], [], label=f"{label}: no setting", **style)
            continue
        ends = [result.columns[f"{end}_eigenvalue"][rows[0]] for end in ("smallest", "largest")]
        label += f": {len(rows):,} settings; best {accuracy[rows[0]]:.1f}%, H from {ends[0]:.3g} to {ends[1]:.3g}"
        axes.plot(np.arange(1, len(rows) + 1), accuracy[rows], label=label, **style)
        axes.plot(1, accuracy[rows[0]], "o", color=colour, markersize=7, clip_on=False)
    where = "unseen classes" if result.scored_on == "unseen" else "held-out classes"
    axes.set(xlabel="settings of omega, best first", ylabel=f"mean accuracy per class on {where} (%)", ylim=(0, None))
    axes.set_title(f"Global against local optimality: {result.dataset}")
    axes.grid(axis="y")
    figure.legend(loc="outside lower left", title="with the eigenvalues of H at the best")
    return figure


@use_style()
def draw_eigenvalues(result: SweepResult) -> Any:
    """Draw figure 4: histograms of the smallest and largest eigenvalues of H over the best settings."""
    figure = make_figure(7.0, 4.2)
    panels = figure.subplots(1, 2, sharey=True)
    shown = {"global": groups(result)["global"][:TOP], "kept": result.rows("positive-definite")[:TOP]}
    for axes, end in zip(panels, ("smallest", "largest"), strict=True):
        values = {name: np.log10(result.columns[f"{end}_eigenvalue"][rows]) for name, rows in shown.items()}
        every = np.concatenate(list(values.values()))
        # The bins are those of the paper: (10^k, 10^(k+1)].
        edges = np.arange(int(np.ceil(every.min())) - 1, int(np.ceil(every.max())) + 1)
        for at, (name, logs) in enumerate(values.items()):
            label, colour, _ = STYLES[name]
            counts = np.bincount(np.ceil(logs).astype(int) - edges[0] - 1, minlength=len(edges) - 1)
            axes.bar(edges[:-1] + 0.3 + 0.4 * at, counts, width=0.38, color=colour, label=label, hatch=("", "//")[at],
                     edgecolor="white")  # fmt: skip
        ticks = edges[:: -(-len(edges) // 8)]  # there is room for eight labels
        axes.set_xticks(ticks, [f"$10^{{{tick}}}$" for tick in ticks])
        axes.set(xlabel=f"{end} eigenvalue of H", xlim=(edges[0], edges[-1]))
        axes.grid(axis="y")
    panels[0].set_ylabel(f"settings among the best {TOP}")
    figure.suptitle(f"Eigenvalues of H of the best settings: {result.dataset}", x=0.02, ha="left", fontsize="large")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=1)
    return figure
