"""Encode class names or sentences about classes as a class table."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from unseen.data import ClassTable
from unseen.data.tables.texts import read_class_texts
from unseen.encoders import TextEncoder, text_encoder
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
    return DescribedClasses(ClassTable(vectors, list(texts), _name_columns(made)), made.name)


def find_text_encoder(table: ClassTable, *, weights: Path | None = None, device: str = "cpu") -> TextEncoder | None:
    """Make the encoder that `describe_classes` made a table with; return None for a table that it did not make.

    Parameters
    ----------
    table : ClassTable
    weights, device
        As for `unseen.encoders.text_encoder`.
    """
    found = _COLUMN.fullmatch(table.attributes[0]) if table.attributes else None
    if found is None:
        return None
    made = text_encoder(found["name"], weights=weights, device=device)
    if _name_columns(made) != list(table.attributes or ()):
        raise InputError(
            f"encoder {made.name} has the fingerprint {made.fingerprint[:8]} here, but the classes were described with "
            f"{found['fingerprint']}: its weights changed; give the former ones, or describe all classes again"
        )
    return made


# Columns are named after the encoder, so that prediction can detect tables of different encoders.
_COLUMN = re.compile(r"(?P<name>.+) (?P<fingerprint>[0-9a-f]{8}) 0")


def _name_columns(encoder: TextEncoder) -> list[str]:
    return [f"{encoder.name} {encoder.fingerprint[:8]} {at}" for at in range(encoder.width)]
