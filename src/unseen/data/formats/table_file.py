"""Read columns of CSV and Parquet files by position."""

import csv
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unseen.data.tables.csv import make_csv_reader, open_text
from unseen.utils.errors import InputError, shorten
from unseen.utils.optional import suggest_install

PARQUET = b"PAR1"
_FRAMES = ("polars", "pyarrow.parquet", "pandas")


class TableFile(Protocol):
    """Interface for reading a table of features.

    Attributes
    ----------
    columns : list of str
        The names of the columns.
    from_text : bool
        Whether the names are just the first line of a text, so that they may be data by mistake.
    """

    columns: list[str]
    from_text: bool

    def is_text(self, place: int) -> bool:
        """Tell whether a column holds text."""

    def read_numbers(self, places: Sequence[int]) -> NDArray[Any]:
        """Read columns as a matrix with one row per example."""

    def read_values(self, place: int) -> list[Any]:
        """Read one column of names or labels without conversion."""


def open_table(path: Path, delimiter: str = ",") -> TableFile:
    """Open a CSV file in UTF-8 with a header line, or a Parquet file."""
    return _ParquetFile(path) if is_parquet(path) else _CsvFile(path, delimiter)


def is_parquet(path: Path) -> bool:
    """Tell whether the file begins like a Parquet file."""
    with open(path, "rb") as file:
        return file.read(len(PARQUET)) == PARQUET


class _CsvFile:
    from_text = True

    def __init__(self, path: Path, delimiter: str) -> None:
        self._path, self._delimiter = path, delimiter
        with open_text(path) as file:
            try:
                self.columns: list[str] = next(make_csv_reader(file, delimiter), [])
            except UnicodeDecodeError as error:
                raise InputError(f"{path} is not UTF-8 text ({error.reason}): save it as UTF-8") from error
            except csv.Error as error:
                raise InputError(f"{path}, line 1 is not CSV ({error}): correct this line") from error

    def is_text(self, place: int) -> bool:
        cell = str(self._read_cells([place], np.str_, 1)[0, 0])
        try:
            float(cell)
        except ValueError:
            return bool(cell.strip())  # an empty cell is a missing number, not a name
        return False

    def read_numbers(self, places: Sequence[int]) -> NDArray[Any]:
        return self._read_cells(places, np.float64)

    def read_values(self, place: int) -> list[Any]:
        return self._read_cells([place], np.str_).ravel().tolist()

    def _read_cells(self, places: Sequence[int], kind: type, rows: int | None = None) -> NDArray[Any]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # about missing rows, which are reported below
                cells: NDArray[Any] = np.loadtxt(
                    self._path,
                    dtype=kind,
                    delimiter=self._delimiter,
                    usecols=places,
                    skiprows=1,
                    ndmin=2,
                    comments=None,
                    quotechar='"',
                    encoding="utf-8-sig",
                    max_rows=rows,
                )
        except ValueError as error:
            raise InputError(f"{self._path} cannot be read as a table of numbers below its header ({error})") from error
        if not len(cells):
            raise InputError(f"{self._path} has a header but no rows: write one row per example below it")
        return cells


class _ParquetFile:
    from_text = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._frame = read_frame(path)
        self.columns = list(self._frame.columns)

    def is_text(self, place: int) -> bool:
        kind = self._get_column(place).dtype
        return not (kind.is_numeric() or str(kind) == "Boolean")

    def read_numbers(self, places: Sequence[int]) -> NDArray[Any]:
        texts = [self.columns[place] for place in places if self.is_text(place)]
        if texts:
            raise InputError(
                f"{self._path} has columns that are not numbers: {shorten(texts)}; name the column of labels with "
                "label= and those of features with features="
            )
        return np.column_stack([self._get_filled(place).to_numpy() for place in places])

    def read_values(self, place: int) -> list[Any]:
        return list(self._get_filled(place).to_list())

    def _get_column(self, place: int) -> Any:
        return self._frame.get_column(self.columns[place])

    def _get_filled(self, place: int) -> Any:
        column = self._get_column(place)
        if column.null_count():
            raise InputError(f"{self._path} has empty cells: fill them or drop these rows")
        return column


def read_frame(path: Path) -> Any:
    """Read a Parquet file with the first library that is installed."""
    import narwhals as nw

    for name in _FRAMES:
        try:
            library = import_module(name)
        except ImportError:
            continue
        try:
            frame = library.read_table(path) if name == "pyarrow.parquet" else library.read_parquet(path)
        except Exception as error:  # each library has its own exceptions
            raise InputError(f"{path} is truncated or damaged ({error}): make or fetch it again") from error
        return nw.from_native(frame, eager_only=True)
    raise InputError(f"reading {path} needs pyarrow, polars or pandas: {suggest_install('parquet')}")
