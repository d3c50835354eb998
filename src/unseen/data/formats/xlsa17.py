"""Read the xlsa17 package of "Zero-Shot Learning - The Good, the Bad and the Ugly" (GBU).

A folder for each of APY, AWA1, AWA2, CUB and SUN holds ``res101.mat`` (``features`` of shape (2048, n), ``labels``) and
``att_splits.mat`` (``att`` and ``original_att`` of shape (attributes, classes), ``allclasses_names``, and the rows of
the proposed split). All numbers start at 1, and class k is the k-th name of ``allclasses_names``, whose order is
specific to the package.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_table import ClassTable
from unseen.data.formats.contents import Contents, RowSplit
from unseen.data.formats.keyed import ROWS, find_class_positions
from unseen.data.formats.mat import read_mat
from unseen.data.formats.missing import fill_missing, find_missing_in_awa
from unseen.utils.errors import InputError, shorten

FEATURES, SPLITS = "res101.mat", "att_splits.mat"
_DESCRIPTIONS = ("att", "original_att")


@dataclass(frozen=True, eq=False)
class Splits:
    """The contents of ``att_splits.mat``."""

    classes: ClassTable
    rows: RowSplit


def is_xlsa17(path: Path) -> bool:
    """Tell whether the path is a folder of the package, or a file in one."""
    folder = path if path.is_dir() else path.parent
    return (folder / SPLITS).is_file() and (path.is_dir() or path.suffix == ".mat")


def read_xlsa17(path: Path, features: str | None = None, *, attributes: str = "att", missing: str = "zero") -> Contents:
    """Read a dataset from a folder of the xlsa17 package.

    Parameters
    ----------
    path : Path
        The folder, or the feature file in it.
    features : str, optional
        The feature file, ``res101.mat`` by default: any MATLAB file with ``features`` and ``labels``.
    attributes : {"att", "original_att"}, default="att"
        Class descriptions: scaled to unit length, as in published results, or as collected.
    missing : {"zero", "mean", "keep"}, default="zero"
        How to fill the attributes that Animals with Attributes marks as missing; see `fill_missing`.
    """
    folder = path if path.is_dir() else path.parent
    given = FEATURES if path.is_dir() or path.name == SPLITS else path.name
    splits = read_splits(folder, attributes, missing)
    X, numbers = _read_features(folder / (features or given))
    largest = max(int(rows.max(initial=-1)) for rows in splits.rows.parts.values())
    if largest >= len(X):
        raise InputError(
            f"{folder / SPLITS} names row {largest + 1}, but {features or given} has {len(X)} rows: "
            "use two files of the same dataset"
        )
    positions = find_class_positions(numbers, len(splits.classes), 1, f"{folder / (features or given)}: labels")
    return Contents(X, splits.classes.labels[positions], splits.classes, folder.name, str(folder), rows=splits.rows)


def read_splits(folder: Path, attributes: str = "att", missing: str = "zero") -> Splits:
    """Read the class descriptions and the proposed split of a folder of the package."""
    if attributes not in _DESCRIPTIONS:
        raise InputError(f"attributes={attributes!r} is not in {SPLITS}: choose {shorten(_DESCRIPTIONS)}")
    path = folder / SPLITS
    found = read_mat(path, [attributes, *ROWS], ["allclasses_names"])
    described = found[attributes].T
    names = found.get("allclasses_names")
    labels = names.ravel().tolist() if names is not None else list(range(1, len(described) + 1))
    classes = ClassTable(fill_missing(described, find_missing_in_awa(described, labels), missing), labels)
    return Splits(classes, RowSplit(*(_count_from_zero(found[key], f"{path}: {key}") for key in ROWS)))


def list_image_files(path: Path) -> list[str]:
    """List the image file of each row, or return an empty list if the feature file does not name them."""
    files = read_mat(path, [], ["image_files"]).get("image_files")
    return [] if files is None else [str(name) for name in files.ravel()]


def _read_features(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    found = read_mat(path, ["features", "labels"])
    return put_rows_first(found["features"], found["labels"].size, f"{path}: features"), found["labels"].ravel()


def put_rows_first(features: NDArray[Any], n_rows: int, what: str) -> NDArray[Any]:
    """Return a view of features with one row per example, given one column or one row per example."""
    if features.ndim != 2 or n_rows not in features.shape:
        raise InputError(f"{what} has shape {features.shape} for {n_rows} labels: give one column for each label")
    return features.T if features.shape[1] == n_rows else features


def _count_from_zero(rows: NDArray[Any], what: str) -> NDArray[np.int64]:
    numbers = rows.ravel()
    if numbers.size and numbers.min() < 1:
        raise InputError(f"{what} has the row number {numbers.min()}: the package counts rows from 1, so add 1")
    return numbers.astype(np.int64) - 1
