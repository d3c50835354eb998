"""Define the contents of a dataset file before a split is chosen."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_table import ClassTable


@dataclass(frozen=True, eq=False)
class RowSplit:
    """A split given by row numbers, which start at 0."""

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

    The values are not checked yet: `ZeroShotDataset` refuses errors, and `check_dataset` reports them.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Features in the stored precision, memory-mapped if possible.
    y : ndarray of shape (n,)
        The class label of each row, spelled as in the class table.
    classes : ClassTable
        The description of each class.
    name, source : str
        Name and origin of the dataset.
    rows : RowSplit, optional
        The split given by row numbers (GBU's "proposed" split).
    unseen : mapping of str to tuple
        The unseen classes of each split that is given by classes.
    feature_names : tuple of str, optional
        The name of each column of `X`, if they have names.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    classes: ClassTable
    name: str
    source: str
    rows: RowSplit | None = None
    unseen: Mapping[str, tuple[Hashable, ...]] = field(default_factory=dict)
    feature_names: tuple[str, ...] | None = None
