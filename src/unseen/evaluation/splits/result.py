"""Hold the result of an evaluation over random class splits: numbers of each split, their mean and its uncertainty."""

from dataclasses import dataclass
from typing import Any, ClassVar

from unseen.evaluation.intervals import Interval, Over, check_level, mean_interval, standard_error
from unseen.evaluation.measured import Measured
from unseen.evaluation.metrics import Candidates
from unseen.evaluation.result import EvaluationResult
from unseen.utils.tables import Cell, Table
from unseen.utils.validation import check_whole_number


@dataclass(frozen=True, eq=False, repr=False)
class SplitResult(Measured):
    """The result of `evaluate` with `class_splits`. All metrics are fractions of 1; tables show them in per cent.

    Intervals hold for the mean over all random splits of these classes. What would be found on other classes is less
    certain: see `test="corrected-t"` of `paired_test`.

    Attributes
    ----------
    name, model : str
        Name of the model, and its parameters.
    dataset, setting : str
    trials : tuple of Trial
        The trial of each class split. Its seed is that of the split: ``split="random:SEED"`` of `load_dataset` has the
        same unseen classes.
    candidates : tuple of Candidates
        The candidate classes of each split.
    n_seen, n_unseen : int
        Numbers of seen and unseen classes in each split.

    Examples
    --------
    >>> from unseen import evaluate, load_dataset
    >>> from unseen.models import ESZSL
    >>> result = evaluate(ESZSL(), load_dataset("synthetic", random_state=0), class_splits=3)
    >>> result.values("per-image accuracy").shape
    (3,)
    """

    candidates: tuple[Candidates, ...]
    n_seen: int
    n_unseen: int

    over: ClassVar[Over] = "splits"

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seed of each class split."""
        return tuple(trial.seed for trial in self.trials)

    def standard_error(self, metric: str) -> float:
        """Return the standard error of the mean of a metric over class splits."""
        return standard_error(self.values(metric))

    def interval(self, metric: str, level: float = 0.95) -> Interval:
        """Return Student's t interval of the mean of a metric over class splits."""
        return mean_interval(self.values(metric), check_level(level), "splits")

    def split(self, number: int) -> EvaluationResult:
        """Return the result of one class split, with its per-class numbers; the first has the number 0."""
        at = check_whole_number(number, "number", 0, len(self.trials) - 1)
        return EvaluationResult(
            name=self.name,
            model=self.model,
            dataset=self.dataset,
            setting=self.setting,
            trials=self.trials[at : at + 1],
            candidates=self.candidates[at],
        )

    def table(self) -> Table:
        """Return the table of all metrics in per cent; print it with `to_text` and similar methods."""
        return Table(
            f"{self.name} on {self.dataset or 'unnamed data'}, {self.setting} setting, {describe_splits(self)} (%)",
            ("metric", "mean", "standard error", "95% low", "95% high"),
            tuple(self._make_row(metric) for metric in self.metrics),
            (
                "Mean ± standard deviation (n - 1), standard error and 95% interval of the mean over the class splits.",
                *([self.used] if self.setting.startswith("transductive") else []),
                "Training {:.2f} s, testing {:.2f} s per split.".format(*self.seconds),
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "name": self.name,
            "model": self.model,
            "dataset": self.dataset,
            "setting": self.setting,
            "used": self.used,
            "n_seen": self.n_seen,
            "n_unseen": self.n_unseen,
            "metrics": {metric: self._summarise(metric) for metric in self.metrics},
            "trials": [trial.to_dict() for trial in self.trials],
        }

    def __repr__(self) -> str:
        first = self.metrics[0]
        return (
            f"<SplitResult {self.name!r} on {self.dataset!r}, {self.setting} setting: "
            f"{first} {100 * self.mean(first):.2f}% in {describe_splits(self)}>"
        )

    def _make_row(self, metric: str) -> tuple[Cell, ...]:
        interval = self.interval(metric)
        error = 100 * self.standard_error(metric)
        return metric, self.measure(metric), error, 100 * interval.low, 100 * interval.high

    def _summarise(self, metric: str) -> dict[str, Any]:
        interval = self.interval(metric)
        return {
            "mean": self.mean(metric),
            "std": self.std(metric),
            "standard_error": self.standard_error(metric),
            "low": interval.low,
            "high": interval.high,
            "values": self.values(metric).tolist(),
        }


def describe_splits(result: SplitResult) -> str:
    """Return how many class splits there are, and of which kind."""
    return f"{len(result.trials)} random class splits into {result.n_seen} seen and {result.n_unseen} unseen classes"
