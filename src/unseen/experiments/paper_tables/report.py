"""Set our results beside the rows of a published table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from unseen.evaluation.comparison import RULE, Comparison, compare
from unseen.evaluation.metrics import METRICS
from unseen.evaluation.result import EvaluationResult
from unseen.experiments.catalogue.grounds import shipped_grounds
from unseen.experiments.catalogue.references import FEATURES, choose_split
from unseen.experiments.literature import PublishedNumber
from unseen.experiments.paper_tables.plan import Entry, TablePlan
from unseen.experiments.runner import Outcome
from unseen.utils.tables import Cell, Measure, Rendered, Table

COLUMNS = (
    *("published as", "system", "ground", "metric", "ours (%)", "published (%)", "difference", "within the spread"),
    *("selection (s)", "fit (s)", "remark"),
)


@dataclass(frozen=True)
class TableRow:
    """A row of the report: a line of the published table on one ground.

    Attributes
    ----------
    entry : Entry
    outcome : Outcome or None
        None if there is no result.
    number : PublishedNumber or None
        The published number nearest to ours in its split; None if the table has none.
    remark : str
        Why something is not there, or in what features and split the published number differs.
    """

    entry: Entry
    outcome: Outcome[EvaluationResult] | None
    number: PublishedNumber | None
    remark: str

    @property
    def ours(self) -> Measure | None:
        """Our number with its spread: over trials or tests, or across classes where the table has that."""
        if self.outcome is None:
            return None
        result, line = self.outcome.result, self.entry.line
        if line.spread == "classes":
            return result.over_classes(METRICS[line.metric].column)
        spread = result.spread(line.metric)
        return Measure(100 * result.mean(line.metric), 100 * spread.std if spread and spread.std else None)

    @property
    def comparison(self) -> Comparison | None:
        """The comparison, if there are two numbers that can be compared."""
        if self.outcome is None or self.number is None or self.entry.line.incomparable:
            return None
        return compare(self.outcome.result, self.number)

    def cells(self) -> tuple[Cell, ...]:
        """Return the row as cells."""
        line, found, outcome = self.entry.line, self.comparison, self.outcome
        return (
            line.method if line.acronym == line.method else f"{line.method} ({line.acronym})",
            line.system,
            self.entry.ground.key,
            line.metric,
            self.ours,
            None if self.number is None else self.number.measure,
            f"{found.difference:+.2f}" if found else "n/a",
            found.verdict if found else "n/a",
            outcome.selection_seconds if outcome else None,
            outcome.result.seconds[0] if outcome else None,
            self.remark,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        line, found, ours, outcome = self.entry.line, self.comparison, self.ours, self.outcome
        return {
            "published_as": line.method,
            "acronym": line.acronym,
            "system": line.system,
            "ground": self.entry.ground.key,
            "experiment": outcome.experiment.name if outcome else None,
            "setting": line.setting,
            "metric": line.metric,
            "ours": ours and {"mean": ours.mean, "std": ours.std},
            "trials": outcome and len(outcome.result.trials),
            "published": self.number and {"mean": self.number.mean, "std": self.number.std, "over": self.number.spread},
            "difference": found and found.difference,
            "within_the_spread": found and found.within,
            "selection_seconds": outcome and outcome.selection_seconds,
            "fit_seconds": outcome and outcome.result.seconds[0],
            "predict_seconds": outcome and outcome.result.seconds[1],
            "remark": self.remark,
        }


@dataclass(frozen=True)
class TableReport(Rendered):
    """Our results beside the rows of a published table.

    Parameters
    ----------
    plan : TablePlan
    outcomes : mapping of str to Outcome
        Outcomes by the name of their experiment.
    failures : mapping of str to str
        What failed, with the reason: names of experiments, or keys of systems that could not be read.
    """

    plan: TablePlan
    outcomes: Mapping[str, Outcome[EvaluationResult]]
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> list[TableRow]:
        """The rows, ground by ground, in the order of the published table."""
        return [self._make_row(entry) for entry in self.plan.entries]

    def table(self) -> Table:
        """Return the table."""
        rows = tuple(row.cells() for row in self.rows)
        return Table(f"{self.plan.table.title} ({self.plan.table.source})", COLUMNS, rows, tuple(self._write_notes()))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "table": self.plan.table.name,
            "title": self.plan.table.title,
            "source": self.plan.table.source,
            "rows": [row.to_dict() for row in self.rows],
            "failures": dict(self.failures),
            "notes": self._write_notes(),
        }

    def _make_row(self, entry: Entry) -> TableRow:
        number = _find_number(entry)
        outcome = None if entry.experiment is None else self.outcomes.get(entry.experiment.name)
        return TableRow(entry, outcome, number, self._write_remark(entry, outcome is not None, number))

    def _write_remark(self, entry: Entry, done: bool, number: PublishedNumber | None) -> str:
        if entry.experiment is None:
            return entry.missing
        if entry.experiment.name in self.failures:
            return f"failed: {self.failures[entry.experiment.name]}"
        if not done:
            return "not run"
        if number is None:
            return "not reported" if entry.ground.datasets else ""
        return entry.line.incomparable or "; ".join(_name_differences(entry, number))

    def _write_notes(self) -> list[str]:
        return [*_describe_grounds(self.plan), *self._explain_columns(), *_name_missing_data(self.plan)]

    def _explain_columns(self) -> list[str]:
        across = any(entry.line.spread == "classes" for entry in self.plan.entries)
        failed = [f"Failed: {name}: {reason}" for name, reason in self.failures.items()]
        return [
            RULE,
            "Ours ± the standard deviation across classes, as in the published table."
            if across
            else "Ours ± the larger of these two deviations of ours.",
            "A remark names the features and the split of the published number where they are not ours.",
            "Seconds of selecting parameters are those of one selection for all trials; where each trial selects its "
            "own, they count as seconds of the fit.",
            *failed,
        ]


def _find_number(entry: Entry) -> PublishedNumber | None:
    names = {name.casefold() for name in entry.ground.datasets}
    numbers = [number for number in entry.line.numbers if number.dataset.casefold() in names]
    return choose_split(numbers, entry.split)[0] if numbers else None


def _name_differences(entry: Entry, number: PublishedNumber) -> Iterator[str]:
    """Name the features, the split and the setting of a published number where they differ from ours."""
    if number.features != entry.ground.features:
        yield f"features {FEATURES.get(number.features, number.features)}"
    if number.split != entry.split:
        yield f"split {number.split}"
    if entry.experiment is not None and entry.experiment.setting != entry.line.setting:
        yield f"ours {entry.experiment.setting}"
    if entry.note:
        yield entry.note
    if number.recalled:
        yield "recalled, not checked against a copy"


def _describe_grounds(plan: TablePlan) -> list[str]:
    places = {(entry.ground.key, entry.place.title): None for entry in plan.entries if entry.place is not None}
    return [f"{key}: {title}." for key, title in places]


def _name_missing_data(plan: TablePlan) -> list[str]:
    """Say which data are not at hand, and which datasets of the published table no ground has."""
    known = {name for ground in shipped_grounds().values() for name in ground.datasets}
    others = dict.fromkeys(number.dataset for line in plan.table.lines for number in line.numbers)
    without = [name for name in others if name not in known]
    absent = [f"{ground.path} ({ground.key})" for ground in plan.absent]
    notes = []
    if absent:
        instead = ", so that the rows were run on the embedded data, which no published table has" * plan.embedded
        notes.append(f"Not in {plan.folder}: {', '.join(absent)}{instead}.")
    if without:
        notes.append(f"The columns {', '.join(without)} of the published table are left out: no ground has these data.")
    return notes
