"""Hold what results over trials and over class splits have in common: the metrics of each trial, and their mean."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unseen.evaluation.intervals import Over
from unseen.evaluation.metrics import Floats
from unseen.evaluation.trial import Trial
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean
from unseen.utils.tables import Measure, Rendered


@dataclass(frozen=True, eq=False, repr=False)
class Measured(Rendered):
    """The metrics of a model in one or several trials, as fractions of 1; tables show them in per cent.

    Attributes
    ----------
    name, model : str
        Name of the model, and its parameters.
    dataset, setting : str
    trials : tuple of Trial
    """

    name: str
    model: str
    dataset: str
    setting: str
    trials: tuple[Trial, ...]

    # What differs from trial to trial.
    over: ClassVar[Over] = "trials"

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.trials[0].metrics)

    @property
    def used(self) -> str:
        """A sentence that says whether other test rows were used to answer a row."""
        if not self.setting.startswith("transductive"):
            return "Each test row was answered by itself."
        return "Transductive: the features of the whole test batch were used, never its labels."

    def values(self, metric: str) -> Floats:
        """Return a metric in every trial, shape (n_trials,)."""
        if metric not in self.metrics:
            raise InputError(
                f"metric={metric!r} was not measured in the {self.setting} setting"
                f"{did_you_mean([metric], self.metrics)}: choose one of {shorten(self.metrics, limit=10)}"
            )
        return np.array([trial.metrics[metric] for trial in self.trials])

    def mean(self, metric: str) -> float:
        """Return the mean of a metric over trials."""
        return float(self.values(metric).mean())

    def std(self, metric: str) -> float | None:
        """Return the standard deviation over trials (with n - 1, as in MATLAB), or None for a single trial."""
        values = self.values(metric)
        if len(values) < 2:
            return None
        # The mean of equal values may differ from them by rounding.
        return float(values.std(ddof=1)) if np.ptp(values) else 0.0

    def measure(self, metric: str) -> Measure:
        """Return mean and standard deviation over trials in per cent; no deviation if the trials do not differ."""
        std = self.std(metric)
        return Measure(100 * self.mean(metric), 100 * std if std else None)

    @property
    def seconds(self) -> tuple[float, float]:
        """Mean wall-clock time of training and of everything after it, per trial."""
        times = [(trial.fit_seconds, trial.predict_seconds) for trial in self.trials]
        fit, predict = np.mean(times, axis=0)
        return float(fit), float(predict)
