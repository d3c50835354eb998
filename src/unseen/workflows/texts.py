"""Encode class names or sentences about classes as a class table."""

import os
from dataclasses import dataclass
from pathlib import Path

from unseen.data import ClassTable
from unseen.data.tables.texts import read_class_texts
from unseen.encoders import text_encoder
from unseen.utils.errors import InputError
from unseen.utils.storage.writing import create_file


@dataclass(frozen=True, eq=False)
class DescribedClasses:
    """A class table encoded from texts, and the name of its encoder."""

    table: ClassTable
    encoder: str

    def write(self, out: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the table as CSV, completely or not at all."""
        with create_file(out, force) as draft:
            self.table.to_csv(draft)


def describe_classes(
    classes: str | os.PathLike[str],
    column: str | None = None,
    *,
    label: str | None = None,
    template: str = "{}",
    encoder: str = "minilm",
    weights: Path | None = None,
    device: str = "cpu",
) -> DescribedClasses:
    """Encode the text that a CSV file has for each class.

    Parameters
    ----------
    classes : path-like
        A CSV file with a header, then one line per class.
    column : str, optional
        The column of texts; by default the class names themselves.
    label : str, optional
        The column of class names; by default the first.
    template : str, default "{}"
        A sentence into which each text is put, such as "a photo of a {}, a kind of bird".
    encoder, weights, device
        As for `unseen.encoders.text_encoder`.
    """
    if template.count("{}") != 1:
        raise InputError(f"template={template!r} does not contain {{}} exactly once: write {{}} where the text goes")
    texts = read_class_texts(Path(classes), column, label)
    made = text_encoder(encoder, weights=weights, device=device)
    vectors = made.encode([template.replace("{}", text) for text in texts.values()])
    # Columns are named after the encoder, so that prediction can detect tables of different encoders.
    names = [f"{made.name} {made.fingerprint[:8]} {at}" for at in range(made.width)]
    return DescribedClasses(ClassTable(vectors, list(texts), names), made.name)
