"""`unseen describe`: from names or sentences to class vectors."""

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.errors import explain_errors, say


def describe(
    classes: Annotated[Path, typer.Argument(help="A CSV file: a header, then one line per class.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The class table (CSV) to write.")],
    column: Annotated[
        str | None, typer.Option(help="The column of texts; the class names themselves if not given.")
    ] = None,
    label: Annotated[str | None, typer.Option(help="The column of class names; the first if not given.")] = None,
    template: Annotated[
        str, typer.Option(help="A sentence around each text, e.g. 'a photo of a {}, a kind of bird'.")
    ] = "{}",
    encoder: Annotated[
        str, typer.Option("--encoder", "-e", help="minilm, sentence-transformers:NAME or open_clip:NAME/PRETRAINED.")
    ] = "minilm",
    weights: Annotated[
        Path | None, typer.Option(help="The encoder's weights, if not those of your cache; of minilm its folder.")
    ] = None,
    device: Annotated[str, typer.Option(help="Where the encoder runs: cpu or cuda.")] = "cpu",
    force: Annotated[bool, typer.Option("--force", help="Replace the output file if it exists.")] = False,
) -> None:
    """Turn class names or sentences about classes into a class table.

    Examples: `unseen describe birds.csv --out classes.csv`,
    `unseen describe birds.csv --column text --encoder minilm --out classes.csv`
    """
    from unseen.utils.writing import refuse_existing
    from unseen.workflows import describe_classes

    with explain_errors():
        refuse_existing(out, force)
        described = describe_classes(
            classes, column, label=label, template=template, encoder=encoder, weights=weights, device=device
        )
        described.write(out, force=force)
    say(f"{out}: {len(described.table)} classes x {described.table.width} values by {described.encoder}.")
