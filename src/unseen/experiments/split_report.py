"""Compare the results of experiments on the same random class splits, in tables and in one picture's data."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from unseen.evaluation.comparison import ResultTable
from unseen.evaluation.significance import comparable
from unseen.evaluation.splits.comparison import SplitComparison
from unseen.evaluation.splits.result import SplitResult
from unseen.utils.tables import Table


@dataclass(frozen=True)
class SplitReport:
    """Results of experiments over random class splits; those on the same splits are compared with each other.

    Parameters
    ----------
    results : sequence of SplitResult
    metric : str, optional
        As for `SplitComparison`.
    against : str, optional
        Name of the experiment with which the others on its data are compared; by default the best.
    """

    results: Sequence[SplitResult]
    metric: str | None = None
    against: str | None = None

    @property
    def groups(self) -> list[list[SplitResult]]:
        """Results on the same data and splits in the same setting, together."""
        found: list[list[SplitResult]] = []
        for result in self.results:
            group = next((group for group in found if comparable(group[0], result)), None)
            if group is None:
                found.append([result])
            else:
                group.append(result)
        return found

    @property
    def comparisons(self) -> list[SplitComparison]:
        """The comparison of each group of at least two results."""
        return [
            SplitComparison(group, self.metric, self.against if self.against in {one.name for one in group} else None)
            for group in self.groups
            if len(group) > 1
        ]

    def tables(self) -> list[Table]:
        """Return, for each group, a table of all metrics and one of the differences."""
        means = [ResultTable(group).table() if len(group) > 1 else group[0].table() for group in self.groups]
        means = [
            replace(table, notes=(*table.notes, _write_seconds(group)))
            for table, group in zip(means, self.groups, strict=True)
        ]
        return [*means, *(comparison.table() for comparison in self.comparisons)]

    def render(self, form: str) -> str:
        """Return all tables as "text", "markdown", "latex", "csv" or "html", with an empty line between them."""
        return "\n\n".join(getattr(table, f"to_{form}")().rstrip("\n") for table in self.tables())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "results": [result.to_dict() for result in self.results],
            "comparisons": [_list_values(comparison) for comparison in self.comparisons],
        }


def _write_seconds(group: Sequence[SplitResult]) -> str:
    times = ", ".join(f"{result.name} {result.seconds[0]:.2f}" for result in group)
    return f"Mean seconds of a fit, with the selection of its parameters: {times}."


def _list_values(comparison: SplitComparison) -> dict[str, Any]:
    return {
        "metric": comparison.compared,
        "against": comparison.baseline.name,
        "ranks": comparison.ranks(),
        "not_told_apart": comparison.groups(),
        "p_values": [{"models": pair, "p": p} for pair, p in comparison.p_values().items()],
        "differences": [asdict(difference) for difference in comparison.differences()],
    }
