"""Options about the files of other programs: FiftyOne and Label Studio."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unseen.utils.errors import InputError

if TYPE_CHECKING:
    from unseen.workflows.answering.answers import AnswerFormat
    from unseen.workflows.answering.exchanged import ExchangeFormat, ExchangeKind

LabellingFile = Annotated[
    Path | None,
    typer.Option(
        help="For --format label-studio: the project's labelling configuration (.xml), by default --classes if that is "
        "one, or the names of Label Studio's own template."
    ),
]
AddressPrefix = Annotated[
    str,
    typer.Option(
        help="For --format label-studio: what stands before the path of a picture in its address, such as "
        "'/data/local-files/?d=birds/'."
    ),
]


def find_format(
    kind: "AnswerFormat | ExchangeKind | None", labelling: Path | None, prefix: str, classes: Path | None
) -> "AnswerFormat | ExchangeFormat | None":
    """Return the format that was asked for, with what it needs."""
    if kind == "fiftyone" or kind == "label-studio":
        from unseen.workflows.answering.exchanged import ExchangeFormat

        if labelling is None and kind == "label-studio" and classes is not None and classes.suffix.casefold() == ".xml":
            labelling = classes
        return ExchangeFormat.make(kind, labelling, prefix)
    if labelling is not None or prefix:
        raise InputError("--labelling and --prefix are for --format label-studio: leave them out, or give that format")
    return kind
