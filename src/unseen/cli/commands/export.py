"""`unseen export`: write a model for other programs (ONNX, FAISS)."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from unseen.cli.classes import read_classes
from unseen.cli.errors import explain_errors, say
from unseen.cli.options import Delimiter, Fill, LabelColumn, ModelArgument, Sheet


def export(
    model: ModelArgument,
    onnx: Annotated[Path | None, typer.Option(help="ONNX graph to write, from features and classes to scores.")] = None,
    faiss: Annotated[Path | None, typer.Option(help="FAISS index to write, over the classes of --classes.")] = None,
    classes: Annotated[
        Path | None, typer.Option(help="Candidate classes of the index: a CSV file, or a .txt list of known classes.")
    ] = None,
    label_column: LabelColumn = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    fill: Fill = None,
    kind: Annotated[
        Literal["flat", "ivf", "hnsw"],
        typer.Option(help="Kind of index: flat is exact; ivf and hnsw are faster but may miss."),
    ] = "flat",
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Export a model for other programs: an ONNX graph, a FAISS index over classes, or both.

    Examples: `unseen export birds.unseen --onnx birds.onnx`,
    `unseen export birds.unseen --faiss birds.faiss --classes many.csv --kind ivf`
    """
    from unseen.workflows import export as write_exports

    with explain_errors():
        described = read_classes(classes, label_column=label_column, delimiter=delimiter, sheet=sheet, fill=fill)
        done = write_exports(model, onnx=onnx, faiss=faiss, classes=described, kind=kind, force=force)
    if onnx is not None:
        say(f"{onnx}: features (n, {done.n_features}) and classes (m, {done.width}) in, scores out")
    if done.index is not None:
        labels, index = done.index.labels, done.index.index
        say(f"{faiss}: {len(labels):,} classes of {index.d} numbers, in the order of their table")
