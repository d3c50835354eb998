"""The class table that a command is given: read as people keep it, and what was understood is said."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unseen.cli.errors import say
from unseen.utils.errors import InputError, shorten

if TYPE_CHECKING:
    from unseen.data import ClassTable


def read_classes(
    path: Path | None,
    *,
    label_column: str | None,
    delimiter: str | None,
    sheet: str | None,
    fill: Literal["mean", "zero"] | None,
) -> "ClassTable | Path | None":
    """Return the table in a file; a list of names, or a path that is not a file, stays for the workflow to read."""
    from unseen.data import read_class_table

    given = {"--label-column": label_column, "--delimiter": delimiter, "--sheet": sheet, "--fill": fill}
    options = [name for name, value in given.items() if value is not None]
    if path is None or path.suffix.casefold() in (".txt", ".xml", ".json") or not path.is_file():
        if options:
            raise InputError(f"{shorten(options)} is for a class table: name one with --classes")
        return path
    # A shell writes no tab easily.
    mark = "\t" if delimiter in ("\\t", "tab") else delimiter
    found = read_class_table(path, label_column, delimiter=mark, sheet=sheet, fill=fill)
    if found.notes:
        say(f"{path}: {found.describe()}")
    return found.table
