"""Read class tables from data frames of any library that narwhals supports."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.tables.labels import make_label_array, map_label_positions
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean
from unseen.utils.validation import is_real

if TYPE_CHECKING:
    import narwhals as nw


def read_frame(frame: Any, label: Hashable | None) -> tuple[NDArray[np.floating], NDArray[Any], tuple[str, ...]]:
    """Read the vectors, the labels and the attribute names of a class table from a data frame."""
    table = _to_eager(frame)
    columns: list[Any] = list(table.columns)
    index = _find_label_index(table, label)
    if index is None:
        label_column = _find_label_column(columns, label)
        labels = _read_labels(table.get_column(label_column), label_column)
        columns.remove(label_column)
    else:
        labels = _check_distinct(index.tolist(), "the index of frame, read as labels,")
    if not columns:
        raise InputError("frame has no column beside the labels: add one per attribute")
    vectors = np.column_stack([_read_numbers(table.get_column(column), column, labels) for column in columns])
    return vectors, labels, tuple(map(str, columns))


def _to_eager(frame: Any) -> "nw.DataFrame[Any]":
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        table: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)
        table.columns  # noqa: B018 (narwhals looks for duplicates only here)
    except TypeError as error:
        raise InputError(
            f"frame must be a data frame in memory (pandas, polars, PyArrow), got {type(frame).__name__}: "
            "convert it, a lazy frame with collect()"
        ) from error
    except DuplicateError as error:
        raise InputError(f"frame has columns of the same name ({error}): rename them") from error
    return table


def _find_label_index(table: "nw.DataFrame[Any]", label: Hashable | None) -> Any:
    """Return the index of a pandas frame if it holds the labels, or None if a column does."""
    import narwhals as nw

    index: Any = nw.maybe_get_index(table)
    columns: list[Any] = list(table.columns)
    if index is None or not columns:
        return None
    if label is not None:
        return index if label not in columns and label == index.name else None
    first = table.get_column(columns[0]).dtype
    if first.is_float():  # labels are not floats, so use any index that does more than number the rows
        found = index.name is not None or list(index) != list(range(len(index)))
    else:
        found = (first.is_numeric() or first == nw.Boolean) and (index.name is not None or index.dtype.kind not in "iu")
    return index if found else None


def _find_label_column(columns: list[Any], label: Hashable | None) -> Any:
    if not columns:
        raise InputError("frame has no columns: give it one of labels and one per attribute")
    if label is None:
        return columns[0]
    if label not in columns:
        raise InputError(
            f"label={label!r} is not a column of frame{did_you_mean([label], columns)}: name one of "
            f"{shorten(columns)}, or the index of a pandas frame that holds them"
        )
    return label


def _read_labels(series: "nw.Series[Any]", label: Hashable) -> NDArray[Any]:
    if series.dtype.is_float():
        raise InputError(
            f"frame has fractional numbers in the label column {label!r}: name the column of labels with label=; "
            "if the labels are the index of a pandas frame, name it with frame.rename_axis('label')"
        )
    if series.null_count():
        raise InputError(f"frame has a missing label in column {label!r}: give each class a label")
    return _check_distinct(series.to_list(), f"frame column {label!r}, read as labels,")


def _check_distinct(items: list[Any], name: str) -> NDArray[Any]:
    labels = make_label_array(items, name)
    map_label_positions(labels, name)
    return labels


def _read_numbers(series: "nw.Series[Any]", column: object, labels: NDArray[Any]) -> NDArray[Any]:
    import narwhals as nw

    if (series.dtype.is_numeric() or series.dtype == nw.Boolean) and not series.null_count():
        numbers = series.to_numpy()
        return numbers if numbers.dtype.kind in "fiub" else numbers.astype(np.float64)
    values = series.to_list()
    for value, label in zip(values, labels.tolist(), strict=True):
        if not is_real(value):
            raise InputError(
                f"frame column {column!r} must be numeric, but holds {value!r} for class {label!r}: "
                "make it a number, drop the column, or name it with label= if it holds the labels"
            )
    return np.array(values, dtype=np.float64)
