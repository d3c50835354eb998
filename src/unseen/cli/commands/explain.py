"""`unseen explain`: why a row of features goes with a class."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from unseen.cli.errors import explained, say

if TYPE_CHECKING:
    from unseen.report import Explanation


def explain(
    model: Annotated[Path, typer.Argument(help="A model file, as `unseen fit` writes it.")],
    features: Annotated[Path, typer.Argument(help="Pictures, or features: .npy, .npz, .csv or .parquet.")],
    row: Annotated[
        str, typer.Option(help="Which row: its number from 0, or its name where the file names rows.")
    ] = "0",
    label: Annotated[str | None, typer.Option("--class", help="Which class; the best candidate if not given.")] = None,
    classes: Annotated[
        Path | None,
        typer.Option(help="The candidates, as for `unseen predict`; all that the model knows if not given."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many attributes, the strongest first.")] = 15,
    figure: Annotated[Path | None, typer.Option(help="Also draw a bar chart: a .png, .svg or .pdf file.")] = None,
    format_: Annotated[Literal["text", "csv", "json"], typer.Option("--format", help="How to print.")] = "text",
    array: Annotated[str | None, typer.Option(help="The array of an .npz file; X by default.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the figure if it exists.")] = False,
) -> None:
    """Show which attributes of a class an image moves (JFA), or which add to its score (other models).

    Examples: `unseen explain birds.unseen new.npy --row 7`,
    `unseen explain birds.unseen new.npy --row 7 --class Ovenbird --classes new.csv --figure why.png`
    """
    from unseen.cli.inputs import candidates_for, features_for
    from unseen.files import read_model_file
    from unseen.report import explain as explanation_of
    from unseen.report.figures.explanation import check_ending, draw
    from unseen.utils.figures import figure_bytes
    from unseen.utils.writing import new_file, refuse_existing

    with explained():
        if figure is not None:
            check_ending(figure)
            refuse_existing(figure, force)
        file = read_model_file(model)
        table = file.model.table_ if classes is None else candidates_for(file.model, classes)
        rows = features_for(file, features, array)
        x = rows.X[_place(row, rows.names)]
        chosen = file.model.predict(x[None, :], classes=table)[0] if label is None else _label(label, table)
        found = explanation_of(file.model, x, chosen, classes=table)
        typer.echo(_printed(found, top, format_))
        if figure is not None:
            with new_file(figure, force) as draft:
                title = f"Row {row} as {found.label}: {found.effect_name}"
                draft.write_bytes(figure_bytes(draw(found, top, title), figure.suffix.removeprefix(".").casefold()))
            say(f"{figure}: written")


def _place(row: str, names: Any) -> int:
    from unseen.utils.errors import InputError
    from unseen.utils.registry import did_you_mean

    written = [str(name) for name in names]
    if row in written:
        return written.index(row)
    if row.isdecimal() and int(row) < len(written):
        return int(row)
    raise InputError(
        f"--row {row} is none of the {len(written)} rows{did_you_mean([row], written)}: "
        f"give a number from 0 to {len(written) - 1} or a name of the first column"
    )


def _label(text: str, table: Any) -> Any:
    from unseen.data.tables.names import label_mapping

    return label_mapping([text], list(table), "--class")[text]


def _printed(found: "Explanation", top: int, format_: str) -> str:
    from unseen.cli.answers import to_csv
    from unseen.utils.tables import Table

    rows = found.rows(top)
    if format_ == "json":
        facts = {"kind": found.kind, "model": found.model, "class": found.label, "attributes": rows}
        return json.dumps(facts, indent=2, default=str)
    if format_ == "csv":
        return to_csv({name: [row[name] for row in rows] for name in rows[0]}).rstrip("\n")
    cells = tuple(tuple(_cell(value) for value in row.values()) for row in rows)
    return Table(f"{found.label}, {found.model}", tuple(rows[0]), cells, (_note(found),)).to_text()


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:+.4g}"


def _note(found: "Explanation") -> str:
    if found.kind == "displacement":
        return (
            "Adapted: the description that fits this image best (z_s). Moved by the image: how much of the difference "
            "is due to this image rather than to any image."
        )
    return f"{found.model} moves no description: what each attribute adds to the score of the class."
