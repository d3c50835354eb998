"""Compare results with each other and with published numbers, in one table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import hypot
from typing import Literal, Protocol

from unseen.evaluation.measured import Measured
from unseen.evaluation.result import EvaluationResult
from unseen.utils.errors import InputError, shorten
from unseen.utils.tables import Cell, Measure, Rendered, Table

RULE = (
    "Within the spread: the difference is at most twice sqrt(a² + b²), where a is the larger of our standard "
    "deviations over trials and over resampled test images (or classes) and b the published one over trials (0 if none "
    "is given)."
)


class Reference(Protocol):
    """A number to compare with, in per cent: `PublishedNumber`, or any object with the same attributes."""

    @property
    def method(self) -> str:
        """Method that the number belongs to."""

    @property
    def metric(self) -> str:
        """Name of the metric, as in `EvaluationResult.metrics`."""

    @property
    def mean(self) -> float:
        """The number."""

    @property
    def std(self) -> float | None:
        """Standard deviation, if given."""

    @property
    def spread(self) -> Literal["trials", "classes"]:
        """Over what the standard deviation is taken."""


@dataclass(frozen=True)
class Comparison:
    """A measured and a published number, in per cent.

    Attributes
    ----------
    ours, theirs : Measure
    spread : float or None
        Twice the standard deviation of the difference (see `RULE`); None if ours is not known.
    """

    ours: Measure
    theirs: Measure
    spread: float | None

    @property
    def difference(self) -> float:
        """Ours minus theirs, in points."""
        return self.ours.mean - self.theirs.mean

    @property
    def within(self) -> bool | None:
        """Whether the difference is within the spread; None if that is not known."""
        return None if self.spread is None else abs(self.difference) <= self.spread

    @property
    def verdict(self) -> str:
        """Whether the difference is within the spread, in words."""
        return "not known" if self.within is None else "yes" if self.within else "no"


def compare(result: EvaluationResult, reference: Reference) -> Comparison:
    """Compare a result with a published number of the same metric.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.evaluation import evaluate
    >>> from unseen.experiments import published
    >>> from unseen.models import ESZSL
    >>> result = evaluate(ESZSL(), load_dataset("synthetic"), trials=1)
    >>> [number] = published(table="jfa-table-2", method="JFA", dataset="AwA")
    >>> compare(result, number).theirs
    Measure(mean=81.03, std=0.88)
    """
    ours = result.spread(reference.metric)
    # A deviation across classes shows how much the classes differ, not how uncertain their mean is.
    theirs = reference.std if reference.std is not None and reference.spread == "trials" else 0.0
    return Comparison(
        ours=result.measure(reference.metric),
        theirs=Measure(reference.mean, reference.std),
        spread=None if ours is None else 2 * hypot(100 * ours.std, theirs),
    )


@dataclass(frozen=True)
class ResultTable(Rendered):
    """A table of several results, one row for each model.

    Parameters
    ----------
    results : sequence of EvaluationResult or of SplitResult
        Results of the same dataset and setting.
    metrics : sequence of str, optional
        Metrics to show as columns; by default all that were measured.
    published : mapping, optional
        Published numbers by the name of a result; each metric that has some gets a column for them.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.evaluation import evaluate
    >>> from unseen.models import ESZSL
    >>> result = evaluate(ESZSL(), load_dataset("synthetic"), trials=1)
    >>> print(ResultTable([result], ["per-image accuracy"]).to_csv().splitlines()[0])
    model,per-image accuracy
    """

    results: Sequence[Measured]
    metrics: Sequence[str] | None = None
    published: Mapping[str, Sequence[Reference]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.results:
            raise InputError("results is empty: give at least one result of evaluate")
        kinds = list(dict.fromkeys((result.dataset, result.setting) for result in self.results))
        if len(kinds) > 1:
            raise InputError(f"results are of different datasets or settings, {shorten(kinds)}: make a table of each")
        names = [result.name for result in self.results]
        unknown = [name for name in self.published if name not in names]
        if unknown:
            raise InputError(f"published names {shorten(unknown)}, which is not a result: choose from {shorten(names)}")

    def table(self) -> Table:
        """Return the table in per cent."""
        first = self.results[0]
        columns = [column for metric in self.metrics or first.metrics for column in self._make_columns(metric)]
        names: list[Cell] = [result.name for result in self.results]
        return Table(
            f"{first.dataset}, {first.setting} setting (%)",
            ("model", *(title for title, _ in columns)),
            tuple(zip(names, *(cells for _, cells in columns), strict=True)),
            (f"Mean ± standard deviation (n - 1) over {first.over}; no deviation if the {first.over} do not differ.",),
        )

    def _make_columns(self, metric: str) -> list[tuple[str, list[Cell]]]:
        """Return our column of a metric and, if there are published numbers, a column of these."""
        ours: list[Cell] = [result.measure(metric) for result in self.results]
        theirs = [self._find_published_cell(result.name, metric) for result in self.results]
        published = [(f"{metric}, published", theirs)] if any(theirs) else []
        return [(metric, ours), *published]

    def _find_published_cell(self, name: str, metric: str) -> Cell:
        numbers = [number for number in self.published.get(name, ()) if number.metric == metric]
        return Measure(numbers[0].mean, numbers[0].std) if numbers else None
