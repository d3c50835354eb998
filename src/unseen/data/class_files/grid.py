"""The cells of a table of class descriptions: from text in any encoding and with any delimiter, Excel or Parquet."""

import codecs
import csv
import io
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unseen.data.class_files.columns import tell_kind
from unseen.data.formats.table_file import is_parquet, read_frame
from unseen.utils.errors import InputError, shorten
from unseen.utils.optional import import_optional
from unseen.utils.storage.csv_cells import unguard

DELIMITERS = (",", ";", "\t", "|")
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(eq=False)
class Grid:
    """Rows of cells as text, with the number of each line, what form they were in, and the titles left out."""

    rows: list[list[str]]
    lines: list[int]
    form: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)


def read_grid(path: Path, delimiter: str | None, sheet: str | None) -> Grid:
    """Read the cells of a file, without empty rows and columns and without titles above the header."""
    start = _read_bytes(path)[:4]
    if start == _OLD_EXCEL:
        raise InputError(f"{path} is a workbook of old Excel (.xls): save it as .xlsx or CSV")
    if is_parquet(path):
        grid = _read_parquet(path)
    elif start.startswith(b"PK"):
        grid = _read_workbook(path, sheet)
    else:
        grid = _read_text(path, delimiter)
    if sheet is not None and not start.startswith(b"PK"):
        raise InputError(f"sheet={sheet!r} is for Excel files, but {path} is not one: leave it out")
    return _trim(grid)


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): make it readable, or give another file") from error


def _read_parquet(path: Path) -> Grid:
    frame = read_frame(path)
    columns = [frame.get_column(name).to_list() for name in frame.columns]
    rows = [list(frame.columns), *(list(map(_write, row)) for row in zip(*columns, strict=True))]
    return Grid(rows, list(range(1, len(rows) + 1)))


def _read_workbook(path: Path, sheet: str | None) -> Grid:
    openpyxl = import_optional("openpyxl", "spreadsheets", f"reading {path}")
    try:
        with open(path, "rb") as file:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            sheets = {name: list(book[name].iter_rows(values_only=True)) for name in book.sheetnames}
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} is not an Excel workbook, or damaged ({error}): save it again") from error
    filled = [name for name, rows in sheets.items() if any(cell is not None for row in rows for cell in row)]
    if sheet is None and len(filled) != 1:
        raise InputError(
            f"{path} has {len(filled)} sheets with cells ({shorten(filled)}): name one with sheet= (--sheet on the "
            "command line)"
        )
    if sheet is not None and sheet not in sheets:
        raise InputError(f"sheet={sheet!r} is not in {path}: name one of {shorten(sheets)}")
    rows = [list(map(_write, row)) for row in sheets[sheet or filled[0]]]
    return Grid(rows, list(range(1, len(rows) + 1)))


def _write(value: Any) -> str:
    """Write a cell of a spreadsheet as text; a number keeps all its digits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    return repr(value) if isinstance(value, float) else str(value)


def _read_text(path: Path, delimiter: str | None) -> Grid:
    text, form = _decode(path)
    parsed = {mark: _parse(path, text, mark) for mark in (DELIMITERS if delimiter is None else (delimiter,))}
    if delimiter is None:
        fitting = [mark for mark, grid in parsed.items() if _is_regular(grid)]
        if len(fitting) > 1:
            raise InputError(
                f"{path} could be separated by {shorten(fitting)}: name the one that it is with delimiter= "
                "(--delimiter on the command line)"
            )
        delimiter = fitting[0] if fitting else max(parsed, key=lambda mark: _count_alike(parsed[mark]))
        form += [f"separated by {delimiter!r}"] if delimiter != "," else []
    grid = parsed[delimiter]
    return Grid(grid.rows, grid.lines, form)


def _decode(path: Path) -> tuple[str, list[str]]:
    raw = _read_bytes(path)
    marked = next((encoding for mark, encoding in _MARKS.items() if raw.startswith(mark)), None)
    if marked is not None:
        return raw.decode(marked), ["read as UTF-16"] if marked == "utf-16" else []
    if b"\0" in raw:
        raise InputError(f"{path} is not text: give a CSV, Excel or Parquet file")
    try:
        return raw.decode("utf-8"), []
    except UnicodeDecodeError:
        pass
    try:
        return raw.decode("cp1252"), ["read as Western European text (Windows-1252), for it is not UTF-8"]
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is neither UTF-8 nor Western European text: save it as UTF-8") from error


def _parse(path: Path, text: str, delimiter: str) -> Grid:
    if len(delimiter) != 1:
        raise InputError(f"delimiter={delimiter!r} is not a single character: give one, such as ';'")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows, lines = [], []
    try:
        for cells in reader:
            rows.append([unguard(cell) for cell in cells])
            lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num} is not CSV ({error}): correct this line") from error
    return Grid(rows, lines)


def _is_regular(grid: Grid) -> bool:
    """Tell whether the rows below any titles have the same number of cells, two at least."""
    rows = [row for row in grid.rows if any(map(str.strip, row))]
    # A title, where it is plain to see that it is not a header that is separated otherwise.
    while len(rows) > 1 and len(rows[0]) == 1 < len(rows[1]) and not any(mark in rows[0][0] for mark in DELIMITERS):
        rows.pop(0)
    widths = {len(row) for row in rows}
    return len(widths) == 1 and max(widths) > 1


def _count_alike(grid: Grid) -> int:
    """Count the rows of the most common number of cells, two at least."""
    widths = Counter(len(row) for row in grid.rows if len(row) > 1)
    return max(widths.values(), default=0)


def _trim(grid: Grid) -> Grid:
    kept = [at for at, row in enumerate(grid.rows) if any(map(str.strip, row))]
    rows, lines = [grid.rows[at] for at in kept], [grid.lines[at] for at in kept]
    titles = []
    while len(rows) > 2 and _list_filled(rows[0])[1:] == [] and _is_header(rows[1]):
        title = next(cell for cell in rows.pop(0) if cell.strip())
        titles.append(f"line {lines.pop(0)} ({title.strip()!r}) above the header left out")
    used = {at for row in rows for at, cell in enumerate(row) if cell.strip()}
    return Grid([[cell for at, cell in enumerate(row) if at in used] for row in rows], lines, grid.form, titles)


def _is_header(row: list[str]) -> bool:
    """Tell whether a row is made of names; a second title has a single cell, and a class has values."""
    filled = _list_filled(row)
    return len(filled) < 2 or {tell_kind(cell) for cell in filled} == {"words"}


def _list_filled(row: list[str]) -> list[str]:
    return [cell.strip() for cell in row if cell.strip()]
