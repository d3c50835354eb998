"""`unseen export`: a model file for other programs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from unseen.cli.errors import explained, say


def export(
    model: Annotated[Path, typer.Argument(help="A model file, as `unseen fit` writes it.")],
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
    from unseen.cli.inputs import candidates_for
    from unseen.files import load
    from unseen.utils.errors import InputError
    from unseen.utils.writing import refuse_existing

    with explained():
        if onnx is None and faiss is None:
            raise InputError("nothing to write: name a file with --onnx or --faiss")
        for path in (onnx, faiss):
            if path is not None:
                refuse_existing(path, force)
        loaded = load(model)
        if onnx is not None:
            from unseen.files.export import export_onnx

            export_onnx(loaded, onnx, force=force)
            say(f"{onnx}: features (n, {loaded.n_features_in_}) and classes (m, {loaded.table_.width}) in, scores out")
        if faiss is not None:
            from unseen.files.export import ClassIndex

            index = ClassIndex(loaded, candidates_for(loaded, classes), kind)
            index.write(faiss, force=force)
            say(f"{faiss}: {len(index.labels):,} classes of {index.index.d} numbers, in the order of their table")
