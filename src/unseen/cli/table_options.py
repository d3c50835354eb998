"""Read and carry out the options of `unseen bench` for published tables."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unseen.cli.errors import say
from unseen.utils.errors import InputError, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unseen.experiments import Batch, TablePlan, TableReport


@dataclass(frozen=True)
class TableOptions:
    """The options of `unseen bench` for published tables, as the user gave them."""

    only: tuple[str, ...]
    skip: tuple[str, ...]
    grounds: tuple[str, ...]

    def make_plan(self, names: "Sequence[str]", data: Path | None) -> "TablePlan | None":
        """Return what is to be run if the user named a table, or None if the names are of experiments."""
        from unseen.experiments import is_table, plan_table

        tables = [name for name in names if is_table(name)]
        if not tables:
            self._refuse_without_table()
            return None
        if len(names) > 1:
            others = [name for name in names if name != tables[0]] or tables[:1]
            raise InputError(f"{tables[0]} is a table, which is run by itself: run {shorten(others)} apart")
        return plan_table(tables[0], data, grounds=self.grounds, only=self.only, skip=self.skip)

    def say_where(self, plan: "TablePlan") -> None:
        """Say on which data the rows are run, if only on the embedded ones for want of others."""
        if plan.embedded and not self.grounds:
            files = ", ".join(str(ground.path) for ground in plan.absent)
            say(
                f"{plan.table.name} is run on the embedded digit-pairs, because {files} are not in {plan.folder}: "
                "give their folder by --data or the environment variable UNSEEN_DATA"
            )

    def say_failures(self, plan: "TablePlan", batch: "Batch") -> dict[str, str]:
        """Say at the end what failed, and return it."""
        failures = plan.failures | batch.skipped | batch.failures
        if failures:
            say(f"{len(failures)} of the rows failed: {shorten(list(failures), limit=20)}")
        return failures

    def make_report(self, plan: "TablePlan", batch: "Batch") -> "TableReport":
        """Set the outcomes beside the published numbers."""
        from unseen.experiments import TableReport

        outcomes = {outcome.experiment.name: outcome for outcome in batch.outcomes}
        return TableReport(plan, outcomes, plan.failures | batch.skipped | batch.failures)

    def _refuse_without_table(self) -> None:
        for option, values in (("--only", self.only), ("--skip", self.skip), ("--ground", self.grounds)):
            if values:
                raise InputError(f"{option} {values[0]} is for a published table: name one, such as paper-table-2")
