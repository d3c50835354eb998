"""`unseen bench`: run benchmark experiments and compare with published numbers."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from unseen.cli.class_splits import ClassSplits
from unseen.cli.errors import explain_interruptions, say

if TYPE_CHECKING:
    from unseen.experiments import Experiment, Outcome, TrialStore

    # Runs an experiment on its data, storing what is done; called with `watch=` too.
    Run = Callable[..., Outcome[Any]]

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
    jobs: Annotated[
        int, typer.Option(min=1, help="Number of processes for selecting parameters, or for class splits.")
    ] = 1,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments without running them.")] = False,
    format_: Annotated[
        Literal["text", "markdown", "latex", "csv", "html", "json"], typer.Option("--format", help="Output format.")
    ] = "text",
    force: Annotated[bool, typer.Option("--force", help="Replace the figure if it exists.")] = False,
) -> None:
    """Run benchmark experiments (resumable) and compare with published numbers, or with each other over class splits.

    Every trial is stored as soon as it is done. After an interruption, run the command again: it continues with the
    missing trials.

    Examples: `unseen bench digit-pairs-jfa digit-pairs-eszsl`,
    `unseen bench digit-pairs-jfa digit-pairs-eszsl --class-splits 20 --figure ranks.svg`
    """
    from unseen.experiments import build_model, build_search, load_experiment, run_experiment, shipped_experiments

    splits = ClassSplits(class_splits, split_seed, n_unseen, metric, against, figure, force)
    with explain_interruptions(f"Finished trials are kept in {store}; continue with"):
        chosen = [load_experiment(name) for name in experiments or shipped_experiments()]
        if list_:
            print(_list_experiments(chosen, data))
            return
        # Check all of them before running the first.
        splits.check(chosen, trials)
        for experiment in chosen:
            model = build_model(experiment)
            if experiment.selection is not None:
                build_search(experiment, model, jobs)
        run: Run = partial(run_experiment, trials=trials, jobs=jobs) if class_splits is None else splits.make_run(jobs)
        outcomes, failed = _run_all(chosen, data, store, run, "trial" if class_splits is None else "class split")
        if outcomes:
            print(_report(outcomes, format_) if class_splits is None else splits.report(outcomes, format_))
            splits.draw(outcomes)
    raise typer.Exit(0 if outcomes and not failed else 1)


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
    experiments: list["Experiment"], data: Path | None, path: Path, run: "Run", unit: str
) -> tuple[list["Outcome[Any]"], int]:
    """Run the experiments whose data exist; return their outcomes and how many failed."""
    from unseen.experiments import DataMissing, TrialStore
    from unseen.utils.errors import InputError
    from unseen.utils.storage.database import StoreError

    outcomes = []
    failed = 0
    with TrialStore(path) as store:
        for experiment in experiments:
            try:
                outcomes.append(_run_one(experiment, data, store, run, unit))
            except DataMissing as error:
                say(f"Skipped: {error}")
            except StoreError:  # no other experiment could be kept either
                raise
            except InputError as error:
                failed += 1
                say(f"Failed: {experiment.name}: {error}")
    return outcomes, failed


def _run_one(experiment: "Experiment", data: Path | None, store: "TrialStore", run: "Run", unit: str) -> "Outcome[Any]":
    """Run one experiment with a progress display on the error stream, apart from the report."""
    from dataclasses import replace

    from unseen.cli.progress import show_progress
    from unseen.experiments import build_dataset
    from unseen.utils.progress import Progress

    with show_progress() as on_progress:

        def watch(now: Progress) -> None:
            on_progress(replace(now, doing=f"{experiment.name}: {now.doing}"))

        watch(Progress("loading data"))
        outcome = run(experiment, build_dataset(experiment, data), store, watch=watch)
    kept = len(outcome.result.trials) - outcome.ran
    say(f"{experiment.name}: {outcome.ran} {unit}(s) run, {kept} taken from {store.path}")
    if outcome.foreign:
        say(
            f"{experiment.name}: {outcome.foreign} {unit}(s) in the store are of other data, parameters or versions of "
            "the package, and were not used"
        )
    return outcome


def _report(outcomes: list["Outcome[Any]"], form: str) -> str:
    from unseen.experiments import BenchReport

    report = BenchReport(outcomes)
    return json.dumps(report.to_dict()) if form == "json" else str(getattr(report, f"to_{form}")())
