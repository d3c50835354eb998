"""Make the tables of one evaluation."""

from typing import TYPE_CHECKING

import numpy as np

from unseen.utils.tables import Cell, Table

if TYPE_CHECKING:
    from unseen.evaluation.result import EvaluationResult


def summary_table(result: "EvaluationResult") -> Table:
    """Return the table of all metrics of a result in per cent."""
    return Table(
        f"{result.name} on {result.dataset or 'unnamed data'}, {result.setting} setting (%)",
        ("metric", "mean", "95% low", "95% high", "interval over"),
        tuple(_make_row(result, metric) for metric in result.metrics),
        _write_notes(result),
    )


def per_class_table(result: "EvaluationResult") -> Table:
    """Return the table of per-class numbers of a result in per cent."""
    columns = list(result.trials[0].per_class)
    values = [100 * result.per_class(column) for column in columns]
    classes = zip(result.candidates.labels, result.candidates.support, strict=True)
    rows: list[tuple[Cell, ...]] = [
        (str(label), int(n), *(float(value[at]) for value in values)) for at, (label, n) in enumerate(classes)
    ]
    return Table(f"{result.name} on {result.dataset}, per class (%)", ("class", "images", *columns), tuple(rows))


def _make_row(result: "EvaluationResult", metric: str) -> tuple[Cell, ...]:
    if result.spread(metric) is None:
        return metric, result.measure(metric), None, None, ""
    interval = result.interval(metric)
    return metric, result.measure(metric), 100 * interval.low, 100 * interval.high, interval.over


def _write_notes(result: "EvaluationResult") -> tuple[str, ...]:
    fit, predict = result.seconds
    # A model that was fitted before does not say how long that took.
    times = f"Training {fit:.2f} s, testing {predict:.2f} s per trial." if fit else f"Testing {predict:.2f} s."
    return (
        _describe_trials(result),
        *_describe_batch(result),
        *_describe_classes(result),
        *_describe_calibration(result),
        times,
    )


def _describe_trials(result: "EvaluationResult") -> str:
    n = len(result.trials)
    if not result.random:
        return "One trial: the model has no random_state, so all trials would be the same."
    if result.deterministic:
        return f"All {n} trials gave the same answers: the model is deterministic on these data, so trials=1 is enough."
    if n == 1:
        return "One trial."
    return f"{n} trials; mean ± standard deviation (n - 1) over the trials if they differ."


def _describe_batch(result: "EvaluationResult") -> list[str]:
    return [result.used] if result.setting.startswith("transductive") else []


def _describe_classes(result: "EvaluationResult") -> list[str]:
    columns = [column for column in ("precision", "recall") if column in result.trials[0].per_class]
    return [f"{column.capitalize()} across classes: {result.over_classes(column)}." for column in columns]


def _describe_calibration(result: "EvaluationResult") -> list[str]:
    gammas = [trial.gamma for trial in result.trials if trial.gamma is not None]
    if not gammas:
        return []
    if result.trials[0].own_gamma:
        return [
            f"Calibrated: as the model answers, with its own gamma {np.mean(gammas):.4g} subtracted from seen classes; "
            "the other rows: with that taken back."
        ]
    return [
        f"Calibrated stacking with gamma {np.mean(gammas):.4g}, chosen on seen classes; the model itself does not "
        "subtract it."
    ]
