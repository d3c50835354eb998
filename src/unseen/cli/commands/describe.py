"""`unseen describe`: encode class names or sentences as a class table."""

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.errors import explain_errors, say


def describe(
    classes: Annotated[Path, typer.Argument(help="CSV file with a header, then one line per class.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Class table (CSV) to write.")],
    column: Annotated[str | None, typer.Option(help="Column of texts; by default the class names themselves.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of class names; by default the first.")] = None,
    template: Annotated[
        str, typer.Option(help="Sentence into which each text is put, e.g. 'a photo of a {}, a kind of bird'.")
    ] = "{}",
    encoder: Annotated[
        str,
        typer.Option(
            "--encoder", "-e", help="Encoder: minilm, sentence-transformers:NAME or open_clip:NAME/PRETRAINED."
        ),
    ] = "minilm",
    weights: Annotated[
        Path | None, typer.Option(help="The encoder's weights, if not in your cache; for minilm their folder.")
    ] = None,
    device: Annotated[str, typer.Option(help="Device of the encoder: cpu or cuda.")] = "cpu",
    force: Annotated[bool, typer.Option("--force", help="Replace the output file if it exists.")] = False,
) -> None:
    """Encode class names or sentences about classes as a class table.

    Examples: `unseen describe birds.csv --out classes.csv`,
    `unseen describe birds.csv --column text --encoder minilm --out classes.csv`
    """
    from unseen.utils.storage.writing import refuse_existing
    from unseen.workflows import describe_classes

    with explain_errors():
        refuse_existing(out, force)
        described = describe_classes(
            classes, column, label=label, template=template, encoder=encoder, weights=weights, device=device
        )
        described.write(out, force=force)
    say(f"{out}: {len(described.table)} classes x {described.table.width} values by {described.encoder}.")
