"""`unseen report`: one page to look at."""

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.errors import explain_errors, format_command, say
from unseen.cli.options import ClassesOfData, Data, Features, Label, ModelOrName, Seed, Split


def report(
    model: ModelOrName,
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path("report.html"),
    methods: Annotated[
        str,
        typer.Option(
            help="Other models to measure beside it, e.g. bilinear,eszsl; prepared and refined as the model is."
        ),
    ] = "",
    split: Split = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            help="A list that names the picture of each row of DATA, one on each line, as a path from where the list "
            "is; by default pictures.txt in the folder DATA."
        ),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(help="A folder for the figures as SVG and PNG, with their data as CSV.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="How often to learn each model that is named.")] = 1,
    classes: ClassesOfData = None,
    label: Label = None,
    features: Features = None,
    seed: Seed = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the page and figures if they exist.")] = False,
) -> None:
    """Write one HTML page: accuracy with its spread, figures with their data, pictures found, settings, versions.

    The page holds all it shows and needs no network. A model file that was fitted on any of the unseen classes is
    refused.

    Examples: `unseen report birds.unseen CUB_vgg_fc7 --split proposed --out birds.html`,
    `unseen report jfa digit-pairs --methods bilinear,eszsl --trials 3 --figures figures`
    """
    from unseen.cli.progress import show_progress
    from unseen.workflows import report as examine
    from unseen.workflows import write_report
    from unseen.workflows.reporting import check_places

    with explain_errors():
        # Before any work, so that none is done in vain.
        check_places(out, figures, force=force)
        with show_progress() as on_progress:
            found = examine(
                model,
                data,
                [name.strip() for name in methods.split(",") if name.strip()],
                split=split,
                pictures=pictures,
                trials=trials,
                features=features,
                classes=classes,
                label=label,
                seed=seed,
                command=format_command(),
                on_progress=on_progress,
            )
            write_report(found, out, figures, force=force)
        say(f"{out}: written" + ("" if figures is None else f"; figures in {figures}"))
