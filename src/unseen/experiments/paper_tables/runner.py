"""Run the rows of a published table on the data at hand, and set the results beside the published numbers."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from unseen.evaluation.result import EvaluationResult
from unseen.experiments.batch import DatasetLoader, run_each
from unseen.experiments.paper_tables.plan import plan_table
from unseen.experiments.paper_tables.report import TableReport
from unseen.experiments.paper_tables.table import PaperTable
from unseen.experiments.runner import Outcome, run_experiment
from unseen.experiments.spec import Experiment
from unseen.experiments.store import TrialStore
from unseen.utils.progress import OnProgress, Progress, ignore


def run_table(
    table: str | PaperTable,
    store: TrialStore,
    *,
    data: Path | None = None,
    grounds: Sequence[str] = (),
    only: Sequence[str] = (),
    skip: Sequence[str] = (),
    trials: int | None = None,
    jobs: int = 1,
    watch: OnProgress = ignore,
) -> TableReport:
    """Run every row of a table whose system exists, as far as the store does not hold it yet.

    A row that fails leaves the others standing; the report names it.

    Parameters
    ----------
    table, data, grounds, only, skip
        As for `plan_table`.
    store, trials, jobs, watch
        As for `run_experiment`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, TrialStore(Path(folder) / "trials.sqlite") as store:
    ...     report = run_table("gbu-zsl", store, grounds=["digit-pairs"], only=["eszsl"])
    >>> [round(row.ours.mean) for row in report.rows]
    [94]
    """
    plan = plan_table(table, data, grounds=grounds, only=only, skip=skip)
    load = DatasetLoader(data)

    def run_one(experiment: Experiment) -> Outcome[EvaluationResult]:
        def tell(now: Progress) -> None:
            watch(replace(now, doing=f"{experiment.name}: {now.doing}"))

        return run_experiment(experiment, load(experiment), store, trials=trials, jobs=jobs, watch=tell)

    batch = run_each(plan.experiments, run_one, survive=Exception)
    outcomes = {outcome.experiment.name: outcome for outcome in batch.outcomes}
    return TableReport(plan, outcomes, plan.failures | batch.skipped | batch.failures)
