"""Draw trade-off curves: seen against unseen accuracy, and accuracy against coverage."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unseen.confidence import CoverageCurve
from unseen.evaluation import EvaluationResult, SeenUnseenCurve
from unseen.report.figures.drawn import Drawn
from unseen.utils.errors import InputError
from unseen.utils.figures import GREY, LIGHT_GREY, LINES, make_figure, pick_colour, pick_marker, use_style
from unseen.utils.tables import Cell, Table

# Harmonic means with a line in the figure, in per cent.
_LEVELS = (20, 40, 60, 80)


def seen_unseen_figure(results: Sequence[EvaluationResult]) -> Drawn:
    """Draw the seen-unseen curve of each method, with its points before and after calibrated stacking.

    Parameters
    ----------
    results : sequence of EvaluationResult
        Results of the generalized setting; the first trial of each is drawn.
    """
    curves = {result.name: _average_curve(result) for result in results}
    with use_style():
        figure = make_figure(5.4, 5.9)
        axes = figure.subplots()
        _draw_harmonic_lines(axes)
        for at, result in enumerate(results):
            curve, style = curves[result.name], {"color": pick_colour(at), "linestyle": LINES[at % len(LINES)]}
            label = f"{result.name} (area {curve.area:.3f})"
            axes.plot(100 * curve.unseen, 100 * curve.seen, label=label, **style)
            _draw_point(axes, result, "", at, "white")
            _draw_point(axes, result, " calibrated", at, pick_colour(at))
        axes.set(xlabel="accuracy on unseen classes (%)", ylabel="accuracy on seen classes (%)")
        axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left")
    return Drawn(
        "seen-unseen",
        "Seen against unseen accuracy",
        "The candidates are all classes, seen and unseen. Along a curve, a growing constant is subtracted from the "
        "scores of seen classes. Hollow: as trained; filled: with the constant that was chosen on seen classes. Grey "
        "lines join points of equal harmonic mean.",
        "Curves of accuracy on seen against unseen classes. "
        + "; ".join(f"{name}: area {curve.area:.3f}" for name, curve in curves.items()),
        figure,
        _tabulate_curves(curves),
    )


def coverage_figure(expected: CoverageCurve, measured: CoverageCurve | None = None) -> Drawn:
    """Draw the accuracy of the given answers against their share.

    Parameters
    ----------
    expected : CoverageCurve
        Curve on held-out seen classes, as `Calibrated` measures it.
    measured : CoverageCurve, optional
        Curve on test rows of unseen classes.
    """
    curves = {f"expected: held-out seen classes, {expected.n_candidates} candidates": expected}
    if measured is not None:
        curves[f"measured: unseen classes, {measured.n_candidates} candidates"] = measured
    with use_style():
        figure = make_figure(6.4, 4.2)
        axes = figure.subplots()
        for at, (name, curve) in enumerate(curves.items()):
            answered = curve.coverage > 0
            coverage, accuracy = 100 * curve.coverage[answered], 100 * curve.accuracy[answered]
            axes.plot(coverage, accuracy, color=pick_colour(at), linestyle=LINES[at], label=name)
            _mark_thresholds(axes, curve, at)
        lowest = 100 * min(float(np.nanmin(curve.accuracy)) for curve in curves.values())
        axes.set(xlabel="answers given (%)", ylabel="of these, right (%)", xlim=(0, 101))
        axes.set_ylim(lowest - 0.15 * (100 - lowest), 100 + 0.1 * (100 - lowest) + 0.1)
        axes.grid()
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left")
    return Drawn(
        "coverage",
        "How sure, and how often",
        "Answers less probable than a threshold are withheld. To the right all images are answered; to the left only "
        "the surest. Markers show thresholds of probability.",
        "Curves of accuracy against coverage. "
        + "; ".join(
            f"{name}: {100 * curve.accuracy[0]:.1f} % right when all are answered" for name, curve in curves.items()
        ),
        figure,
        _tabulate_coverage(curves),
    )


def _average_curve(result: EvaluationResult) -> SeenUnseenCurve:
    curve = result.trials[0].curve
    if curve is None:
        raise InputError(f"{result!r} has no seen-unseen curve: give results of the generalized setting")
    return curve


def _draw_harmonic_lines(axes: Any) -> None:
    for level in _LEVELS:
        u = np.linspace(level / 2 + 1e-6, 100, 400)
        s = level * u / (2 * u - level)
        inside = s <= 100
        axes.plot(u[inside], s[inside], color=LIGHT_GREY, linewidth=0.7, zorder=0)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        axes.text(level, level, f"H = {level}", ha="center", va="center", color=GREY, fontsize=8, bbox=box)


def _draw_point(axes: Any, result: EvaluationResult, kind: str, at: int, face: str) -> None:
    u, s = (100 * result.trials[0].metrics[f"{side}{kind}"] for side in ("u", "s"))
    style = {"markersize": 8, "markerfacecolor": face, "markeredgecolor": pick_colour(at)}
    axes.plot(u, s, pick_marker(at), clip_on=False, zorder=3, **style)


def _mark_thresholds(axes: Any, curve: CoverageCurve, at: int) -> None:
    for threshold in (0.5, 0.7, 0.9):
        coverage, accuracy = curve.at(threshold)
        if coverage:
            place = (100 * coverage, 100 * accuracy)
            axes.plot(*place, pick_marker(at), color=pick_colour(at), markersize=6)
            beside = (-20, -11) if at else (6, 3)
            axes.annotate(f"{threshold:g}", place, beside, textcoords="offset points", fontsize=9)


def _tabulate_curves(curves: Mapping[str, SeenUnseenCurve]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (name, *point)
        for name, curve in curves.items()
        for point in zip(curve.gamma.tolist(), curve.unseen.tolist(), curve.seen.tolist(), strict=True)
    ]
    return Table("Seen-unseen curves", ("model", "gamma", "unseen", "seen"), tuple(rows))


def _tabulate_coverage(curves: Mapping[str, CoverageCurve]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (name.partition(":")[0], float(threshold), float(coverage), float(accuracy) if coverage else None)
        for name, curve in curves.items()
        for threshold, coverage, accuracy in zip(curve.threshold, curve.coverage, curve.accuracy, strict=True)
    ]
    return Table("Coverage and accuracy", ("curve", "threshold", "coverage", "accuracy"), tuple(rows))
