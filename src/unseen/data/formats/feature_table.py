"""Features in a CSV or Parquet table: one row per example, one column of labels, the others numbers."""

import csv
import os
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_table import ClassTable
from unseen.data.formats.contents import Contents
from unseen.data.tables.names import label_mapping
from unseen.utils.errors import InputError, shortened
from unseen.utils.registry import did_you_mean

PARQUET = b"PAR1"
_FRAMES = ("polars", "pyarrow.parquet", "pandas")


def read_table(
    path: Path,
    features: Sequence[str] | None = None,
    *,
    classes: Any = None,
    label: str | None = None,
    delimiter: str = ",",
) -> Contents:
    """Read a dataset from a table of features and a class table.

    Parameters
    ----------
    path : Path
        A CSV file in UTF-8 with a header line, or a Parquet file.
    features : sequence of str, optional
        The columns of features, by default all but `label`.
    classes : ClassTable, path-like, mapping or data frame
        The description of each class; a path is that of a CSV file.
    label : str, optional
        The column of labels, by default the first. A label is matched with the class table by name, in any spelling.
    delimiter : str, default=","
        What separates the cells of a CSV file.
    """
    if classes is None:
        raise InputError(f"{path} is a table of features: pass classes=, the class table or the path of its CSV file")
    table = as_class_table(classes)
    X, names = read_columns(path, features, label, delimiter)
    return Contents(X, as_labels(names, table, f"{path}: labels"), table, path.stem, str(path))


def as_class_table(classes: Any) -> ClassTable:
    """Make a class table of whatever describes classes."""
    if isinstance(classes, ClassTable):
        return classes
    if isinstance(classes, str | os.PathLike):
        if not Path(classes).is_file():
            raise InputError(f"classes={os.fspath(classes)!r} is no file: pass a ClassTable or the path of a CSV file")
        return ClassTable.from_csv(classes)
    return ClassTable.from_mapping(classes) if isinstance(classes, Mapping) else ClassTable.from_frame(classes)


def as_labels(names: Sequence[Any], table: ClassTable, what: str) -> NDArray[Any]:
    """Write the class of each row as the class table does."""
    mapping = label_mapping(names, list(table), what)
    positions = table.index_of([mapping[name] for name in names])
    return table.labels[positions]


def read_columns(
    path: Path, features: Sequence[str] | None, label: str | None, delimiter: str = ","
) -> tuple[NDArray[Any], list[Any]]:
    """Read the matrix of features and the list of labels of a table."""
    if is_parquet(path):
        return _from_parquet(path, features, label)
    return _from_csv(path, features, label, delimiter)


def is_parquet(path: Path) -> bool:
    """Tell whether the file begins like a Parquet file."""
    with open(path, "rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def _chosen(columns: list[str], features: Sequence[str] | None, label: str | None, path: Path) -> tuple[str, list[str]]:
    """Name the column of labels and those of features."""
    if isinstance(features, str):
        raise InputError(f"features={features!r} is a single text: pass a list of columns of {path}")
    if len(set(columns)) < len(columns) or len(columns) < 2:
        raise InputError(
            f"{path} has the columns {shortened(columns)}: it needs a column of labels and at least one of features, "
            "each with its own name; if its cells are not separated by commas, name the delimiter"
        )
    unknown = [name for name in [label, *(features or [])] if name is not None and name not in columns]
    if unknown:
        raise InputError(
            f"{path} has no column {shortened(unknown)}{did_you_mean(unknown, columns)}: name some of "
            f"{shortened(columns)}"
        )
    of_labels = columns[0] if label is None else label
    return of_labels, [name for name in features or columns if name != of_labels]


def _from_csv(
    path: Path, features: Sequence[str] | None, label: str | None, delimiter: str
) -> tuple[NDArray[Any], list[Any]]:
    columns = table_header(path, delimiter)
    of_labels, wanted = _chosen(columns, features, label, path)
    X = table_cells(path, delimiter, [columns.index(name) for name in wanted], np.float64)
    labels = table_cells(path, delimiter, [columns.index(of_labels)], np.str_)
    return X, labels.ravel().tolist()


def table_header(path: Path, delimiter: str) -> list[str]:
    """Read the names of the columns of a CSV file."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        try:
            return next(csv.reader(file, delimiter=delimiter), [])
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not UTF-8 text ({error.reason}): save it as UTF-8") from error


def table_cells(path: Path, delimiter: str, columns: list[int], kind: type) -> NDArray[Any]:
    """Read some columns below the header."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of no rows, which the sentence below tells
            cells: NDArray[Any] = np.loadtxt(
                path,
                dtype=kind,
                delimiter=delimiter,
                usecols=columns,
                skiprows=1,
                ndmin=2,
                comments=None,
                quotechar='"',
                encoding="utf-8-sig",
            )
    except ValueError as error:
        raise InputError(f"{path} cannot be read as a table of numbers below its header ({error})") from error
    if not len(cells):
        raise InputError(f"{path} has a header but no rows: write one row per example below it")
    return cells


def _from_parquet(path: Path, features: Sequence[str] | None, label: str | None) -> tuple[NDArray[Any], list[Any]]:
    frame = parquet_frame(path)
    of_labels, wanted = _chosen(list(frame.columns), features, label, path)
    columns = [frame.get_column(name) for name in wanted]
    texts = [column.name for column in columns if not (column.dtype.is_numeric() or str(column.dtype) == "Boolean")]
    if texts:
        raise InputError(
            f"{path} has columns that are no numbers: {shortened(texts)}; name the column of labels with label= and "
            "those of features with features="
        )
    if any(column.null_count() for column in [*columns, frame.get_column(of_labels)]):
        raise InputError(f"{path} has empty cells: fill them or drop these rows")
    return np.column_stack([column.to_numpy() for column in columns]), frame.get_column(of_labels).to_list()


def parquet_frame(path: Path) -> Any:
    """Read a Parquet file with whichever library is there."""
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
    raise InputError(f"reading {path} needs pyarrow, polars or pandas: pip install 'unseen[parquet]'")
