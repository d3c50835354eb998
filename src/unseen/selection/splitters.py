"""Split rows by class, so that held-out classes take the place of unseen ones."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils.validation import column_or_1d

from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError
from unseen.utils.registry import Registry
from unseen.utils.validation import check_flag, check_whole_number, make_random_stream

# A single candidate is always chosen, and a model needs two classes to learn from.
_FEWEST = 2


class _ClassSplitter(BaseCrossValidator):
    """A cross-validation splitter for scikit-learn that draws classes instead of rows."""

    n_splits: int

    @abstractmethod
    def _draw(self, n_classes: int) -> Iterator[NDArray[np.int64]]:
        """Yield the held-out classes of each split, as numbers from 0 to n_classes - 1."""

    def _iter_test_masks(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[NDArray[np.bool_]]:
        if y is None:
            raise InputError("y is None, but the split is by class: give one label for each row of X")
        labels, encoded = np.unique(column_or_1d(to_numpy(y)), return_inverse=True)
        for held_out in self._draw(len(labels)):
            yield np.isin(encoded, held_out)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""
        return self.n_splits


class HoldOutClasses(_ClassSplitter):
    """Hold out random classes, drawn again for each split.

    Parameters
    ----------
    held_out : int or float, default 0.2
        Number of classes to hold out, or their share of all classes (below 1; rounded, at least two classes).
    n_splits : int, default 3
        Number of splits.
    random_state : int, RandomState or None
        Random seed. The same int gives the same splits.

    Examples
    --------
    >>> y = ["cat", "cat", "dog", "emu", "fox", "fox"]
    >>> for train, test in HoldOutClasses(2, n_splits=2, random_state=1).split(y, y):
    ...     print([y[row] for row in train], [y[row] for row in test])
    ['cat', 'cat', 'dog'] ['emu', 'fox', 'fox']
    ['dog', 'fox', 'fox'] ['cat', 'cat', 'emu']
    """

    def __init__(self, held_out: float = 0.2, *, n_splits: int = 3, random_state: Any = None) -> None:
        self.held_out = held_out
        self.n_splits = n_splits
        self.random_state = random_state

    @classmethod
    def as_in_paper(cls, n_splits: int = 3, *, random_state: Any = None) -> Self:
        """Hold out two random classes in each split, as the paper, JLSE and SSE do."""
        return cls(2, n_splits=n_splits, random_state=random_state)

    def _draw(self, n_classes: int) -> Iterator[NDArray[np.int64]]:
        random = make_random_stream(self.random_state)
        count = self._count(n_classes)
        for _ in range(check_whole_number(self.n_splits, "n_splits", 1)):
            yield random.permutation(n_classes)[:count]

    def _count(self, n_classes: int) -> int:
        if isinstance(self.held_out, float):
            if not 0 < self.held_out < 1:
                raise InputError(
                    f"held_out={self.held_out!r} is not a share of the classes: give a float between 0 and 1, or an int"
                )
            count = max(_FEWEST, round(self.held_out * n_classes))
        else:
            count = check_whole_number(self.held_out, "held_out", _FEWEST)
        if n_classes - count < _FEWEST:
            raise InputError(
                f"held_out={self.held_out!r} takes {count} of the {n_classes} classes in y: "
                f"leave at least {_FEWEST} classes to train on"
            )
        return count


class ClassKFold(_ClassSplitter):
    """Divide the classes into folds and hold out each fold in turn: every class is held out once.

    Parameters
    ----------
    n_splits : int, default 5
        Number of folds, each with at least two classes.
    shuffle : bool, default True
        Whether to assign classes to folds at random. Otherwise classes that are neighbours in sorted order (often
        related, such as all the warblers) are held out together.
    random_state : int, RandomState or None
        Seed of the shuffling.

    Examples
    --------
    >>> y = ["a", "b", "c", "d", "d", "e"]
    >>> [[y[row] for row in test] for train, test in ClassKFold(2, shuffle=False).split(y, y)]
    [['a', 'b', 'c'], ['d', 'd', 'e']]
    """

    def __init__(self, n_splits: int = 5, *, shuffle: bool = True, random_state: Any = None) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def _draw(self, n_classes: int) -> Iterator[NDArray[np.int64]]:
        n_splits = check_whole_number(self.n_splits, "n_splits", 2)
        shuffle = check_flag(self.shuffle, "shuffle")
        if n_classes // n_splits < _FEWEST:
            raise InputError(
                f"n_splits={n_splits} leaves folds of fewer than {_FEWEST} of the {n_classes} classes in y: "
                "choose fewer folds or add classes"
            )
        order = make_random_stream(self.random_state).permutation(n_classes) if shuffle else np.arange(n_classes)
        yield from np.array_split(order, n_splits)


SPLITTERS: Registry[type[ClassKFold] | type[HoldOutClasses]] = Registry(
    "splitter", {kind.__name__: kind for kind in (ClassKFold, HoldOutClasses)}
)
