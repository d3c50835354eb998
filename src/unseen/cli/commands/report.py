"""`unseen report`: write a report page about a model."""

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.classes import read_classes
from unseen.cli.errors import explain_errors, format_command, say
from unseen.cli.options import (
    ClassesOfData,
    Delimiter,
    Features,
    Fill,
    Label,
    LabelColumn,
    Seed,
    Sheet,
    Split,
)

ModelToReport = Annotated[
    str | None, typer.Argument(help="A model file, or the name of a model to fit: jfa, eszsl, ...")
]
DataToReport = Annotated[
    str | None, typer.Argument(help="A dataset: its name, file or folder (see `unseen datasets list`).")
]


def report(
    model: ModelToReport = None,
    data: DataToReport = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Page to write.")] = Path("report.html"),
    methods: Annotated[
        str,
        typer.Option(
            help="Other models to compare with, e.g. bilinear,eszsl; with the same preparation and refinement."
        ),
    ] = "",
    split: Split = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            help="File that lists the picture of each row of DATA, one per line, as a path relative to the file; "
            "by default pictures.txt in the folder DATA."
        ),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(help="Folder for the figures as SVG and PNG, with their data as CSV.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Number of trials of each model given by name.")] = 1,
    classes: ClassesOfData = None,
    label_column: LabelColumn = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    fill: Fill = None,
    label: Label = None,
    features: Features = None,
    seed: Seed = 0,
    bench: Annotated[
        Path | None,
        typer.Option(
            metavar="STORE",
            help="File of finished trials of `unseen bench`, instead of MODEL and DATA: a page of its experiments, "
            "beside the published numbers. Nothing is run.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the page and figures if they exist.")] = False,
) -> None:
    """Write a report page (HTML): accuracies with intervals, figures with data, retrieved pictures, settings, versions.

    The page contains everything it shows and needs no network. A model file that was fitted on any of the unseen
    classes is not accepted.

    Examples: `unseen report birds.unseen CUB_vgg_fc7 --split proposed --out birds.html`,
    `unseen report jfa digit-pairs --methods bilinear,eszsl --trials 3 --figures figures`,
    `unseen report --bench unseen-bench.sqlite --out bench.html`
    """
    from unseen.cli.progress import show_progress
    from unseen.workflows import report as examine
    from unseen.workflows import report_bench, write_report
    from unseen.workflows.reporting import check_places

    with explain_errors():
        # Checked before the work begins, so that none is done in vain.
        check_places(out, figures, force=force)
        named = _check_named(model, data, bench)
        described = read_classes(classes, label_column=label_column, delimiter=delimiter, sheet=sheet, fill=fill)
        with show_progress() as on_progress:
            found = (
                report_bench(bench, command=format_command(), on_progress=on_progress)
                if bench is not None
                else examine(
                    *named,
                    [name.strip() for name in methods.split(",") if name.strip()],
                    split=split,
                    pictures=pictures,
                    trials=trials,
                    features=features,
                    classes=described,
                    label=label,
                    seed=seed,
                    command=format_command(),
                    on_progress=on_progress,
                )
            )
            write_report(found, out, figures, force=force)
        say(f"{out}: written" + ("" if figures is None else f"; figures in {figures}"))


def _check_named(model: str | None, data: str | None, bench: Path | None) -> tuple[str, str]:
    """Return the model and the data; refuse them beside a store, and one without the other."""
    from unseen.utils.errors import InputError

    if bench is not None and model is not None:
        raise InputError(f"--bench {bench} is a report by itself: leave out {model}, or leave out --bench")
    if bench is None and (model is None or data is None):
        raise InputError("a report is about MODEL on DATA: name both, or give the store of `unseen bench` by --bench")
    return model or "", data or ""
