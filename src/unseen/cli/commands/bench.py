"""`unseen bench`: run benchmark experiments and compare with published numbers."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from unseen.cli.errors import explain_interruptions, say

if TYPE_CHECKING:
    from unseen.experiments import Experiment, Outcome, TrialStore

STORE = Path("unseen-bench.sqlite")


def bench(
    experiments: Annotated[
        list[str] | None,
        typer.Argument(help="Names of experiments (see --list) or paths of .yaml files; by default all."),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of datasets; by default that of UNSEEN_DATA.")] = None,
    store: Annotated[Path, typer.Option(help="File that stores every finished trial.")] = STORE,
    trials: Annotated[
        int | None, typer.Option(min=1, help="Number of trials, instead of that in each experiment.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes for selecting parameters.")] = 1,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments without running them.")] = False,
    format_: Annotated[
        Literal["text", "markdown", "latex", "csv", "html", "json"], typer.Option("--format", help="Output format.")
    ] = "text",
) -> None:
    """Run benchmark experiments (resumable) and compare with published numbers.

    Every trial is stored as soon as it is done. After an interruption, run the command again: it continues with the
    missing trials.
    """
    from unseen.experiments import build_model, build_search, load_experiment, shipped_experiments

    with explain_interruptions(f"Finished trials are kept in {store}; continue with"):
        chosen = [load_experiment(name) for name in experiments or shipped_experiments()]
        if list_:
            print(_list_experiments(chosen, data))
            return
        # Check all of them before running the first.
        for experiment in chosen:
            model = build_model(experiment)
            if experiment.selection is not None:
                build_search(experiment, model, jobs)
        complete = _run_all(chosen, data, store, trials, jobs, format_)
    raise typer.Exit(0 if complete else 1)


def _list_experiments(experiments: list["Experiment"], data: Path | None) -> str:
    from unseen.experiments import DataMissing, find_data
    from unseen.utils.tables import Table

    def has_data(experiment: "Experiment") -> str:
        try:
            find_data(experiment, data)
        except DataMissing:
            return f"no ({experiment.data.path})"
        return "yes"

    rows = [(e.name, e.title, e.setting, e.trials, has_data(e)) for e in experiments]
    return Table("Experiments", ("name", "title", "setting", "trials", "data found"), tuple(rows)).to_text()


def _run_all(
    experiments: list["Experiment"], data: Path | None, path: Path, trials: int | None, jobs: int, format_: str
) -> bool:
    """Run the experiments whose data exist and print the report; return whether all of them could be run."""
    from unseen.experiments import BenchReport, DataMissing, TrialStore
    from unseen.utils.errors import InputError
    from unseen.utils.storage.database import StoreError

    outcomes: list[Outcome] = []
    failed = 0
    with TrialStore(path) as store:
        for experiment in experiments:
            try:
                outcomes.append(_run(experiment, data, store, trials, jobs))
            except DataMissing as error:
                say(f"Skipped: {error}")
            except StoreError:  # no other experiment could be kept either
                raise
            except InputError as error:
                failed += 1
                say(f"Failed: {experiment.name}: {error}")
    report = BenchReport(outcomes)
    if outcomes:
        print(json.dumps(report.to_dict()) if format_ == "json" else getattr(report, f"to_{format_}")())
    return bool(outcomes) and not failed


def _run(experiment: "Experiment", data: Path | None, store: "TrialStore", trials: int | None, jobs: int) -> "Outcome":
    """Run one experiment with a progress display on the error stream, apart from the report."""
    from dataclasses import replace

    from unseen.cli.progress import show_progress
    from unseen.experiments import build_dataset, run_experiment
    from unseen.utils.progress import Progress

    with show_progress() as on_progress:

        def watch(now: Progress) -> None:
            on_progress(replace(now, doing=f"{experiment.name}: {now.doing}"))

        watch(Progress("loading data"))
        dataset = build_dataset(experiment, data)
        outcome = run_experiment(experiment, dataset, store, trials=trials, jobs=jobs, watch=watch)
    kept = len(outcome.result.trials) - outcome.ran
    say(f"{experiment.name}: {outcome.ran} trial(s) run, {kept} taken from {store.path}")
    if outcome.foreign:
        say(
            f"{experiment.name}: {outcome.foreign} trial(s) in the store are of other data, parameters or versions of "
            "the package, and were not used"
        )
    return outcome
