"""The front door to class descriptions in a file: reads what people keep, and says what was understood."""

import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unseen.data.class_files.columns import (
    Column,
    Fill,
    check_decimal_mark,
    convert,
    refuse_mixture,
    tell_kind,
    understand,
)
from unseen.data.class_files.grid import Grid, read_grid
from unseen.data.class_table import ClassTable
from unseen.data.tables.csv import check_attribute_names, convert_labels, note_label
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import check_choice, did_you_mean

_ID_NAME = re.compile(r"|#|no\.?|nr\.?|number|index|(.*[ _])?id", re.IGNORECASE)
_INTEGER = re.compile(r"[0-9]+")


class ClassTableWarning(UserWarning):
    """A file of class descriptions was read, but not all of it, or not as it is written."""


@dataclass(frozen=True, eq=False)
class ReadClasses:
    """A class table and what had to be understood to read it.

    Attributes
    ----------
    table : ClassTable
    form : tuple of str
        How it was written, such as "decimal commas"; empty for a plain table.
    changes : tuple of str
        What was left out, converted or filled, such as "'notes' left out, for it holds words".
    """

    table: ClassTable
    form: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """All that had to be understood."""
        return self.form + self.changes

    def describe(self) -> str:
        """Return what was read in one sentence."""
        counts = f"{len(self.table)} classes, {self.table.width} attributes"
        return "; ".join([counts, *self.notes]) + "."


def read_class_table(
    path: str | os.PathLike[str],
    label: str | None = None,
    *,
    delimiter: str | None = None,
    sheet: str | None = None,
    fill: Fill | None = None,
    text_labels: bool = False,
) -> ReadClasses:
    """Read class descriptions from a spreadsheet as people keep it.

    Text in UTF-8, UTF-16 or Western European, separated by commas, semicolons, tabs or bars; Excel (.xlsx); Parquet.
    Numbers may have decimal commas or be per cent, or yes and no. Whatever could mean two things is refused.

    Parameters
    ----------
    path : path-like
        One row per class below a header: a cell for the label, the others for the description. Titles above the
        header, a column of ids before the label and columns of words are left out, which the notes tell.
    label : str, optional
        The column of labels; by default the first, or the second where the first is one of ids.
    delimiter : str, optional
        What separates the cells of text, where that is not plain to see.
    sheet : str, optional
        The sheet of an Excel file that has several.
    fill : "mean" or "zero", optional
        What to put in empty cells: the mean of the column, or 0. By default they are refused.
    text_labels : bool, default=False
        Whether labels stay text that are all written as integers.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "animals.csv")
    ...     lines = ["name;size;striped;notes", "zebra;2,5;yes;lives in herds", "lion;1,5;no;sleeps"]
    ...     _ = path.write_text(chr(10).join(lines))
    ...     found = read_class_table(path)
    >>> found.table.vectors
    array([[2.5, 1. ],
           [1.5, 0. ]])
    >>> found.form
    ("separated by ';'", 'decimal commas')
    >>> found.changes
    ("'striped' read as 1 for yes and 0 for no", "'notes' left out, for it holds words")
    """
    place = Path(path)
    if fill is not None:
        check_choice(fill, ("mean", "zero"), "fill")
    grid = read_grid(place, delimiter, sheet)
    header, columns = _read_columns(grid, place)
    label_at, left_out = _find_label(header, columns, label, place)
    names = [at for at in range(len(columns)) if at not in (label_at, left_out)]
    words = [at for at in names if columns[at].kind == "words"]
    used = [at for at in names if at not in words]
    if not used:
        raise InputError(
            f"{path} has no column of numbers beside the labels {header[label_at]!r}: give it one per attribute, or "
            "name the delimiter if its cells are separated otherwise"
        )
    line_of = dict[str, int]()
    for cell, line, where in zip(columns[label_at].cells, grid.lines[1:], columns[label_at].where, strict=True):
        note_label(cell, line, line_of, where)
    for at in used:
        refuse_mixture(columns[at])
    attributes = check_attribute_names([header[at] for at in used], path)
    commas = check_decimal_mark([columns[at] for at in used], path)
    vectors = np.column_stack([convert(columns[at], fill) for at in used])
    changes = [*grid.titles, *_list_conversions([columns[at] for at in used], fill)]
    if left_out is not None:
        changes.append(f"{header[left_out]!r} left out, for it holds ids")
    if words:
        changes.append(f"{shorten([header[at] for at in words])} left out, for it holds words")
    table = ClassTable(vectors, convert_labels(list(line_of), text_labels), attributes)
    return ReadClasses(table, (*grid.form, *(["decimal commas"] if commas else [])), tuple(changes))


def read_and_warn(path: str | os.PathLike[str]) -> ClassTable:
    """Read a class table as `read_class_table` does; a warning tells what was left out, converted or filled."""
    found = read_class_table(path)
    if found.changes:
        warnings.warn(f"{os.fspath(path)}: {found.describe()}", ClassTableWarning, stacklevel=2)
    return found.table


def _read_columns(grid: Grid, path: Path) -> tuple[list[str], list[Column]]:
    if len(grid.rows) < 2:
        what = "is empty" if not grid.rows else "has a header but no classes"
        raise InputError(f"{path} {what}: write a header line and one line per class below it")
    header = [cell.strip() for cell in grid.rows[0]]
    where = [f"{path}, line {line}" for line in grid.lines[1:]]
    for row, place in zip(grid.rows[1:], where, strict=True):
        if len(row) != len(header):
            raise InputError(
                f"{place} has {len(row)} cells, but the header has {len(header)}: give each line as many, and name the "
                "delimiter if it is another"
            )
    return header, [understand(name, [row[at] for row in grid.rows[1:]], where) for at, name in enumerate(header)]


def _find_label(
    header: Sequence[str], columns: Sequence[Column], label: str | None, path: Path
) -> tuple[int, int | None]:
    """Return the column of labels, and that of ids before it, if there is one."""
    if label is not None:
        if header.count(label) != 1:
            raise InputError(
                f"label={label!r} names {header.count(label)} columns of {path}{did_you_mean([label], header)}: name "
                f"one of {shorten(header)}"
            )
        return header.index(label), None
    first = columns[0]
    if first.kind != "numbers" or len(columns) < 2 or columns[1].kind != "words":
        return 0, None
    counts = all(map(_INTEGER.fullmatch, first.cells)) and len(set(first.cells)) == len(first.cells)
    distinct = len(set(columns[1].cells)) == len(columns[1].cells) and all(columns[1].cells)
    if counts and distinct and _ID_NAME.fullmatch(header[0]):
        return 1, 0
    raise InputError(
        f"{path} may have its labels in the column {header[0]!r} or {header[1]!r}: name it with label= "
        "(--label-column on the command line)"
    )


def _list_conversions(columns: Sequence[Column], fill: Fill | None) -> list[str]:
    notes = []
    for kind, meaning in (("yes/no", "1 for yes and 0 for no"), ("per cent", "fractions, for they are per cent")):
        names = [column.name for column in columns if column.kind == kind]
        if names:
            notes.append(f"{shorten(names)} read as {meaning}")
    empty = sum(tell_kind(cell) == "empty" for column in columns for cell in column.cells)
    if empty:
        notes.append(f"{empty} empty cells filled with {'the mean of their column' if fill == 'mean' else '0'}")
    return notes
