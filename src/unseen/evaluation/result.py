"""Hold the result of an evaluation: numbers over trials and classes, their spread, and tables."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unseen.evaluation.intervals import Interval, Over, bootstrap_interval, check_level, mean_interval, resample
from unseen.evaluation.measured import Measured
from unseen.evaluation.metrics import METRICS, Candidates, Floats
from unseen.evaluation.summary import per_class_table, summary_table
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean
from unseen.utils.tables import Measure, Table


@dataclass(frozen=True)
class Spread:
    """A standard deviation, as a fraction of 1, over "trials", resampled test "images" or "classes"."""

    std: float
    over: Over


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationResult(Measured):
    """The result of `evaluate`. All metrics are fractions of 1; tables show them in per cent.

    Attributes
    ----------
    name, model : str
        Name of the model, and its parameters.
    dataset, setting : str
    candidates : Candidates
        The candidate classes, in the order of all per-class numbers.
    trials : tuple of Trial
        The trials, each with its seed, metrics, per-class numbers, confusion matrix, times and, in the generalized
        setting, the seen-unseen curve and the constant gamma.
    random : bool
        Whether the model has a `random_state`; one that has none is fitted once.
    """

    candidates: Candidates
    random: bool = True

    @property
    def deterministic(self) -> bool:
        """Whether all trials are the same: no `random_state`, or the same answers in all of several trials."""
        return not self.random or (len(self.trials) > 1 and len({trial.predictions for trial in self.trials}) == 1)

    def spread(self, metric: str) -> Spread | None:
        """Return the larger of the standard deviations over trials and over resampled tests (images or classes).

        None if the trials do not differ and the metric cannot be resampled, as the area under the seen-unseen curve.
        """
        found = [Spread(std, "trials")] if (std := self.std(metric)) else []
        if metric in METRICS:
            over = METRICS[metric].resample
            tests = resample(METRICS[metric], self.trials[0], self.candidates, over)
            found.append(Spread(float(tests.std(ddof=1)), over))
        return max(found, key=lambda spread: spread.std, default=None)

    def interval(self, metric: str, level: float = 0.95, over: Over | Literal["auto"] = "auto") -> Interval:
        """Return a confidence interval of a metric.

        Parameters
        ----------
        metric : str
        level : float, default 0.95
        over : "auto" (default), "trials", "images" or "classes"
            What varies: the random seed (Student's t over trials), the test images of each class, or the classes (both
            by bootstrap of the first trial). "auto" takes trials if these differ.
        """
        values = self.values(metric)
        check_level(level)
        if over == "auto":
            over = "trials" if self.std(metric) else self._choose_resampling(metric)
        if over == "trials":
            if len(values) < 2:
                raise InputError("over='trials' needs at least 2 trials, got 1: choose 'images' or 'classes'")
            return mean_interval(values, level, "trials")
        self._check_resampling(metric, over)
        return bootstrap_interval(METRICS[metric], self.trials[0], self.candidates, over, level)

    def per_class(self, column: str = "recall") -> Floats:
        """Return the per-class numbers ("recall", "precision", ...), averaged over trials, shape (m,)."""
        known = list(self.trials[0].per_class)
        if column not in known:
            raise InputError(
                f"column={column!r} was not measured in the {self.setting} setting{did_you_mean([column], known)}: "
                f"choose one of {shorten(known)}"
            )
        return np.asarray(np.mean([trial.per_class[column] for trial in self.trials], axis=0))

    def over_classes(self, column: str = "recall") -> Measure:
        """Return mean and standard deviation (n - 1) across tested classes in per cent, as in the paper's Table 4."""
        values = 100 * self.per_class(column)[self.candidates.tested]
        return Measure(float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else None)

    @property
    def confusion(self) -> NDArray[np.float64]:
        """Counts of test rows by true (row) and predicted (column) class, averaged over trials, shape (m, m)."""
        counts = [trial.confusion for trial in self.trials if trial.confusion is not None]
        if not counts:
            raise InputError(f"the {self.setting} setting has no confusion matrix: rankings give no single answer")
        return np.asarray(np.mean(counts, axis=0))

    def table(self) -> Table:
        """Return the table of all metrics in per cent; print it with `to_text` and similar methods."""
        return summary_table(self)

    def per_class_table(self) -> Table:
        """Return the table of per-class numbers in per cent, with the number of test images of each class."""
        return per_class_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "name": self.name,
            "model": self.model,
            "dataset": self.dataset,
            "setting": self.setting,
            "used": self.used,
            "deterministic": self.deterministic,
            "metrics": {metric: {"mean": self.mean(metric), "std": self.std(metric)} for metric in self.metrics},
            "classes": [getattr(label, "item", lambda label=label: label)() for label in self.candidates.labels],
            "support": self.candidates.support.tolist(),
            "trials": [trial.to_dict() for trial in self.trials],
        }

    def __repr__(self) -> str:
        first = self.metrics[0]
        return (
            f"<EvaluationResult {self.name!r} on {self.dataset!r}, {self.setting} setting: "
            f"{first} {100 * self.mean(first):.2f}% in {len(self.trials)} trial(s)>"
        )

    def _choose_resampling(self, metric: str) -> Over:
        if metric not in METRICS:
            raise InputError(
                f"metric={metric!r} has an interval only over trials, and no trials differ: "
                "evaluate a model with random_state for several trials"
            )
        return METRICS[metric].resample

    def _check_resampling(self, metric: str, over: str) -> None:
        allowed = ("images", "classes") if self._choose_resampling(metric) == "images" else ("classes",)
        if over not in allowed:
            raise InputError(
                f"over={over!r} is not a way to resample {metric!r}: choose "
                + " or ".join(map(repr, ("auto", "trials", *allowed)))
            )
