"""Hold a zero-shot dataset: examples, class descriptions, and the split into training and test rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_table import ClassTable
from unseen.data.columns import order_features
from unseen.data.tables.labels import list_labels, make_label_array
from unseen.data.tables.views import view_dataset
from unseen.utils.arrays import take_rows
from unseen.utils.devices import send
from unseen.utils.errors import InputError, shorten
from unseen.utils.storage.fingerprint import fingerprint
from unseen.utils.validation import check_feature_matrix, check_matrix, check_row_indices, find_not_finite


@dataclass(frozen=True, eq=False, repr=False)
class ZeroShotDataset:
    """A zero-shot problem: seen classes have training rows, unseen classes have test rows only.

    The constructor refuses inconsistent parts and splits that are not zero-shot splits.

    Parameters
    ----------
    X : array of shape (n, d)
        Finite features of all examples. An array or memory map is kept without a copy, and read in blocks. A tensor
        stays where it is (`send_to` moves a dataset to a device).
    y : array-like of shape (n,)
        The class label of each example.
    classes : ClassTable
        Descriptions of all classes in `y`, and optionally of others.
    train, test_seen, test_unseen : array-like of int
        The rows of the training set, of the test examples of seen classes (may be empty) and of the test examples of
        unseen classes. No row is in two of them; rows in none of them are not used.
    name : str, default=""
        Name of the dataset.
    source : str, default=""
        Origin of the dataset.
    feature_names : sequence of str, optional
        The name of each column of `X`, by which a fitted model matches columns.

    Examples
    --------
    >>> table = ClassTable([[1, 0], [0, 1], [1, 1]], ["zebra", "horse", "okapi"])
    >>> X = np.array([[1.0], [2.0], [1.1], [1.5]])
    >>> data = ZeroShotDataset(X, ["zebra", "horse", "zebra", "okapi"], table, [0, 1], [2], [3], name="hoofed")
    >>> data
    <ZeroShotDataset 'hoofed': 4 examples of 1 features, 2 seen and 1 unseen classes described by 2 attributes; \
