"""Read the labels, class table and unseen classes of a folder of pictures."""

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unseen.data.class_table import ClassTable
from unseen.data.formats.feature_table import as_class_table
from unseen.data.formats.folder import CLASSES, UNSEEN
from unseen.data.tables.lists import read_lines
from unseen.data.tables.names import match_labels
from unseen.encoders.pictures import Pictures
from unseen.utils.errors import InputError


@dataclass(frozen=True)
class Labelled:
    """Labels of pictures, and the files about their classes.

    Attributes
    ----------
    labels : list of str or None
        The label of each picture, spelled as in the class table; None if the pictures have no labels.
    files : dict of str to bytes
        Name and content of `classes.csv`, written plainly, and of `unseen.txt`, if they exist.
    without_pictures : list of str
        Classes of the table that have no picture and are not listed as unseen.
    """

    labels: list[str] | None
    files: dict[str, bytes] = field(default_factory=dict)
    without_pictures: list[str] = field(default_factory=list)


def label_pictures(source: Path, pictures: Pictures, classes: Any = None) -> Labelled:
    """Label pictures by the class table of their folder.

    Parameters
    ----------
    source : Path
        The folder; its `classes.csv` and `unseen.txt` are read if they exist.
    pictures : Pictures
        The pictures in it.
    classes : ClassTable or path-like, optional
        The class table, or its file (`read_class_table`), if it is not in the folder.
    """
    if classes is None and (source / CLASSES).is_file():
        classes = source / CLASSES
    listed = (source / UNSEEN).is_file()
    contents = {UNSEEN: _read(source / UNSEEN)} if listed else {}
    if classes is None:
        return Labelled(pictures.labels, contents)
    table = as_class_table(classes)
    contents[CLASSES] = _write_table(table)
    known = list(table)
    unseen = read_lines(source / UNSEEN) if listed else []
    unseen_labels = set(match_labels(unseen, known, str(source / UNSEEN)).values())
    if pictures.labels is None:
        return Labelled(None, contents)
    meant = match_labels(pictures.labels, known, f"the folder {pictures.root}")
    have = set(meant.values()) | unseen_labels
    return Labelled(
        [str(meant[label]) for label in pictures.labels], contents, [str(label) for label in known if label not in have]
    )


def _write_table(table: ClassTable) -> bytes:
    text = io.StringIO(newline="")
    table.to_csv(text)
    return text.getvalue().encode()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): make it readable, or give another file") from error
