"""Read columns of CSV and Parquet files by position."""

import csv
import re
import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unseen.data.tables.csv import make_csv_reader, open_text
from unseen.utils.arrays import BLOCK_BYTES
from unseen.utils.errors import InputError, shorten
from unseen.utils.optional import suggest_install
from unseen.utils.storage.spooling import MOST_IN_MEMORY, spool_rows

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
    if not is_parquet(path):
        return _CsvFile(path, delimiter)
    large = path.stat().st_size > MOST_IN_MEMORY and find_spec("pyarrow") is not None
    return _LargeParquetFile(path) if large else _ParquetFile(path)


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
        if self._path.stat().st_size <= MOST_IN_MEMORY:
            return self._read_cells(places, np.float64)
        return spool_rows(self._read_blocks(places), str(self._path))

    def read_values(self, place: int) -> list[Any]:
        return self._read_cells([place], np.str_).ravel().tolist()

    def _read_blocks(self, places: Sequence[int]) -> Iterator[NDArray[Any]]:
        """Yield the numbers of one block of rows after the other."""
        size, n_rows = max(1, BLOCK_BYTES // (8 * len(places))), 0
        with open_text(self._path) as file:
            while True:
                try:
                    cells = self._parse(file, places, np.float64, size, skip=not n_rows)
                except ValueError as error:
                    # As if all rows had been read at once.
                    raise self._refuse(_count_rows_on(str(error), n_rows)) from error
                n_rows += len(cells)
                if len(cells) or not n_rows:
                    yield self._check_any(cells)
                if len(cells) < size:
                    return

    def _read_cells(self, places: Sequence[int], kind: type, rows: int | None = None) -> NDArray[Any]:
        try:
            cells = self._parse(self._path, places, kind, rows, skip=True)
        except ValueError as error:
            raise self._refuse(str(error)) from error
        return self._check_any(cells)

    def _parse(self, source: Any, places: Sequence[int], kind: type, rows: int | None, *, skip: bool) -> NDArray[Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about missing rows, which are reported by `_check_any`
            cells: NDArray[Any] = np.loadtxt(
                source,
                dtype=kind,
                delimiter=self._delimiter,
                usecols=places,
                skiprows=int(skip),
                ndmin=2,
                comments=None,
                quotechar='"',
                encoding="utf-8-sig",
                max_rows=rows,
            )
        return cells

    def _refuse(self, told: str) -> InputError:
        return InputError(f"{self._path} cannot be read as a table of numbers below its header ({told})")

    def _check_any(self, cells: NDArray[Any]) -> NDArray[Any]:
        if not len(cells):
            raise InputError(f"{self._path} has a header but no rows: write one row per example below it")
        return cells


def _count_rows_on(told: str, n_rows: int) -> str:
    """Return a message in which the rows before a block count too.

    >>> _count_rows_on("could not convert 'x' at row 3, column 2", 100)
    "could not convert 'x' at row 103, column 2"
    """
    return re.sub(r"at row (\d+)", lambda found: f"at row {int(found[1]) + n_rows}", told)


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
        refuse_texts(self, self._path, places)
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


class _LargeParquetFile:
    """A Parquet file whose columns are read one block of rows after the other."""

    from_text = False

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, self._open(path)
        self.columns: list[str] = list(self._file.schema_arrow.names)

    @staticmethod
    def _open(path: Path) -> Any:
        try:
            return import_module("pyarrow.parquet").ParquetFile(path)
        except Exception as error:  # PyArrow has exceptions of its own
            raise InputError(f"{path} is truncated or damaged ({error}): make or fetch it again") from error

    def is_text(self, place: int) -> bool:
        types, kind = import_module("pyarrow.types"), self._file.schema_arrow.types[place]
        return not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))

    def read_numbers(self, places: Sequence[int]) -> NDArray[Any]:
        refuse_texts(self, self._path, places)
        return spool_rows((np.column_stack(columns) for columns in self._read_blocks(places)), str(self._path))

    def read_values(self, place: int) -> list[Any]:
        return [value for (column,) in self._read_blocks([place]) for value in column.tolist()]

    def _read_blocks(self, places: Sequence[int]) -> Iterator[list[NDArray[Any]]]:
        names = [self.columns[place] for place in places]
        rows = max(1, BLOCK_BYTES // (8 * len(places)))
        try:
            for batch in self._file.iter_batches(batch_size=rows, columns=names):
                columns = [batch.column(name) for name in names]
                if any(column.null_count for column in columns):
                    raise InputError(f"{self._path} has empty cells: fill them or drop these rows")
                yield [column.to_numpy(zero_copy_only=False) for column in columns]
        except OSError as error:
            raise InputError(f"{self._path} is truncated or damaged ({error}): make or fetch it again") from error


def refuse_texts(table: TableFile, path: Path, places: Sequence[int]) -> None:
    """Refuse columns of text among those of features."""
    texts = [table.columns[place] for place in places if table.is_text(place)]
    if texts:
        raise InputError(
            f"{path} has columns that are not numbers: {shorten(texts)}; name the column of labels with "
            "label= and those of features with features="
        )


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