2 train, 1 test_seen, 1 test_unseen>
    >>> data.unseen_classes
    array(['okapi'], dtype='<U5')
    """

    X: Any
    y: NDArray[Any]
    classes: ClassTable
    train: NDArray[np.int64]
    test_seen: NDArray[np.int64]
    test_unseen: NDArray[np.int64]
    name: str = ""
    source: str = ""
    feature_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        self._set("X", check_feature_matrix(self.X, "X"))
        self._set("y", make_label_array(self.y, "y"))
        self.y.flags.writeable = False
        for part in ("train", "test_seen", "test_unseen"):
            self._set(part, check_row_indices(getattr(self, part), part, self.X.shape[0]))
        self._check_examples()
        self._check_rows_are_disjoint()
        self._check_classes_of_parts()

    @classmethod
    def from_parts(
        cls,
        classes: ClassTable,
        train: tuple[Any, Any],
        test_seen: tuple[Any, Any] | None,
        test_unseen: tuple[Any, Any],
        name: str = "",
        source: str = "",
    ) -> Self:
        """Make a dataset from separate arrays of training and test examples, which are copied into one.

        Parameters
        ----------
        classes : ClassTable
            Descriptions of all classes.
        train, test_seen, test_unseen : (X, y) pairs
            Features of shape (n_part, d) and labels of shape (n_part,) of each part; `test_seen` may be None.
        name, source : str, default=""
            Name and origin of the dataset.

        Examples
        --------
        >>> table = ClassTable.one_hot(["zebra", "horse", "okapi"])
        >>> train = [[1.0], [2.0]], ["zebra", "horse"]
        >>> ZeroShotDataset.from_parts(table, train, None, ([[1.5]], ["okapi"])).test_unseen
        array([2])
        """
        given = {"train": train, "test_seen": test_seen, "test_unseen": test_unseen}
        parts = {part: _check_part(*pair, part) for part, pair in given.items() if pair is not None}
        widths = {part: X.shape[1] for part, (X, _) in parts.items()}
        if len(set(widths.values())) > 1:
            raise InputError(f"the parts have different numbers of features, {widths}: give all examples the same")
        ends = np.cumsum([len(parts[part][1]) if part in parts else 0 for part in given])
        of_train, of_test_seen, of_test_unseen = np.split(np.arange(ends[-1]), ends[:-1])
        X = np.concatenate([X for X, _ in parts.values()])
        y = make_label_array([label for _, labels in parts.values() for label in labels], "y")
        return cls(X, y, classes, of_train, of_test_seen, of_test_unseen, name=name, source=source)

    @cached_property
    def seen_classes(self) -> NDArray[Any]:
        """The labels of the classes with training rows, in table order."""
        return self._find_classes(self.train)

    @cached_property
    def unseen_classes(self) -> NDArray[Any]:
        """The labels of the classes of the rows `test_unseen`, in table order."""
        return self._find_classes(self.test_unseen)

    @property
    def seen_table(self) -> ClassTable:
        """The descriptions of the seen classes."""
        return self.classes.select(self.seen_classes)

    @property
    def unseen_table(self) -> ClassTable:
        """The descriptions of the unseen classes."""
        return self.classes.select(self.unseen_classes)

    # Rows are copied from X at each access, so that the rows of a large memory map do not stay in memory.
    @property
    def X_train(self) -> Any:
        """The features of the training rows, a fresh copy."""
        return take_rows(self.X, self.train)

    @property
    def y_train(self) -> NDArray[Any]:
        """The labels of the training rows."""
        return self.y[self.train]

    @property
    def X_test_seen(self) -> Any:
        """The features of the test rows of seen classes, a fresh copy."""
        return take_rows(self.X, self.test_seen)

    @property
    def y_test_seen(self) -> NDArray[Any]:
        """The labels of the test rows of seen classes."""
        return self.y[self.test_seen]

    @property
    def X_test_unseen(self) -> Any:
        """The features of the test rows of unseen classes, a fresh copy."""
        return take_rows(self.X, self.test_unseen)

    @property
    def y_test_unseen(self) -> NDArray[Any]:
        """The labels of the test rows of unseen classes."""
        return self.y[self.test_unseen]

    def send_to(self, device: str | None) -> Self:
        """Return the same dataset with its features on a device of PyTorch, such as "cuda"; None changes nothing.

        They are sent once, and everything that learns from them or is measured on them works there.
        """
        return self if device is None else replace(self, X=send(self.X, device))

    def reorder(self, feature_names: Sequence[str] | None) -> Self:
        """Return the same dataset with its features in the order of these names, where both have names."""
        X = order_features(self.X, self.feature_names, feature_names, self.name or "X")
        return self if X is self.X else replace(self, X=X, feature_names=tuple(feature_names or ()))

    def fingerprint(self) -> str:
        """Return a digest of features, labels, descriptions and split, but not of name and source.

        >>> from unseen import load_dataset
        >>> first, second = (load_dataset("synthetic", random_state=seed) for seed in (0, 1))
        >>> first.fingerprint() == first.fingerprint() != second.fingerprint()
        True
        """
        numbers = (self.X, self.classes.vectors, self.train, self.test_seen, self.test_unseen)
        return fingerprint((self.y, self.classes.labels), numbers)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return (
            f"<ZeroShotDataset{name}: {self.X.shape[0]} examples of {self.X.shape[1]} features, "
            f"{len(self.seen_classes)} seen and {len(self.unseen_classes)} unseen classes "
            f"described by {self.classes.width} attributes; "
            f"{len(self.train)} train, {len(self.test_seen)} test_seen, {len(self.test_unseen)} test_unseen>"
        )

    def _repr_html_(self) -> str:
        return view_dataset(self).to_html()

    def _set(self, field: str, value: object) -> None:
        # The dataclass is frozen, so its fields cannot be assigned directly.
        object.__setattr__(self, field, value)

    @cached_property
    def _positions(self) -> NDArray[np.int64]:
        return self.classes.index_of(self.y, name="y")

    def _find_classes(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        return self.classes.labels[np.unique(self._positions[rows])]

    def _check_examples(self) -> None:
        if not isinstance(self.classes, ClassTable):
            raise InputError(f"classes must be a ClassTable, got {type(self.classes).__name__}: make one of it")
        n_rows = self.X.shape[0]
        if len(self.y) != n_rows:
            raise InputError(f"y has {len(self.y)} labels for {n_rows} rows of X: give one label per row")
        place = find_not_finite(self.X)
        if place is not None:
            raise InputError(
                f"X has {self.X[place]} at row {place[0]}, column {place[1]}: replace it or drop the row beforehand"
            )

    def _check_rows_are_disjoint(self) -> None:
        for one, two in (("train", "test_seen"), ("train", "test_unseen"), ("test_seen", "test_unseen")):
            shared = np.intersect1d(getattr(self, one), getattr(self, two))
            if shared.size:
                raise InputError(f"{one} and {two} share the rows {shorten(shared)}: keep each in one of them")

    def _check_classes_of_parts(self) -> None:
        if len(self.seen_classes) < 2:
            raise InputError(
                f"train has rows of {len(self.seen_classes)} class(es), {shorten(self.seen_classes)}: "
                "learning needs at least two seen classes"
            )
        if not self.test_unseen.size:
            raise InputError("test_unseen is empty: a zero-shot problem needs rows of at least one unseen class")
        positions, seen = self._positions, self._positions[self.train]
        both = np.intersect1d(positions[self.test_unseen], seen)
        if both.size:
            raise InputError(
                f"test_unseen has rows of classes that are in train too: {shorten(self.classes.labels[both])}; "
                "move them to test_seen, or remove these classes from train"
            )
        untaught = np.setdiff1d(positions[self.test_seen], seen)
        if untaught.size:
            raise InputError(
                f"test_seen has rows of classes without training rows: {shorten(self.classes.labels[untaught])}; "
                "move them to test_unseen"
            )


def _check_part(X: Any, y: Any, part: str) -> tuple[NDArray[Any], list[Any]]:
    """Check that one part has a label for each row."""
    features, labels = check_matrix(X, f"X of {part}"), list_labels(y, f"y of {part}")
    if len(features) != len(labels):
        raise InputError(f"{part} has {len(labels)} labels for {len(features)} rows: give one label per row")
    return features, labels
