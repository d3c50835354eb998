"""Read the labels, class table and unseen classes of a folder of pictures."""

from dataclasses import dataclass, field
from pathlib import Path

from unseen.data.class_table import ClassTable
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
        Name and content of `classes.csv` and `unseen.txt`, if they exist.
    without_pictures : list of str
        Classes of the table that have no picture and are not listed as unseen.
    """

    labels: list[str] | None
    files: dict[str, bytes] = field(default_factory=dict)
    without_pictures: list[str] = field(default_factory=list)


def label_pictures(source: Path, pictures: Pictures, classes: Path | None = None) -> Labelled:
    """Label pictures by the class table of their folder.

    Parameters
    ----------
    source : Path
        The folder; its `classes.csv` and `unseen.txt` are read if they exist.
    pictures : Pictures
        The pictures in it.
    classes : Path, optional
        The class table, if it is not in the folder.
    """
    if classes is not None and not classes.is_file():
        raise InputError(f"--classes {classes} is not a file: give a CSV file of class descriptions")
    table_file = classes or source / CLASSES
    files = {name: path for name, path in ((CLASSES, table_file), (UNSEEN, source / UNSEEN)) if path.is_file()}
    contents = {name: _read(path) for name, path in files.items()}
    if CLASSES not in files:
        return Labelled(pictures.labels, contents)
    table = ClassTable.from_csv(table_file)
    known = list(table)
    unseen = read_lines(files[UNSEEN]) if UNSEEN in files else []
    unseen_labels = set(match_labels(unseen, known, str(source / UNSEEN)).values())
    if pictures.labels is None:
        return Labelled(None, contents)
    meant = match_labels(pictures.labels, known, f"the folder {pictures.root}")
    have = set(meant.values()) | unseen_labels
    return Labelled(
        [str(meant[label]) for label in pictures.labels], contents, [str(label) for label in known if label not in have]
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): make it readable, or give another file") from error
