"""Divide rows and descriptions into training classes and held-out classes, which take the place of unseen ones."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import _safe_indexing

from unseen.data import ClassTable
from unseen.data.candidates import as_table
from unseen.utils import arrays
from unseen.utils.arrays import is_foreign
from unseen.utils.errors import InputError, shorten

Splitter: TypeAlias = BaseCrossValidator | Iterable[tuple[Any, Any]] | None


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows and descriptions of the training classes and of the held-out classes."""

    name: str
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    seen: ClassTable
    held_out: ClassTable


def make_class_disjoint_folds(splitter: Any, X: Any, y: NDArray[Any], table: ClassTable) -> Iterator[Fold]:
    """Yield the folds of a splitter, or of pairs of row indices, after checking that they are class-disjoint."""
    table.index_of(y, name="y")
    pairs = list(splitter.split(X, y) if hasattr(splitter, "split") else splitter)
    for at, (train, test) in enumerate(pairs, start=1):
        seen, held_out = np.unique(y[train]), np.unique(y[test])
        shared = np.intersect1d(seen, held_out)
        if shared.size:
            raise InputError(
                f"splitter puts {shorten(shared)} on both sides of split {at}: hold out whole classes, "
                "for example with HoldOutClasses or ClassKFold"
            )
        if min(len(seen), len(held_out)) < 2:
            raise InputError(
                f"splitter leaves {len(seen)} training and {len(held_out)} held-out classes in split {at}: "
                "both sides need at least two"
            )
        yield Fold(f"split {at} of {len(pairs)}", train, test, table.select(seen), table.select(held_out))


def require_descriptions(classes: Any) -> ClassTable:
    """Return the class table, or refuse if there is none: the search needs class descriptions."""
    if classes is None:
        raise InputError(
            "classes is None, but held-out classes are known only by their descriptions: "
            "give a ClassTable, a data frame or a mapping from label to description"
        )
    return as_table(classes)


def take_rows(X: Any, rows: NDArray[np.int64]) -> Any:
    """Take some rows of features, which may be an array of any library."""
    return arrays.take_rows(X, rows) if is_foreign(X) else _safe_indexing(X, rows)
