"""Read features from a CSV or Parquet table with one row per example and a column of labels or names."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from unseen.data.class_files import read_and_warn
from unseen.data.class_table import ClassTable
from unseen.data.columns import refuse_data_for_names
from unseen.data.formats.contents import Contents
from unseen.data.formats.table_file import TableFile, open_table
from unseen.data.rows import FeatureRows
from unseen.data.tables.names import match_labels
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean


class LabelledColumns(NamedTuple):
    """Features (n, d), the label of each row as it is written, and the name of each column, where it has one."""

    X: NDArray[Any]
    labels: list[Any]
    feature_names: tuple[str, ...] | None = None


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
        The columns of features, by default all except `label`.
    classes : ClassTable, path-like, mapping or data frame
        The description of each class; a path is that of a CSV, Excel or Parquet file (`read_class_table`).
    label : str, optional
        The column of labels, by default the first. Labels are matched with the class table in any spelling.
    delimiter : str, default=","
        The separator of the cells of a CSV file.
    """
    if classes is None:
        raise InputError(f"{path} is a table of features: pass classes=, the class table or the path of its CSV file")
    table = as_class_table(classes)
    X, names, feature_names = read_labelled_columns(path, features, label, delimiter)
    y = as_labels(names, table, f"{path}: labels")
    return Contents(X, y, table, path.stem, str(path), feature_names=feature_names)


def read_table_rows(
    path: Path,
    features: Sequence[str] | None = None,
    *,
    label: str | None = None,
    candidates: str | None = None,
    delimiter: str = ",",
) -> FeatureRows:
    """Read the features of a table; if its first column holds text, it names the rows.

    Parameters
    ----------
    path, features, delimiter
        As for `read_table`.
    label : str, optional
        A column of labels, which is left out.
    candidates : str, optional
        A column that names the candidates of each row, with ";" or "|" between them.
    """
    table = open_table(path, delimiter)
    _refuse_unknown(path, table.columns, features, label)
    _refuse_unknown(path, table.columns, None, candidates)
    places = [at for at, column in enumerate(table.columns) if column not in (label, candidates)]
    if not places:
        raise InputError(f"{path} has no column of features: write a header line and one line per example")
    named = places[0] == 0 and table.is_text(0)
    wanted = places[1:] if named else places
    if features is not None:
        wanted = [table.columns.index(column) for column in features]
    if not wanted:
        raise InputError(f"{path} has text only, in the column {table.columns[0]!r}: give it columns of numbers")
    feature_names = _name_features(path, table, wanted)
    X = table.read_numbers(wanted)
    own = None if candidates is None else table.read_values(table.columns.index(candidates))
    names = table.read_values(0) if named and 0 not in wanted else range(len(X))
    return FeatureRows(X, names, feature_names, own)


def as_class_table(classes: Any) -> ClassTable:
    """Make a class table from a table, a path, a mapping or a data frame."""
    if isinstance(classes, ClassTable):
        return classes
    if isinstance(classes, str | os.PathLike):
        if not Path(classes).is_file():
            raise InputError(f"classes={os.fspath(classes)!r} is not a file: give a ClassTable or a CSV file")
        return read_and_warn(classes)
    return ClassTable.from_mapping(classes) if isinstance(classes, Mapping) else ClassTable.from_frame(classes)


def as_labels(names: Sequence[Any], table: ClassTable, what: str) -> NDArray[Any]:
    """Spell the class of each row as in the class table."""
    mapping = match_labels(names, list(table), what)
    positions = table.index_of([mapping[name] for name in names])
    return table.labels[positions]


def read_labelled_columns(
    path: Path, features: Sequence[str] | None, label: str | None, delimiter: str = ","
) -> LabelledColumns:
    """Read the features of a table, and its column of labels."""
    table = open_table(path, delimiter)
    columns = table.columns
    if len(set(columns)) < len(columns) or len(columns) < 2:
        raise InputError(
            f"{path} has the columns {shorten(columns)}: it needs a column of labels and at least one of features, "
            "each with its own name; if its cells are not separated by commas, name the delimiter"
        )
    _refuse_unknown(path, columns, features, label)
    of_labels = columns[0] if label is None else label
    wanted = [columns.index(name) for name in features or columns if name != of_labels]
    feature_names = _name_features(path, table, wanted)
    return LabelledColumns(table.read_numbers(wanted), table.read_values(columns.index(of_labels)), feature_names)


def _name_features(path: Path, table: TableFile, wanted: Sequence[int]) -> tuple[str, ...] | None:
    """Name the columns of features; None where their names are left empty."""
    names = tuple(table.columns[place] for place in wanted)
    if table.from_text:
        refuse_data_for_names(names, str(path))
    return names if any(names) else None


def _refuse_unknown(path: Path, columns: list[str], features: Sequence[str] | None, label: str | None) -> None:
    if isinstance(features, str):
        raise InputError(f"features={features!r} is a single text: pass a list of columns of {path}")
    unknown = [name for name in [label, *(features or [])] if name is not None and name not in columns]
    if unknown:
        raise InputError(
            f"{path} has no column {shorten(unknown)}{did_you_mean(unknown, columns)}: name some of {shorten(columns)}"
        )
