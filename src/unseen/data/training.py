"""The rows to learn from, for someone who wants a model rather than a measurement."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_table import ClassTable
from unseen.data.formats.contents import Contents
from unseen.data.formats.detect import read_contents
from unseen.data.load import DATASETS, dataset_path, load_dataset
from unseen.data.splits import Split, apply_split
from unseen.utils.errors import InputError
from unseen.utils.validation import first_not_finite, real_matrix

# Asks for all rows, whatever split comes with the data.
EVERYTHING = "none"


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Features, the class of each row, and the descriptions of these and other classes."""

    X: NDArray[Any]
    y: NDArray[Any]
    classes: ClassTable
    name: str


def load_training(
    name: str | os.PathLike[str], split: Split = None, features: Any = None, **options: Any
) -> TrainingRows:
    """Load the training rows of a dataset; all its rows where it comes without a split.

    Parameters
    ----------
    name, features, **options
        As for `load_dataset`.
    split : str, path-like or list of class names, optional
        As for `load_dataset`, or "none" for all rows. The classes of all of them are then seen; unseen are those that
        the class table describes beside them.

    Examples
    --------
    >>> len(load_training("digit-pairs").classes)
    100
    """
    if isinstance(name, str) and name in DATASETS:
        data = load_dataset(name, None if split == EVERYTHING else split, features, **options)
        rows = np.arange(len(data.X)) if split == EVERYTHING else data.train
        return TrainingRows(data.X[rows], data.y[rows], data.classes, data.name)
    contents = read_contents(dataset_path(name), features, **options)
    if split == EVERYTHING or (split is None and contents.rows is None and not contents.unseen):
        return _all(contents)
    data = apply_split(contents, split)
    return TrainingRows(data.X_train, data.y_train, data.classes, data.name)


def _all(contents: Contents) -> TrainingRows:
    X = real_matrix(contents.X, "X")
    place = first_not_finite(X)
    if place is not None:
        raise InputError(
            f"{contents.source} has {X[place]} in row {place[0]}, column {place[1]} of its features: "
            "replace it or drop the row beforehand"
        )
    return TrainingRows(X, contents.y, contents.classes, contents.name)
