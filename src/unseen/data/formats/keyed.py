"""Read datasets from arrays with known names, the layout that `.npz` and HDF5 files share.

===================  ===============================================================================================
``X``                features, one row per example
``y``                the class of each row: its position in ``classes`` (from 0), or its name
``classes``          the names of the classes
``attributes``       the descriptions, one row per class
``attribute_names``  optional: the names of their columns
``trainval_loc``     optional, all three or none: the rows (from 0) of the proposed split,
                     with ``test_seen_loc`` and ``test_unseen_loc``
``unseen_NAME``      optional, any number: the names of the unseen classes of the split NAME
===================  ===============================================================================================
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_table import ClassTable
from unseen.data.formats.contents import Contents, RowSplit
from unseen.data.formats.missing import fill_missing, find_missing_in_awa
from unseen.data.rows import FeatureRows
from unseen.data.tables.names import match_labels
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean

ROWS = ("trainval_loc", "test_seen_loc", "test_unseen_loc")
_LISTS = "unseen_"


def choose_keys(available: Iterable[str], features: str, attributes: str, source: str) -> list[str]:
    """Choose the arrays to read, or refuse if one is missing."""
    keys = list(available)
    required = [features, "y", "classes", attributes]
    absent = [key for key in required if key not in keys]
    if absent:
        raise InputError(
            f"{source} has no array {shorten(absent)}{did_you_mean(absent, keys)}: it holds "
            f"{shorten(keys, limit=20) or 'nothing'}; a dataset has 'X', 'y', 'classes' and 'attributes', and "
            "features= and attributes= name others in their place"
        )
    optional = ["attribute_names", *ROWS]
    return required + [key for key in keys if key in optional or key.startswith(_LISTS)]


def choose_feature_key(available: Iterable[str], features: str | None, source: str) -> str:
    """Choose the array of features: the given name, by default ``X`` or the only array.

    >>> choose_feature_key(["clip"], None, "birds.npz"), choose_feature_key(["y", "X"], None, "birds.npz")
    ('clip', 'X')
    """
    keys = list(available)
    name = features or (keys[0] if len(keys) == 1 else "X")
    if name not in keys:
        raise InputError(f"{source} has no array {name!r}{did_you_mean([name], keys)}: name one of {shorten(keys)}")
    return name


@dataclass(frozen=True)
class KeyedFormat:
    """A format of files that hold arrays by name.

    Attributes
    ----------
    read_arrays : callable
        Function of a path and of another function, which chooses among the names that the file has; it returns the
        chosen arrays by name.
    """

    read_arrays: Callable[[Path, Callable[[list[str]], list[str]]], dict[str, NDArray[Any]]]

    def read(
        self, path: Path, features: str | None = None, *, attributes: str = "attributes", missing: str = "zero"
    ) -> Contents:
        """Read a dataset.

        Parameters
        ----------
        path : Path
            The file.
        features, attributes : str, optional
            The names of the arrays to take as features and as class descriptions.
        missing : {"zero", "mean", "keep"}, default="zero"
            How to fill the attributes that Animals with Attributes marks as missing; see `fill_missing`.
        """
        features = features or "X"
        arrays = self.read_arrays(path, lambda keys: choose_keys(keys, features, attributes, str(path)))
        return _make_contents(arrays, features, attributes, missing, path.stem, str(path))

    def read_rows(self, path: Path, features: str | None = None) -> FeatureRows:
        """Read the features alone: the array of the given name, by default ``X`` or the only array."""
        [X] = self.read_arrays(path, lambda keys: [choose_feature_key(keys, features, str(path))]).values()
        return FeatureRows.from_matrix(X)


def _make_contents(
    arrays: Mapping[str, NDArray[Any]], features: str, attributes: str, missing: str, name: str, source: str
) -> Contents:
    """Make the contents of a dataset from arrays in this layout."""
    _check_shapes(arrays, features, source)
    labels = arrays["classes"].tolist()
    described = arrays[attributes]
    names = arrays["attribute_names"].tolist() if _names_fit(arrays, described) else None
    classes = ClassTable(fill_missing(described, find_missing_in_awa(described, labels), missing), labels, names)
    return Contents(
        X=arrays[features],
        y=_read_labels(arrays["y"], classes, source),
        classes=classes,
        name=name,
        source=source,
        rows=_make_row_split(arrays, source),
        unseen={key.removeprefix(_LISTS): tuple(arrays[key].tolist()) for key in arrays if key.startswith(_LISTS)},
    )


def _check_shapes(arrays: Mapping[str, NDArray[Any]], features: str, source: str) -> None:
    for key in ("classes", *(key for key in arrays if key.startswith(_LISTS) or key == "attribute_names")):
        if arrays[key].ndim != 1:
            raise InputError(f"{source}: {key} has shape {arrays[key].shape}; give a list of names")
    rows, labels = np.shape(arrays[features])[:1], np.shape(arrays["y"])[:1]
    if rows != labels and rows and labels:
        raise InputError(f"{source}: y has {labels[0]} labels for {rows[0]} rows of {features}; give one for each row")


def _names_fit(arrays: Mapping[str, NDArray[Any]], attributes: NDArray[Any]) -> bool:
    """Tell whether there is one attribute name for each column of this matrix."""
    return (
        "attribute_names" in arrays and attributes.ndim == 2 and len(arrays["attribute_names"]) == attributes.shape[1]
    )


def _read_labels(y: NDArray[Any], classes: ClassTable, source: str) -> NDArray[Any]:
    if y.ndim != 1:
        raise InputError(f"{source}: y has shape {y.shape}; give one class for each row of X")
    if y.dtype.kind in "iu":
        return classes.labels[find_class_positions(y, len(classes), 0, f"{source}: y")]
    mapping = match_labels(y.tolist(), list(classes), f"{source}: y")
    return np.array([mapping[name] for name in y.tolist()])


def find_class_positions(numbers: NDArray[Any], n_classes: int, first: int, what: str) -> NDArray[np.int64]:
    """Turn class numbers that start at `first` into positions, and refuse numbers out of range."""
    if numbers.dtype.kind not in "iuf" or not np.all(np.mod(numbers, 1) == 0):
        raise InputError(f"{what} has values that are not whole numbers: number the classes from {first}")
    positions = numbers.astype(np.int64) - first
    outside = np.unique(numbers[(positions < 0) | (positions >= n_classes)])
    if outside.size:
        raise InputError(
            f"{what} has the class numbers {shorten(outside)}, but the {n_classes} described classes are numbered "
            f"{first} to {n_classes - 1 + first}: correct the numbers or describe these classes too"
        )
    return positions


def _make_row_split(arrays: Mapping[str, NDArray[Any]], source: str) -> RowSplit | None:
    present = [key for key in ROWS if key in arrays]
    if not present:
        return None
    if len(present) < len(ROWS):
        raise InputError(f"{source} has {shorten(present)} only: a split of rows needs {shorten(ROWS)}")
    return RowSplit(*(_check_row_numbers(arrays[key], f"{source}: {key}") for key in ROWS))


def _check_row_numbers(rows: NDArray[Any], what: str) -> NDArray[np.int64]:
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise InputError(f"{what} has shape {rows.shape} and dtype {rows.dtype}: give a list of row numbers from 0")
    return rows.astype(np.int64)
