"""Features without labels, to be recognised: an array file or a table, one row per example."""

import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.formats.feature_table import is_parquet, parquet_frame, table_cells, table_header
from unseen.utils.errors import InputError, shortened
from unseen.utils.registry import did_you_mean
from unseen.utils.validation import first_not_finite, real_matrix

_NPY, _ZIP = b"\x93NUMPY", b"PK"


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Rows of features and what to call each of them: its name in the file, or its number from 0."""

    X: NDArray[Any]
    names: Sequence[Any]


def read_feature_rows(path: Path, features: str | None = None) -> FeatureRows:
    """Read features from a `.npy`, `.npz`, CSV or Parquet file.

    Parameters
    ----------
    path : Path
        The file. A table has a header; where its first column holds text, that names the rows.
    features : str, optional
        The array of an `.npz` file, by default ``X`` or the only one.
    """
    if not path.is_file():
        raise InputError(f"{path} is no file: give features as .npy, .npz, .csv or .parquet")
    with open(path, "rb") as file:
        beginning = file.read(8)
    if beginning.startswith((_NPY, _ZIP)):
        rows = _numbered(_from_numpy(path, features))
    elif is_parquet(path):
        rows = _from_parquet(path)
    else:
        rows = _from_csv(path)
    return _checked(rows, path)


def _numbered(X: NDArray[Any]) -> FeatureRows:
    return FeatureRows(X, range(len(X)))


def _checked(rows: FeatureRows, path: Path) -> FeatureRows:
    X = real_matrix(rows.X, str(path))
    place = first_not_finite(X)
    if place is not None:
        raise InputError(
            f"{path} has {X[place]} in row {rows.names[place[0]]!r}, column {place[1]}: fill it or drop the row"
        )
    return FeatureRows(X, rows.names)


def _from_numpy(path: Path, features: str | None) -> NDArray[Any]:
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
        if isinstance(found, np.ndarray):
            return found
        with found:
            return np.asarray(found[_chosen(found.files, features, path)])
    except InputError:
        raise
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(
            f"{path} is truncated, damaged or pickled ({error}): save a plain array of numbers with np.save"
        ) from error


def _chosen(arrays: list[str], features: str | None, path: Path) -> str:
    name = features or ("X" if "X" in arrays or len(arrays) != 1 else arrays[0])
    if name not in arrays:
        raise InputError(f"{path} has no array {name!r}{did_you_mean([name], arrays)}: name one of {shortened(arrays)}")
    return name


def _from_csv(path: Path) -> FeatureRows:
    columns = table_header(path, ",")
    if not columns:
        raise InputError(f"{path} is empty: write a header line and one line per example")
    first = table_cells(path, ",", [0], np.str_).ravel()
    numbers = list(range(len(columns)))
    if _is_number(first[0]):
        return _numbered(table_cells(path, ",", numbers, np.float64))
    if len(columns) < 2:
        raise InputError(f"{path} has text only ({first[0]!r}): give it columns of numbers")
    return FeatureRows(table_cells(path, ",", numbers[1:], np.float64), first.tolist())


def _from_parquet(path: Path) -> FeatureRows:
    frame = parquet_frame(path)
    columns = [frame.get_column(name) for name in frame.columns]
    first, others = columns[0], columns
    if not first.dtype.is_numeric():
        others = columns[1:]
    texts = [column.name for column in others if not (column.dtype.is_numeric() or str(column.dtype) == "Boolean")]
    if texts or not others:
        raise InputError(
            f"{path} has columns that are no numbers: {shortened(texts)}; only the first may name the rows"
        )
    if any(column.null_count() for column in columns):
        raise InputError(f"{path} has empty cells: fill them or drop these rows")
    X = np.column_stack([column.to_numpy() for column in others])
    return _numbered(X) if len(others) == len(columns) else FeatureRows(X, first.to_list())


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return not cell.strip()  # an empty cell is a missing number, not a name
    return True
