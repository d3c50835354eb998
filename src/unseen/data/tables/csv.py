"""Read and write class tables as CSV files, with one line per class."""

import csv
import math
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from unseen.data.columns import look_like_data
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean
from unseen.utils.storage.csv_cells import unguard, write_rows

INTEGER = re.compile(r"-?[1-9][0-9]*|0")

# NumPy has no type for larger integers, so they stay text.
INTEGER_LIMIT = 2**63


def read_csv(
    path: str | os.PathLike[str], label: str | None, delimiter: str, text_labels: bool
) -> tuple[NDArray[np.float64], list[str] | list[int], tuple[str, ...] | None]:
    """Read the vectors, the labels and the attribute names of a class table from a file."""
    lines = read_csv_lines(Path(path), delimiter)
    _, header = next(lines, (0, []))
    if not header:
        raise InputError(f"{path} is empty: write a header line and one line per class")
    label_at = _find_label_column(header, label, path)
    attributes = check_attribute_names([name for at, name in enumerate(header) if at != label_at], path)
    vectors, line_of = [], dict[str, int]()
    for line, cells in lines:
        where = f"{path}, line {line}"
        if len(cells) != len(header):
            raise InputError(
                f"{where} has {len(cells)} cells, but the header has {len(header)}: give each line the same number"
            )
        vectors.append([_read_number(cell, where, at, header[at]) for at, cell in enumerate(cells) if at != label_at])
        note_label(cells[label_at], line, line_of, where)
    if not vectors:
        raise InputError(f"{path} has a header but no classes: write one line per class below it")
    return np.array(vectors), convert_labels(list(line_of), text_labels), attributes


def write_csv(
    path: str | os.PathLike[str] | TextIO,
    vectors: NDArray[np.floating],
    labels: NDArray[Any],
    attributes: tuple[str, ...] | None,
) -> None:
    """Write a class table with all digits, so that `read_csv` reads the same table."""
    names = attributes or ("",) * vectors.shape[1]
    if attributes:
        _refuse_numbers_for_names(names, "attributes")
    unreadable = [label for label in labels.tolist() if label == "" or labels.dtype.kind not in "Uiu"]
    if unreadable:
        raise InputError(f"labels that a CSV file cannot hold: {shorten(unreadable)}; use text or integers")
    with ExitStack() as opened:
        file = (
            opened.enter_context(open(path, "w", encoding="utf-8", newline=""))
            if isinstance(path, str | os.PathLike)
            else path
        )
        rows = ([label, *vector] for label, vector in zip(labels.tolist(), vectors.tolist(), strict=True))
        write_rows(file, chain([["label", *names]], rows), end="\r\n")


def open_text(path: Path) -> TextIO:
    """Open a text file in UTF-8 as `csv` wants it, or say why it cannot be opened."""
    try:
        return open(path, encoding="utf-8-sig", newline="")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): give the path of a CSV file") from error


def make_csv_reader(file: TextIO, delimiter: str) -> Any:
    """Return a reader of cells that are separated by a delimiter."""
    try:
        return csv.reader(file, delimiter=delimiter)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"delimiter={delimiter!r} is not a single character that can separate cells: give one such as ',' or ';'"
        ) from error


def read_csv_lines(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not blank."""
    # Spreadsheets put a byte order mark first, which "utf-8-sig" skips.
    with open_text(path) as file:
        reader = make_csv_reader(file, delimiter)
        try:
            for cells in reader:
                if cells:
                    yield reader.line_num, list(map(unguard, cells))
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not UTF-8 text ({error.reason}): save it as UTF-8") from error
        except csv.Error as error:
            raise InputError(f"{path}, line {reader.line_num} is not CSV ({error}): correct this line") from error


def _find_label_column(header: list[str], label: str | None, path: str | os.PathLike[str]) -> int:
    if len(header) < 2:
        raise InputError(
            f"{path} has the single column {header[0]!r}: it needs a label column and at least one attribute; "
            "if its cells are not separated by commas, name the delimiter"
        )
    if label is None:
        return 0
    if header.count(label) != 1:
        raise InputError(
            f"label={label!r} names {header.count(label)} columns of {path}{did_you_mean([label], header)}: "
            f"name one of {shorten(header)}"
        )
    return header.index(label)


def check_attribute_names(names: list[str], path: str | os.PathLike[str]) -> tuple[str, ...] | None:
    """Check the header; return None if all names are empty."""
    if not any(names):
        return None
    where = f"{path}, line 1 (the header)"
    if not all(names):
        raise InputError(f"{where} leaves attribute {names.index('') + 1} without a name: name all of them or none")
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise InputError(
            f"{where} repeats the column {shorten(repeated)}: name each column once; if the file has no header, add one"
        )
    _refuse_numbers_for_names(names, where)
    return tuple(names)


def _refuse_numbers_for_names(names: Sequence[str], where: str) -> None:
    """Refuse names like 0.25: the first class of a file without a header would be read as the header."""
    if look_like_data(names):
        raise InputError(f"{where} holds only numbers ({shorten(names)}): name the attributes in a header line")


def _parse(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _read_number(cell: str, where: str, at: int, name: str) -> float:
    column = f"{where}, column {name!r}" if name else f"{where}, column {at + 1}"
    if not cell.strip():
        raise InputError(f"{column}: the cell is empty; write a number")
    value = _parse(cell)
    if value is None:
        raise InputError(
            f"{column}: {cell!r} is not a number; write a number, or name the label column if this is meant to be it"
        )
    if not math.isfinite(value):
        raise InputError(f"{column}: {cell!r} is not finite; write a finite number")
    return value


def note_label(label: str, line: int, line_of: dict[str, int], where: str) -> None:
    """Store the line of a label; refuse an empty or repeated label."""
    if not label:
        raise InputError(f"{where}: the label is empty; name the class")
    if label in line_of:
        raise InputError(f"{where}: label {label!r} is already on line {line_of[label]}; keep one of the two")
    line_of[label] = line


def convert_labels(labels: list[str], text_labels: bool) -> list[str] | list[int]:
    """Convert labels to integers if every label is written as a plain integer."""
    if text_labels or not all(INTEGER.fullmatch(label) and abs(int(label)) < INTEGER_LIMIT for label in labels):
        return labels
    return [int(label) for label in labels]
