"""`unseen export`: a model file for other programs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from unseen.cli.errors import explain_errors, say
from unseen.cli.options import ModelArgument


def export(
    model: ModelArgument,
    onnx: Annotated[Path | None, typer.Option(help="Write an ONNX graph: features and classes in, scores out.")] = None,
    faiss: Annotated[Path | None, typer.Option(help="Write a FAISS index over the classes of --classes.")] = None,
    classes: Annotated[
        Path | None, typer.Option(help="The candidates of the index: a CSV file, or a .txt list of known classes.")
    ] = None,
    kind: Annotated[
        Literal["flat", "ivf", "hnsw"], typer.Option(help="flat is exact; ivf and hnsw are faster and may miss.")
    ] = "flat",
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Write a model for other programs.

    Examples: `unseen export birds.unseen --onnx birds.onnx`,
    `unseen export birds.unseen --faiss birds.faiss --classes many.csv --kind ivf`
    """
    from unseen.workflows import export as write_exports

    with explain_errors():
        done = write_exports(model, onnx=onnx, faiss=faiss, classes=classes, kind=kind, force=force)
    if onnx is not None:
        say(f"{onnx}: features (n, {done.n_features}) and classes (m, {done.width}) in, scores out")
    if done.index is not None:
        labels, index = done.index.labels, done.index.index
        say(f"{faiss}: {len(labels):,} classes of {index.d} numbers, in the order of their table")
