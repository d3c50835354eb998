"""`unseen fit`: fit a model and write a model file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from unseen.cli.classes import read_classes
from unseen.cli.cluster import refuse_two_places, work_at
from unseen.cli.errors import explain_errors, explain_interruptions, say
from unseen.cli.notes import say_warnings
from unseen.cli.options import (
    ClassesOfData,
    Cluster,
    Components,
    Data,
    Delimiter,
    Device,
    Features,
    Fill,
    Jobs,
    Label,
    LabelColumn,
    Refine,
    Scheduler,
    Seed,
    Settings,
    Sheet,
    UnitNorm,
    Whiten,
)
from unseen.utils.errors import InputError

if TYPE_CHECKING:
    from unseen.confidence import HeldOutAccuracy
    from unseen.workflows import Fitted


def fit(
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write, e.g. birds.unseen.")],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            help="Model: jfa, gaussian, bilinear, eszsl, ...; package.module:Class of your own; or several, blended: "
            "eszsl+jfa. By default it is chosen, with its preparation, on held-out seen classes.",
        ),
    ] = None,
    effort: Annotated[
        Literal["quick", "normal", "best"] | None,
        typer.Option(
            help="How much to try for what is chosen automatically: seconds, under a minute (the default), or minutes. "
            "With --model, chooses the preparation of this model.",
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            help="Split that says which classes stay unseen (as for load_dataset); 'none' learns from all rows."
        ),
    ] = None,
    settings: Settings = None,
    unit_norm: UnitNorm = False,
    pca: Components = None,
    whiten: Whiten = False,
    refine: Refine = None,
    select: Annotated[
        bool,
        typer.Option("--select", help="Choose parameters on held-out seen classes, from the model's default grid."),
    ] = False,
    grid: Annotated[
        list[str] | None,
        typer.Option("--grid", metavar="NAME=V1,V2,...", help="Values to choose from; implies --select; repeatable."),
    ] = None,
    full_search: Annotated[
        bool,
        typer.Option(
            "--full-search", help="Fit every point of the grid to the end, instead of stopping hopeless ones."
        ),
    ] = False,
    calibrate: Annotated[
        bool,
        typer.Option(
            help="Calibrate probabilities, and seen against unseen classes, on held-out seen classes (5 more fits)."
        ),
    ] = True,
    classes: ClassesOfData = None,
    label_column: LabelColumn = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    fill: Fill = None,
    label: Label = None,
    features: Features = None,
    device: Device = None,
    jobs: Jobs = 1,
    cluster: Cluster = 0,
    scheduler: Scheduler = "",
    seed: Seed = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the model file if it exists.")] = False,
) -> None:
    """Fit a model on the seen classes of a dataset and write a model file.

    Examples: `unseen fit digit-pairs --out digits.unseen`,
    `unseen fit CUB_vgg_fc7 --split proposed --effort best --out birds.unseen`,
    `unseen fit CUB_vgg_fc7 --split proposed --model jfa --unit-norm --pca 300 --whiten --select --out birds.unseen`,
    `unseen fit features.csv --classes classes.csv --model eszsl --set gamma=10 --out mine.unseen`,
    `unseen fit digit-pairs --model eszsl+jfa --set eszsl__gamma=10 --out blend.unseen`,
    `unseen fit CUB_vgg_fc7 --split proposed --device cuda --out birds.unseen`
    """
    from unseen.cli.progress import show_progress
    from unseen.cli.settings import read_grid, read_settings
    from unseen.utils.storage.writing import refuse_existing
    from unseen.workflows import fit as fit_model

    with explain_interruptions(f"{out} is written whole or not at all; begin again with"), explain_errors():
        refuse_existing(out, force)
        refuse_two_places(cluster, scheduler, jobs=jobs > 1, device=device is not None)
        if (cluster or scheduler) and not (select or grid or "omega=auto" in (settings or [])):
            raise InputError(
                f"{'--cluster' if cluster else '--scheduler'} is for a search, and nothing is searched here: give "
                "--select or --grid too, or leave it out"
            )
        described = read_classes(classes, label_column=label_column, delimiter=delimiter, sheet=sheet, fill=fill)
        with say_warnings(), show_progress() as on_progress, work_at(cluster, scheduler):
            fitted = fit_model(
                data,
                model,
                effort=effort,
                split=split,
                settings=read_settings(settings or []),
                unit_norm=unit_norm,
                pca=pca,
                whiten=whiten,
                refine=refine,
                select=read_grid(grid or []) or select,
                halving=not full_search,
                calibrate=calibrate,
                features=features,
                device=device,
                classes=described,
                label=label,
                jobs=jobs,
                seed=seed,
                on_progress=on_progress,
            )
        fitted.save(out, force=force)
    _summarise(fitted, out)


def _summarise(fitted: "Fitted", out: Path) -> None:
    from unseen.workflows.describing import describe_model, format_facts

    if fitted.choice is not None:
        say(" ".join(fitted.choice.say()))
    if fitted.search is not None:
        chosen = _format_parameters(fitted.search.best_params)
        say(f"Chosen on held-out seen classes: {chosen} ({fitted.search.best_score:.1%} per class)")
    text = f"{out}: learned {len(fitted.model.classes_)} classes from {fitted.n_rows:,} rows of {fitted.data}."
    say(text)
    facts = format_facts(describe_model(fitted))
    if "parts" in facts:
        say(f"Blended: {facts['parts']}.")
    if fitted.held_out is not None:
        others = len(fitted.model.table_) - len(fitted.model.classes_)
        say(_say_expected(fitted.held_out, others))


def _say_expected(found: "HeldOutAccuracy", others: int) -> str:
    if not found.is_estimate:
        return (
            f"How many answers to expect right cannot be told: {found.n_rows} rows of {found.n_classes} held-out "
            "classes are too few."
        )
    more = f", such as the {others} other classes of its table," if others > found.n_candidates else ""
    return (
        f"Expect {found.accuracy:.1%} of answers right for classes it has not seen, among {found.n_candidates} "
        f"candidates (95% range {found.low:.1%} to {found.high:.1%}, measured on held-out seen classes). More "
        f"candidates{more} make it lower."
    )


def _format_parameters(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name.rpartition('model__')[2]}={value}" for name, value in parameters.items())
