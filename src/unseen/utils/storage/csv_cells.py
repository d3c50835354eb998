"""Write CSV so that no spreadsheet runs a cell as a formula: an apostrophe stands before it, and is not read back."""

import csv
import re
from collections.abc import Iterable
from typing import IO, Any

# What Excel, LibreOffice and Google Sheets take for the beginning of a formula (OWASP, "CSV Injection").
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def write_rows(file: IO[str], rows: Iterable[Iterable[Any]], end: str = "\n") -> None:
    """Write rows of cells as CSV, guarded; None is an empty cell."""
    csv.writer(_Lines(file, end)).writerows([guard(cell) for cell in row] for row in rows)


class _Lines:
    """Takes lines as the csv module ends them by default, for otherwise it leaves a carriage return unquoted."""

    def __init__(self, file: IO[str], end: str) -> None:
        self._file, self._end = file, end

    def write(self, line: str) -> int:
        return self._file.write(line.removesuffix("\r\n") + self._end)


def guard(cell: Any) -> Any:
    """Return a cell so that no spreadsheet runs it: text that begins like a formula gets an apostrophe before it.

    Numbers stay as they are. `unguard` gives the text back.

    >>> guard("=1+1"), guard("-0.5"), guard(-0.5), guard("zebra")
    ("'=1+1", '-0.5', -0.5, 'zebra')
    """
    if not isinstance(cell, str) or not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    # One that has an apostrophe already gets another, so that reading back takes off just one.
    return f"'{cell}"


def unguard(text: str) -> str:
    """Return the text that `guard` was given.

    >>> unguard(guard("=1+1")), unguard(guard("'=1+1")), unguard("'tis")
    ('=1+1', "'=1+1", "'tis")
    """
    return text[1:] if _GUARDED.match(text) else text
