"""What a file or folder holds, before a split is chosen."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_table import ClassTable


@dataclass(frozen=True, eq=False)
class RowSplit:
    """A split that names its rows, counted from 0."""

    train: NDArray[np.int64]
    test_seen: NDArray[np.int64]
    test_unseen: NDArray[np.int64]

    @property
    def parts(self) -> dict[str, NDArray[np.int64]]:
        """The three parts by name."""
        return {"train": self.train, "test_seen": self.test_seen, "test_unseen": self.test_unseen}


@dataclass(frozen=True, eq=False)
class Contents:
    """Examples, class descriptions and the splits that come with them.

    Nothing is promised of the values yet: `ZeroShotDataset` refuses what is wrong, `check_dataset` reports it.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Features as stored: the same precision, mapped from the file where that is possible.
    y : ndarray of shape (n,)
        The class label of each row, as the class table writes it.
    classes : ClassTable
        The description of each class.
    name, source : str
        What to call the dataset, and where it came from.
    rows : RowSplit, optional
        The split that names its rows (GBU's "proposed" one).
    unseen : mapping of str to tuple
        The unseen classes of each split that names classes only.
    feature_names : tuple of str, optional
        The name of each column of `X`, where it has one.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    classes: ClassTable
    name: str
    source: str
    rows: RowSplit | None = None
    unseen: Mapping[str, tuple[Hashable, ...]] = field(default_factory=dict)
    feature_names: tuple[str, ...] | None = None
