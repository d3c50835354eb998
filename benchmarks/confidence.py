"""Measure probabilities on unseen classes, and answers among all classes, before and after calibration.

Temperature, thresholds and the penalty of seen classes are chosen on held-out seen classes; labels of unseen classes
are used only for scoring. Labels judged by themselves are scored over all pairs of a row and an unseen label.
"""

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.metrics import roc_auc_score

from benchmarks.tools.datasets import prepared_datasets
from benchmarks.tools.options import benchmark_options
from unseen import JFA, ZeroShotDataset
from unseen.confidence import CoverageCurve, expected_calibration_error
from unseen.confidence.probabilities import N_BINS
from unseen.evaluation.protocol import evaluate_fitted
from unseen.models import ESZSL, SJE, BilinearSVM, Calibrated, ZeroShotClassifier

MODELS: list[ZeroShotClassifier] = [JFA(), BilinearSVM(), ESZSL(), SJE(random_state=0)]
THRESHOLDS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9)


def main(arguments: list[str]) -> None:
    options = benchmark_options(__name__, __doc__).parse_args(arguments)
    for title, data in prepared_datasets(options.small):
        report(data, title, Console())


def report(data: ZeroShotDataset, title: str, console: Console) -> None:
    X, X_unseen = data.X_train, data.X_test_unseen
    errors = Table(
        "model", "accuracy", "mean confidence", "calibrated", "ECE", "ECE calibrated", "temperature", title=title
    )
    curves = Table("model", "threshold", "coverage expected", "measured", "accuracy expected", "measured", title=title)
    alone = Table(
        "model", "AUC", "ECE", "yes is right", "yes found", "above 0.9", title=f"labels by themselves, {title}"
    )
    together = Table("model", "u", "s", "H", "u penalised", "s penalised", "H penalised", "penalty", title=title)
    for model in track(MODELS, description=title, transient=True, console=Console(stderr=True)):
        fitted = Calibrated(model, random_state=0).fit(X, data.y_train, classes=data.seen_table)
        before, after = (measure_confidence(m, X_unseen, data) for m in (fitted.model_, fitted))
        correct = fitted.predict(X_unseen, classes=data.unseen_table) == data.y_test_unseen
        name = type(model).__name__
        errors.add_row(
            name,
            f"{correct.mean():.1%}",
            f"{before.mean():.1%}",
            f"{after.mean():.1%}",
            f"{expected_calibration_error(before, correct):.3f}",
            f"{expected_calibration_error(after, correct):.3f}",
            f"{fitted.temperature_:.3g}",
        )
        measured = CoverageCurve.of(after, correct, len(data.unseen_classes))
        for threshold in THRESHOLDS:
            pairs = zip(fitted.curve_.at(threshold), measured.at(threshold), strict=True)
            curves.add_row(name, f"{threshold:g}", *(f"{value:.1%}" for pair in pairs for value in pair))
        alone.add_row(name, *measure_alone(fitted, data))
        if len(data.test_seen):
            [trial] = evaluate_fitted(fitted, data, "generalized").trials
            kinds = [f"{rate}{kind}" for kind in ("", " calibrated") for rate in ("u", "s", "H")]
            together.add_row(name, *(f"{trial.metrics[kind]:.1%}" for kind in kinds), f"{fitted.seen_penalty_:.3g}")
    console.print(errors)
    if together.row_count:
        console.print(together)
    console.print(curves)
    console.print(alone)


def measure_alone(model: Calibrated, data: ZeroShotDataset) -> list[str]:
    """Judge every unseen label by itself for rows of unseen classes, where yes and no are made to weigh the same."""
    chances = model.predict_alone(data.X_test_unseen, classes=data.unseen_table).ravel()
    true = (data.y_test_unseen[:, None] == data.unseen_table.labels[None, :]).ravel()
    weights = np.where(true, 0.5 / true.sum(), 0.5 / (~true).sum())
    bins = np.minimum((chances * N_BINS).astype(int), N_BINS - 1)
    error = np.abs(np.bincount(bins, weights * (chances - true), minlength=N_BINS)).sum()
    yes, sure = chances >= 0.5, chances >= 0.9
    right = [np.average(true[these], weights=weights[these]) if these.any() else np.nan for these in (yes, sure)]
    found = f"{yes[true].mean():.1%}"
    return [f"{roc_auc_score(true, chances):.3f}", f"{error:.3f}", f"{right[0]:.1%}", found, f"{right[1]:.1%}"]


def measure_confidence(model: object, X: np.ndarray, data: ZeroShotDataset) -> np.ndarray:
    return model.predict_proba(X, classes=data.unseen_table).max(axis=1)
