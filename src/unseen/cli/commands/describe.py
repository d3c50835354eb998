"""`unseen describe`: from names or sentences to class vectors."""

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.errors import explained, say
from unseen.utils.errors import InputError


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
    from unseen.data import ClassTable
    from unseen.data.tables.texts import read_class_texts
    from unseen.encoders import text_encoder
    from unseen.utils.writing import new_file, refuse_existing

    with explained():
        refuse_existing(out, force)
        if template.count("{}") != 1:
            raise InputError(f"--template {template!r} has to hold {{}} once, where the text goes")
        texts = read_class_texts(classes, column, label)
        made = text_encoder(encoder, weights=weights, device=device)
        vectors = made.encode([template.replace("{}", text) for text in texts.values()])
        # Columns named after the encoder: tables of different encoders are told apart when predicting.
        names = [f"{made.name} {made.fingerprint[:8]} {at}" for at in range(made.width)]
        with new_file(out, force) as draft:
            ClassTable(vectors, list(texts), names).to_csv(draft)
    say(f"{out}: {len(texts)} classes x {made.width} values by {made.name}.")
