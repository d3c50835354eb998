"""Check the split, the features and the descriptions of a dataset."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.checking.findings import Finding
from unseen.data.class_table import ClassTable
from unseen.data.formats.contents import Contents, RowSplit
from unseen.utils.arrays import cut_row_blocks
from unseen.utils.errors import shorten


def check_split(contents: Contents, rows: RowSplit) -> Iterator[Finding]:
    """Look for rows that are out of range or in two parts, and for classes on the wrong side of the split."""
    n = len(contents.y)
    broken = False
    for name, part in rows.parts.items():
        outside, repeated = part[(part < 0) | (part >= n)], len(part) - len(np.unique(part))
        if outside.size:
            broken = True
            yield Finding("error", "split", f"{name} names rows outside 0 to {n - 1}: {shorten(outside)}")
        if repeated:
            yield Finding("error", "split", f"{name} names {repeated} rows twice")
    for (one, first), (two, second) in combinations(rows.parts.items(), 2):
        shared = np.intersect1d(first, second)
        if shared.size:
            yield Finding("error", "overlap", f"{one} and {two} share {shared.size} rows: {shorten(shared)}")
    if not broken:
        yield from _check_split_classes(contents.y, rows)


def _check_split_classes(y: NDArray[Any], rows: RowSplit) -> Iterator[Finding]:
    seen, test_seen, unseen = (set(y[part].tolist()) for part in rows.parts.values())
    if seen & unseen:
        both = shorten(sorted(seen & unseen))
        yield Finding("error", "overlap", f"{len(seen & unseen)} classes are both in train and unseen: {both}")
    else:
        yield Finding("ok", "overlap", "no unseen class has training rows")
    if test_seen - seen:
        message = f"{len(test_seen - seen)} classes of test_seen have no training rows: {shorten(test_seen - seen)}"
        yield Finding("error", "overlap", message)
    left_out = len(y) - sum(map(len, rows.parts.values()))
    if left_out > 0:
        yield Finding("ok", "split", f"{left_out:,} rows are not in any part of the split")


def check_labels(contents: Contents) -> Iterator[Finding]:
    """Look for described classes without examples."""
    present = set(contents.y.tolist())
    empty = [label for label in contents.classes if label not in present]
    if empty:
        yield Finding("warning", "labels", f"{len(empty)} described classes have no rows: {shorten(empty)}")
    else:
        yield Finding("ok", "labels", f"each row has a described class, and each of {len(present)} classes has rows")


def check_descriptions(classes: ClassTable, marked: int) -> Iterator[Finding]:
    """Look for constant attributes, classes with equal descriptions, and values marked as missing."""
    vectors = classes.vectors
    constant = np.flatnonzero(vectors.min(axis=0) == vectors.max(axis=0))
    if constant.size:
        message = f"{constant.size} attributes are the same for all classes: columns {shorten(constant)}"
        yield Finding("warning", "descriptions", message)
    _, first, counts = np.unique(vectors, axis=0, return_index=True, return_counts=True)
    alike = classes.labels[first[counts > 1]]
    if alike.size:
        yield Finding("warning", "descriptions", f"other classes have the same description as {shorten(alike)}")
    if marked:
        yield Finding(
            "warning", "descriptions", f"{marked} values are marked as missing (negative): they are read as 0"
        )
    if not (constant.size or alike.size or marked):
        message = f"all {len(classes)} classes have different descriptions, and all attributes vary"
        yield Finding("ok", "descriptions", message)


@dataclass(frozen=True, eq=False)
class _Columns:
    """Smallest and largest value of each column, and counts over the whole matrix."""

    low: NDArray[Any]
    high: NDArray[Any]
    n_zero: int
    n_bad: int
    first_bad: tuple[int, int] | None


def check_features(X: NDArray[Any]) -> Iterator[Finding]:
    """Look for values that are not finite and for features that are constant."""
    if X.ndim != 2 or X.dtype.kind not in "fiub" or not X.size:
        yield Finding("error", "features", f"X has shape {X.shape} and dtype {X.dtype}: give a matrix of numbers")
        return
    columns = _measure_columns(X)
    if columns.n_bad:
        row, column = columns.first_bad or (0, 0)
        message = f"{columns.n_bad:,} values are NaN or infinite, the first at row {row}, column {column}"
        yield Finding("error", "features", message)
    low, high = float(np.nanmin(columns.low)), float(np.nanmax(columns.high))
    share = columns.n_zero / X.size
    yield Finding("ok", "features", f"{X.shape[1]:,} of {X.dtype}, from {low:.4g} to {high:.4g}, {share:.0%} zeros")
    constant = np.flatnonzero(columns.low == columns.high)
    dead = int(np.sum(columns.low[constant] == 0))
    if constant.size:
        message = f"{constant.size} features are constant ({dead} of them are always 0): columns {shorten(constant)}"
        yield Finding("warning", "features", message)
    else:
        yield Finding("ok", "features", "every feature varies")


def _measure_columns(X: NDArray[Any]) -> _Columns:
    low = np.full(X.shape[1], np.inf)
    high = np.full(X.shape[1], -np.inf)
    n_zero = n_bad = 0
    first_bad = None
    for rows in cut_row_blocks(len(X), X.shape[1] * 8):
        block = np.asarray(X[rows])
        finite = np.isfinite(block)
        if not finite.all():
            n_bad += int(np.sum(~finite))
            row, column = np.argwhere(~finite)[0]
            first_bad = first_bad or (rows.start + int(row), int(column))
        low = np.fmin(low, np.min(block, axis=0, where=finite, initial=_find_largest(block)))
        high = np.fmax(high, np.max(block, axis=0, where=finite, initial=_find_smallest(block)))
        n_zero += int(np.sum(block == 0))
    return _Columns(low, high, n_zero, n_bad, first_bad)


def _find_largest(block: NDArray[Any]) -> Any:
    return np.inf if block.dtype.kind == "f" else block.max()


def _find_smallest(block: NDArray[Any]) -> Any:
    return -np.inf if block.dtype.kind == "f" else block.min()


def check_duplicates(contents: Contents) -> Iterator[Finding]:
    """Look for equal rows, especially in both training and test set."""
    groups: dict[bytes, list[int]] = {}
    for row, values in enumerate(contents.X):
        groups.setdefault(hashlib.blake2b(values.tobytes(), digest_size=16).digest(), []).append(row)
    repeated = [rows for rows in groups.values() if len(rows) > 1]
    if not repeated:
        yield Finding("ok", "duplicates", "no two rows are equal")
        return
    side = _assign_sides(len(contents.y), contents.rows)
    torn = sum(len(set(contents.y[rows].tolist())) > 1 for rows in repeated)
    across = sum({"train", "test"} <= set(side[rows].tolist()) for rows in repeated)
    message = f"{len(repeated)} groups of equal rows, for example {repeated[0][:5]}"
    yield Finding("warning", "duplicates", f"{message}; of different classes: {torn}; both in train and test: {across}")


def _assign_sides(n: int, split: RowSplit | None) -> NDArray[np.str_]:
    """Return for each row "train", "test" or an empty text."""
    side = np.full(n, "", dtype="<U5")
    for name, rows in split.parts.items() if split else ():
        side[rows[(rows >= 0) & (rows < n)]] = "train" if name == "train" else "test"
    return side
