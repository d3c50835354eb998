"""`unseen bench`: run benchmark experiments and compare with published numbers."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from unseen.cli.class_splits import ClassSplits
from unseen.cli.cluster import refuse_two_places, work_at
from unseen.cli.errors import explain_interruptions, say
from unseen.cli.options import Cluster, Device, Scheduler
from unseen.cli.table_options import TableOptions
from unseen.utils.errors import InputError

if TYPE_CHECKING:
    from unseen.experiments import Batch, BenchReport, DatasetLoader, Experiment, Outcome, TableReport, TrialStore

    # Runs an experiment on its data, storing what is done; called with `watch=` too.
    Run = Callable[..., Outcome[Any]]

STORE = Path("unseen-bench.sqlite")


def bench(
    experiments: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names of experiments (see --list) or paths of .yaml files, by default all; or one published table, "
            "such as paper-table-2."
        ),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of datasets; by default that of UNSEEN_DATA.")] = None,
    store: Annotated[Path, typer.Option(help="File that stores every finished trial.")] = STORE,
    trials: Annotated[
        int | None, typer.Option(min=1, help="Number of trials, instead of that in each experiment.")
    ] = None,
    class_splits: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Number of random class splits on which everything is chosen and measured anew, instead of trials.",
        ),
    ] = None,
    split_seed: Annotated[
        int | None, typer.Option(min=0, max=2**32 - 1, help="Random seed of the class splits, by default 0.")
    ] = None,
    n_unseen: Annotated[
        int | None,
        typer.Option(min=1, help="Number of unseen classes in each class split, by default that of the data."),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="Metric to compare over class splits, by default H or the mean per-class accuracy."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(help="Experiment with which the others are compared over class splits, by default the best."),
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option(help="Picture of the ranks over class splits (critical differences): a .svg, .png or .pdf file."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="SYSTEM", help="System of a table to run; repeatable.")
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option("--skip", metavar="SYSTEM", help="System of a table to leave out; repeatable.")
    ] = None,
    ground: Annotated[
        list[str] | None,
        typer.Option(
            "--ground",
            metavar="GROUND",
            help="Data to run a table on (digit-pairs, cub, awa), by default those found; repeatable.",
        ),
    ] = None,
    device: Device = None,
    jobs: Annotated[
        int, typer.Option(min=1, help="Number of processes for selecting parameters, or for class splits.")
    ] = 1,
    cluster: Cluster = 0,
    scheduler: Scheduler = "",
    list_: Annotated[bool, typer.Option("--list", help="List the experiments without running them.")] = False,
    format_: Annotated[
        Literal["text", "markdown", "latex", "csv", "html", "json"], typer.Option("--format", help="Output format.")
    ] = "text",
    force: Annotated[bool, typer.Option("--force", help="Replace the figure if it exists.")] = False,
) -> None:
    """Run benchmark experiments (resumable) and compare with published numbers, or with each other over class splits.

    Every trial is stored as soon as it is done. After an interruption, run the command again: it continues with the
    missing trials. The name of a published table runs the system of each of its rows, on CUB and AwA if they are found
    and otherwise on the embedded digit-pairs. On a Dask cluster run the fits of selections, and class splits.

    Examples: `unseen bench digit-pairs-jfa digit-pairs-eszsl`,
    `unseen bench digit-pairs-jfa digit-pairs-eszsl --class-splits 20 --figure ranks.svg`,
    `unseen bench paper-table-2 --only eszsl --only sje`
    """
    from unseen.experiments import BenchReport, DatasetLoader, load_experiment, run_experiment, shipped_experiments

    splits = ClassSplits(class_splits, split_seed, n_unseen, metric, against, figure, force)
    table = TableOptions(tuple(only or ()), tuple(skip or ()), tuple(ground or ()))
    with explain_interruptions(f"Finished trials are kept in {store}; continue with"):
        plan = table.make_plan(experiments or [], data)
        chosen = plan.experiments if plan else [load_experiment(name) for name in experiments or shipped_experiments()]
        if list_:
            print(_list_experiments(chosen, data))
            if not experiments:
                print(f"\n{_list_tables()}")
            return
        # Check all of them before running the first.
        splits.check(chosen, trials)
        refuse_two_places(cluster, scheduler, jobs=jobs > 1, device=device is not None)
        if device is not None:
            from unseen.utils.devices import find_device

            find_device(device)
        if plan is None:
            _check_models(chosen, jobs)
        else:
            table.say_where(plan)
        run: Run = partial(run_experiment, trials=trials, jobs=jobs) if class_splits is None else splits.make_run(jobs)
        unit = "trial" if class_splits is None else "class split"
        load = DatasetLoader(data, device)
        with work_at(cluster, scheduler):
            batch = _run_all(chosen, load, store, run, unit, survive=InputError if plan is None else Exception)
        failures = batch.failures if plan is None else table.say_failures(plan, batch)
        if batch.outcomes:
            if class_splits is not None:
                print(splits.report(batch.outcomes, format_))
                splits.draw(batch.outcomes)
            else:
                print(_write(BenchReport(batch.outcomes) if plan is None else table.make_report(plan, batch), format_))
    raise typer.Exit(0 if batch.outcomes and not failures else 1)


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


def _list_tables() -> str:
    from unseen.experiments import load_table, shipped_tables
    from unseen.experiments.catalogue.systems import list_systems
    from unseen.utils.tables import Table

    tables = [load_table(name) for name in shipped_tables()]
    rows = [(t.name, t.title, len(t.systems), sum(key in list_systems() for key in t.systems)) for t in tables]
    return Table("Published tables", ("name", "title", "systems", "of which can be run"), tuple(rows)).to_text()


def _check_models(experiments: list["Experiment"], jobs: int) -> None:
    """Make the model and the search of each experiment, so that slips are found before the first is run."""
    from unseen.experiments import build_model, build_search

    for experiment in experiments:
        model = build_model(experiment)
        if experiment.selection is not None:
            build_search(experiment, model, jobs)


def _run_all(
    experiments: list["Experiment"], load: "DatasetLoader", path: Path, run: "Run", unit: str, survive: type[Exception]
) -> "Batch":
    """Run the experiments whose data exist."""
    from unseen.experiments import TrialStore, run_each

    places = {experiment.name: f"{at} of {len(experiments)}" for at, experiment in enumerate(experiments, start=1)}
    with TrialStore(path) as store:

        def run_one(experiment: "Experiment") -> "Outcome[Any]":
            return _run_one(experiment, load, store, run, unit, places[experiment.name])

        return run_each(experiments, run_one, survive=survive, tell=say)


def _run_one(
    experiment: "Experiment", load: "DatasetLoader", store: "TrialStore", run: "Run", unit: str, place: str
) -> "Outcome[Any]":
    """Run one experiment with a progress display on the error stream, apart from the report."""
    from dataclasses import replace

    from unseen.cli.progress import show_progress
    from unseen.utils.progress import Progress

    with show_progress() as on_progress:

        def watch(now: Progress) -> None:
            on_progress(replace(now, doing=f"{experiment.name} ({place}): {now.doing}"))

        watch(Progress("loading data"))
        outcome = run(experiment, load(experiment), store, watch=watch)
    kept = len(outcome.result.trials) - outcome.ran
    say(f"{experiment.name}: {outcome.ran} {unit}(s) run, {kept} taken from {store.path}")
    if outcome.foreign:
        say(
            f"{experiment.name}: {outcome.foreign} {unit}(s) in the store are of other data, parameters or versions of "
            "the package, and were not used"
        )
    return outcome


def _write(report: "BenchReport | TableReport", form: str) -> str:
    return json.dumps(report.to_dict()) if form == "json" else str(getattr(report, f"to_{form}")())
