"""Hold class descriptions, which are looked up by class label, never by position."""

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any, Self, TextIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unseen.data.tables.csv import read_csv, write_csv
from unseen.data.tables.frames import read_frame
from unseen.data.tables.labels import list_labels, make_label_array, make_label_error, map_label_positions
from unseen.data.tables.mappings import read_mapping
from unseen.data.tables.views import view_classes
from unseen.utils.errors import InputError, shorten
from unseen.utils.validation import check_matrix, find_not_finite


class ClassTable:
    """A table of class descriptions: one vector per class, looked up by class label.

    A table is immutable; its methods return new tables.

    Parameters
    ----------
    vectors : array-like of shape (n_classes, width)
        One description per class, made of finite real numbers. They are copied; float32 and float64 keep their
        precision, other numbers become float64.
    labels : array-like of shape (n_classes,)
        The label of each class, without repeats: all text, all numbers, or all other hashable objects.
    attributes : iterable of str, optional
        The name of each column of `vectors`, without repeats.

    Examples
    --------
    >>> table = ClassTable([[1, 0], [1, 1], [0, 0]], ["zebra", "okapi", "horse"], attributes=["stripes", "forest"])
    >>> table
    <ClassTable: 3 classes ('zebra', 'okapi', 'horse') of width 2 ('stripes', 'forest')>
    >>> table.select(["horse", "zebra"]).vectors
    array([[0., 0.],
           [1., 0.]])
    >>> table.index_of(["okapi", "zebra", "okapi"])
    array([1, 0, 1])
    """

    __slots__ = ("_attributes", "_labels", "_positions", "_vectors")

    def __init__(self, vectors: ArrayLike, labels: Iterable[Any], attributes: Iterable[str] | None = None) -> None:
        self._labels = make_label_array(labels, "labels")
        self._positions = map_label_positions(self._labels, "labels")
        self._vectors = _copy_descriptions(vectors, self._labels)
        self._attributes = None if attributes is None else _check_attribute_names(attributes, self.width)
        self._check_finite()
        self._labels.flags.writeable = False
        self._vectors.flags.writeable = False

    @property
    def vectors(self) -> NDArray[np.floating]:
        """The descriptions, a read-only array of shape (n_classes, width)."""
        return self._vectors

    @property
    def labels(self) -> NDArray[Any]:
        """The class labels in table order, a read-only array of shape (n_classes,)."""
        return self._labels

    @property
    def attributes(self) -> tuple[str, ...] | None:
        """The names of the columns of `vectors`, or None if they have none."""
        return self._attributes

    @property
    def width(self) -> int:
        """The number of attributes that describe a class."""
        return int(self._vectors.shape[1])

    def __len__(self) -> int:
        return len(self._positions)

    def __contains__(self, label: Hashable) -> bool:
        return label in self._positions

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the labels."""
        return iter(self._positions)

    def __eq__(self, other: object) -> bool:
        """Tell whether labels (in order), values and attribute names are equal, in any precision."""
        if not isinstance(other, ClassTable):
            return NotImplemented
        return (
            list(self) == list(other)
            and self.attributes == other.attributes
            and np.array_equal(self.vectors, other.vectors)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickling loses NumPy's read-only flags, so the table is constructed again.
        return type(self), (self._vectors, self._labels, self._attributes)

    def __repr__(self) -> str:
        names = f" ({shorten(self.attributes)})" if self.attributes else ""
        return f"<ClassTable: {len(self)} classes ({shorten(self)}) of width {self.width}{names}>"

    def _repr_html_(self) -> str:
        return view_classes(self).to_html()

    def index_of(self, labels: Iterable[Any], *, name: str = "labels") -> NDArray[np.int64]:
        """Find the position of each label in the table.

        Parameters
        ----------
        labels : array-like of shape (n,)
            Labels of the table, in any order and with repeats, for example the `y` of a training set.
        name : str, default="labels"
            Name of the argument, for the error message if a label is not in the table.

        Returns
        -------
        ndarray of shape (n,)
            The positions as int64.
        """
        items = list_labels(labels, name)
        try:
            positions = np.fromiter(map(self._positions.get, items, repeat(-1)), dtype=np.int64, count=len(items))
        except TypeError as error:
            raise InputError(f"{name} has a value that is not a label ({error}): pass a flat list of labels") from error
        missing = np.flatnonzero(positions < 0)
        if missing.size:
            raise make_label_error((items[at] for at in missing), list(self), name)
        return positions

    def select(self, labels: Iterable[Any]) -> Self:
        """Return the table of these classes, in this order.

        Parameters
        ----------
        labels : array-like of shape (n,)
            At least one label of the table, without repeats.
        """
        return self._take(self.index_of(labels), "labels selects no class: name at least one")

    def without(self, labels: Iterable[Any]) -> Self:
        """Return the table of all classes but these, in table order.

        Parameters
        ----------
        labels : array-like of shape (n,)
            Some labels of the table, but not all.

        Examples
        --------
        >>> ClassTable.one_hot(["a", "b", "c"]).without(["b"]).labels
        array(['a', 'c'], dtype='<U1')
        """
        kept = np.delete(np.arange(len(self)), self.index_of(labels))
        return self._take(kept, "labels names every class of the table, so none is left: keep at least one")

    def concat(self, other: "ClassTable") -> Self:
        """Return the table of the classes of both tables, those of `other` last.

        Parameters
        ----------
        other : ClassTable
            A table of other classes with the same width. If both tables name their attributes, the names must agree.

        Examples
        --------
        >>> seen = ClassTable([[1.0, 0.0]], ["zebra"])
        >>> seen.concat(ClassTable([[0.0, 1.0]], ["okapi"])).labels
        array(['zebra', 'okapi'], dtype='<U5')
        """
        if other.width != self.width:
            raise InputError(
                f"other has width {other.width}, but this table has width {self.width}: "
                "describe all classes by the same attributes"
            )
        if self.attributes and other.attributes and self.attributes != other.attributes:
            ours, theirs = next(
                pair for pair in zip(self.attributes, other.attributes, strict=True) if len({*pair}) > 1
            )
            raise InputError(
                f"other names an attribute {theirs!r} where this table has {ours!r}: give both the same order"
            )
        shared = [label for label in other if label in self]
        if shared:
            raise InputError(f"other describes {shorten(shared)} again: remove them with other.without(...)")
        vectors = np.concatenate([self.vectors, other.vectors])
        return type(self)(vectors, [*self, *other], self.attributes or other.attributes)

    @classmethod
    def from_frame(cls, frame: Any, label: Hashable | None = None) -> Self:
        """Make a table from a data frame (pandas, polars or any other that narwhals reads).

        Parameters
        ----------
        frame : DataFrame
            One row per class: labels (text or integers) in a column or in the index, and numeric columns, named after
            the attributes.
        label : hashable, optional
            The name of the column, or of the index, that holds the labels. By default it is the first column. If that
            column holds numbers and the index of a pandas frame holds text or has a name, it is the index.
        """
        return cls(*read_frame(frame, label))

    @classmethod
    def from_mapping(cls, mapping: Mapping[Any, Any]) -> Self:
        """Make a table from a mapping of labels to vectors, or to mappings of attributes to values.

        Parameters
        ----------
        mapping : mapping
            ``{label: vector}`` or ``{label: {attribute: value}}``. Each class has the same attributes, in any order.

        Examples
        --------
        >>> ClassTable.from_mapping({"zebra": {"stripes": 1, "legs": 4}, "snake": {"legs": 0, "stripes": 0.5}}).vectors
        array([[1. , 4. ],
               [0.5, 0. ]])
        """
        return cls(*read_mapping(mapping))

    @classmethod
    def from_csv(
        cls,
        path: str | os.PathLike[str],
        label: str | None = None,
        *,
        delimiter: str = ",",
        text_labels: bool = False,
    ) -> Self:
        """Make a table from a CSV file in UTF-8 with a header line.

        Parameters
        ----------
        path : path-like
            A file with one line per class: one cell for the label, and numbers in the others. If the header names no
            attribute, `attributes` is None.
        label : str, optional
            The name of the column of labels; the first column by default.
        delimiter : str, default=","
            The separator of the cells.
        text_labels : bool, default=False
            Whether labels stay text. By default they become integers if every label is written as a plain integer (no
            leading zero, no plus sign).
        """
        return cls(*read_csv(path, label, delimiter, text_labels))

    def to_csv(self, path: str | os.PathLike[str] | TextIO) -> None:
        """Write the table to a CSV file, from which `from_csv` makes an equal table.

        Labels must be text or integers. Text that spells integers is read back as text with ``text_labels=True``.
        Values are read back in double precision.

        Parameters
        ----------
        path : path-like or text file
            The file to write; if it is open already, it is left open.
        """
        write_csv(path, self.vectors, self.labels, self.attributes)

    @classmethod
    def one_hot(cls, labels: Iterable[Any]) -> Self:
        """Make a table of one-hot descriptions, which tell classes apart and nothing else.

        Parameters
        ----------
        labels : array-like of shape (n_classes,)
            The class labels, without repeats.

        Examples
        --------
        >>> ClassTable.one_hot([3, 7]).vectors
        array([[1., 0.],
               [0., 1.]])
        """
        array = make_label_array(labels, "labels")
        return cls(np.eye(len(array)), array)

    def _take(self, positions: NDArray[np.int64], refusal: str) -> Self:
        if not positions.size:
            raise InputError(refusal)
        return type(self)(self._vectors[positions], self._labels[positions], self._attributes)

    def _check_finite(self) -> None:
        place = find_not_finite(self._vectors)
        if place is not None:
            attribute = self._attributes[place[1]] if self._attributes else place[1]
            raise InputError(
                f"vectors has {self._vectors[place]} for class {self._labels[place[0]].item()!r}, "
                f"attribute {attribute!r}: describe each class by finite numbers"
            )


def _copy_descriptions(vectors: ArrayLike, labels: NDArray[Any]) -> NDArray[np.floating]:
    """Copy descriptions to float32 or float64, one row per label."""
    matrix = check_matrix(vectors, "vectors")
    precision = matrix.dtype if matrix.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    if not len(labels) or not matrix.size:
        raise InputError(f"vectors has shape {matrix.shape}, which describes nothing: give at least one class")
    if len(matrix) != len(labels):
        raise InputError(f"labels has {len(labels)} labels for {len(matrix)} rows of vectors: give one label per row")
    return np.array(matrix, dtype=precision, order="C")


def _check_attribute_names(attributes: Iterable[str], width: int) -> tuple[str, ...]:
    if isinstance(attributes, str):
        raise InputError(f"attributes is the single text {attributes!r}: give a list of {width} names")
    names = tuple(str(name) for name in attributes)
    if len(names) != width:
        raise InputError(f"attributes has {len(names)} names for {width} columns of vectors: give one name per column")
    if "" in names:
        raise InputError(f"attributes has an empty name at position {names.index('')}: name all of them or none")
    map_label_positions(np.array(names), "attributes")
    return names
