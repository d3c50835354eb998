"""Hold rows of features, with class labels for learning or with row names for prediction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_table import ClassTable
from unseen.data.columns import order_features
from unseen.utils.devices import send
from unseen.utils.errors import InputError
from unseen.utils.validation import check_matrix, find_not_finite


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Rows of features and their names.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        Features, memory-mapped if possible.
    names : sequence of length n
        The name of each row in its file, or its number from 0.
    feature_names : tuple of str or None
        The name of each column, where it has one.
    candidates : sequence of length n, or None
        The names of the candidates of each row, if each has its own: a text with ";" or "|" between them, or a list.
    """

    X: NDArray[Any]
    names: Sequence[Any]
    feature_names: tuple[str, ...] | None = None
    candidates: Sequence[Any] | None = None

    @classmethod
    def from_matrix(cls, X: NDArray[Any], feature_names: tuple[str, ...] | None = None) -> Self:
        """Use the number of each row as its name.

        >>> FeatureRows.from_matrix(np.eye(3)).names
        range(0, 3)
        """
        return cls(X, range(len(X)) if np.ndim(X) else [], feature_names)

    def check(self, source: str) -> Self:
        """Return the rows after checking that they are a matrix of finite numbers."""
        X = check_matrix(self.X, source)
        if not len(X):
            raise InputError(f"{source} has no rows: give at least one")
        place = find_not_finite(X)
        if place is not None:
            raise InputError(
                f"{source} has {X[place]} in row {self.names[place[0]]!r}, column {place[1]} of its features: fill it "
                "or drop the row"
            )
        return replace(self, X=X)

    def send_to(self, device: str | None) -> Self:
        """Return the same rows on a device of PyTorch, such as "cuda"; None changes nothing."""
        return self if device is None else replace(self, X=send(self.X, device))

    def reorder(self, feature_names: Sequence[str] | None, source: str) -> Self:
        """Return the same rows with their columns in the order of these names, where both have names."""
        X = order_features(self.X, self.feature_names, feature_names, source)
        return self if X is self.X else replace(self, X=X, feature_names=tuple(feature_names or ()))


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Rows to learn from, all of seen classes.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        Finite features.
    y : ndarray of shape (n,)
        The class of each row.
    classes : ClassTable
        Descriptions of these classes, and of others that may be recognised later.
    name : str
        Name of the data.
    feature_names : tuple of str or None
        The name of each column, if they have names.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    classes: ClassTable
    name: str
    feature_names: tuple[str, ...] | None = None

    def send_to(self, device: str | None) -> Self:
        """Return the same rows on a device of PyTorch, such as "cuda"; None changes nothing."""
        return self if device is None else replace(self, X=send(self.X, device))
