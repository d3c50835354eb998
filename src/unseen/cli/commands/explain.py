"""`unseen explain`: explain by attributes how well a row of features matches a class."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from unseen.cli.classes import read_classes
from unseen.cli.errors import explain_errors, say
from unseen.cli.options import (
    Delimiter,
    EncoderDevice,
    EncoderWeights,
    Features,
    Fill,
    LabelColumn,
    LabelLeftOut,
    ModelArgument,
    PictureBatch,
    RowsArgument,
    Sheet,
)

if TYPE_CHECKING:
    from unseen.report import Explanation


def explain(
    model: ModelArgument,
    data: RowsArgument,
    row: Annotated[
        str, typer.Option(help="Row to explain: its number from 0, or its name if the file has names.")
    ] = "0",
    class_: Annotated[
        str | None, typer.Option("--class", help="Class to explain; by default the best candidate.")
    ] = None,
    classes: Annotated[
        Path | None,
        typer.Option(help="Candidate classes, as for `unseen predict`; by default all that the model knows."),
    ] = None,
    label_column: LabelColumn = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    fill: Fill = None,
    top: Annotated[int, typer.Option(min=1, help="Number of attributes to show, the strongest first.")] = 15,
    figure: Annotated[Path | None, typer.Option(help="Bar chart to draw: a .png, .svg or .pdf file.")] = None,
    format_: Annotated[Literal["text", "csv", "json"], typer.Option("--format", help="Output format.")] = "text",
    features: Features = None,
    label: LabelLeftOut = None,
    weights: EncoderWeights = None,
    batch: PictureBatch = 8,
    device: EncoderDevice = "cpu",
    force: Annotated[bool, typer.Option("--force", help="Replace the figure if it exists.")] = False,
) -> None:
    """Show which attributes of a class an image moves (JFA), or which attributes add to its score (other models).

    Examples: `unseen explain birds.unseen new.npy --row 7`,
    `unseen explain birds.unseen new.npy --row 7 --class Ovenbird --classes new.csv --figure why.png`
    """
    from unseen.cli.progress import show_progress
    from unseen.utils.figures import check_figure
    from unseen.workflows import explain as explain_row
    from unseen.workflows.explaining import write_explanation

    with explain_errors():
        if figure is not None:
            check_figure(figure, force=force)
        described = read_classes(classes, label_column=label_column, delimiter=delimiter, sheet=sheet, fill=fill)
        with show_progress() as on_progress:
            found = explain_row(
                model,
                data,
                row,
                class_,
                described,
                features=features,
                label_column=label,
                weights=weights,
                device=device,
                batch=batch,
                on_progress=on_progress,
            )
        typer.echo(_format_explanation(found, top, format_))
        if figure is not None:
            title = f"Row {row} as {found.label}: {found.effect_name}"
            write_explanation(found, figure, top=top, title=title, force=force)
            say(f"{figure}: written")


def _format_explanation(found: "Explanation", top: int, format_: str) -> str:
    from unseen.workflows.answering.answers import to_csv
    from unseen.workflows.explaining import tabulate_explanation

    rows = found.rows(top)
    if format_ == "json":
        facts = {"kind": found.kind, "model": found.model, "class": found.label, "attributes": rows}
        return json.dumps(facts, indent=2, default=str)
    if format_ == "csv":
        return to_csv({name: [row[name] for row in rows] for name in rows[0]}).rstrip("\n")
    return tabulate_explanation(found, top).to_text()
