"""`unseen evaluate`: measure the accuracy of a model on the unseen classes of a dataset."""

import json
from typing import Annotated, Literal

import typer

from unseen.cli.classes import read_classes
from unseen.cli.errors import explain_errors
from unseen.cli.options import (
    ClassesOfData,
    Components,
    Data,
    Delimiter,
    Device,
    Features,
    Fill,
    Label,
    LabelColumn,
    ModelOrName,
    Refine,
    Settings,
    Sheet,
    Split,
    UnitNorm,
    Whiten,
    make_seed_option,
)


def evaluate(
    model: ModelOrName,
    data: Data,
    setting: Annotated[
        Literal["standard", "generalized", "retrieval", "transductive", "transductive-generalized"] | None,
        typer.Option(help="Evaluation setting; by default standard, or transductive for a transductive model."),
    ] = None,
    split: Split = None,
    settings: Settings = None,
    unit_norm: UnitNorm = False,
    pca: Components = None,
    whiten: Whiten = False,
    refine: Refine = None,
    trials: Annotated[int, typer.Option(min=1, help="Number of trials, for a model given by name.")] = 1,
    classes: ClassesOfData = None,
    label_column: LabelColumn = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    fill: Fill = None,
    label: Label = None,
    features: Features = None,
    device: Device = None,
    seed: Annotated[
        int,
        make_seed_option("Random seed, from which the seed of each trial is drawn."),
    ] = 0,
    format_: Annotated[
        Literal["text", "markdown", "latex", "csv", "html", "json"], typer.Option("--format", help="Output format.")
    ] = "text",
) -> None:
    """Measure the accuracy of a model on unseen classes: of a model file, or of a named model that is fitted first.

    A model file that was fitted on any of the unseen classes is not accepted.

    Examples: `unseen evaluate birds.unseen CUB_vgg_fc7 --split proposed`,
    `unseen evaluate jfa digit-pairs --setting generalized --trials 3`,
    `unseen evaluate jfa digit-pairs --refine spzsr`
    """
    from unseen.cli.progress import show_progress
    from unseen.cli.settings import read_settings
    from unseen.workflows import evaluate as measure

    with explain_errors():
        described = read_classes(classes, label_column=label_column, delimiter=delimiter, sheet=sheet, fill=fill)
        with show_progress() as on_progress:
            result = measure(
                model,
                data,
                setting,
                split=split,
                settings=read_settings(settings or []),
                unit_norm=unit_norm,
                pca=pca,
                whiten=whiten,
                refine=refine,
                trials=trials,
                features=features,
                device=device,
                classes=described,
                label=label,
                seed=seed,
                on_progress=on_progress,
            )
        typer.echo(json.dumps(result.to_dict()) if format_ == "json" else getattr(result, f"to_{format_}")())
