"""Read feature rows a block or a batch at a time, and scale them while reading."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import is_array_api_obj, is_dask_array

from unseen.utils.arrays import Array, convert_like, cut_row_blocks, namespace

# Rows are copied to be padded up to this size in double precision.
PADDED_BYTES = 2**28

# Padded rows have a multiple of this many numbers, so that no product that sums over them is left with an edge: CUB's
# sums of 304 numbers for each class take two cores 2.6 ms, those of 301 take 2.9.
ROUND_WIDTH = 16


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of X that are centred and scaled when they are read, so that X itself may be larger than memory.

    Parameters
    ----------
    X : array of shape (n, d)
        Features, in memory or memory-mapped; never copied as a whole.
    mean : array of shape (d,), optional
        Vector subtracted from every row.
    factor : array of shape (d,), optional
        Vector that multiplies every row after centring.
    dtype : optional
        Precision of the rows that are read; by default that of X.
    constant : bool, default False
        Whether to append a column of ones, which is a feature like others.
    padding : int, default 0
        How many of the last columns of X are not features; see `pad`.
    """

    X: Array
    mean: Array | None = None
    factor: Array | None = None
    dtype: Any = None
    constant: bool = False
    padding: int = 0

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""
        return int(self.X.shape[0]), int(self.X.shape[1]) + self.constant - self.padding

    @property
    def padded(self) -> bool:
        """Whether there is a column of ones beside the features."""
        return self.padding > 0

    def __getitem__(self, rows: slice) -> Array:
        """Read a block of consecutive rows."""
        return self._scale(self.X[rows, :])

    def pad(self) -> "Rows":
        """Return the same rows with a column of ones beside the features, where a copy in memory is cheap.

        Then scores with an offset for every class are one product, and so are sums with the counts of the classes.
        Columns of zeros follow, up to a width that products take best.
        """
        kept = is_array_api_obj(self.X) and not is_dask_array(self.X) and not isinstance(self.X, np.memmap)
        if self.padded or not kept or 8 * math.prod(self.shape) > PADDED_BYTES:
            return self
        n, width = self.shape
        features, missing = self[slice(0, n)], -(width + 1) % ROUND_WIDTH
        xp = namespace(features)
        zeros = xp.zeros((n, missing), dtype=features.dtype, device=features.device)
        return Rows(xp.concat([features, xp.ones_like(features[:, :1]), zeros], axis=1), padding=1 + missing)

    def blocks(self, work_columns: int) -> list[slice]:
        """Cut the rows into blocks, given how many work numbers per row a block needs beside the features."""
        return cut_row_blocks(self.shape[0], 8 * (self.shape[1] + work_columns), self.X)

    def add_up(
        self, function: Callable[..., tuple[Any, ...]], y: Array, work_columns: int, *more: Array
    ) -> tuple[Any, ...]:
        """Apply a function to every block of rows and their labels, and add up its results, part by part.

        Every pass over the data is such a reduction. `more` are further arrays with one value per row, which are
        passed to the function after the labels.
        """
        return self._add_up(self.__getitem__, function, y, work_columns, *more)

    def add_up_padded(
        self, function: Callable[..., tuple[Any, ...]], y: Array, work_columns: int, *more: Array
    ) -> tuple[Any, ...]:
        """Do as `add_up` with rows that are `padded`: the function is given the padding, too."""
        assert self.padded
        return self._add_up(lambda rows: self.X[rows, :], function, y, work_columns, *more)

    def _add_up(
        self,
        read: Callable[[slice], Array],
        function: Callable[..., tuple[Any, ...]],
        y: Array,
        work_columns: int,
        *more: Array,
    ) -> tuple[Any, ...]:
        total: tuple[Any, ...] | None = None
        for rows in self.blocks(work_columns):
            total = add_parts(total, function(read(rows), y[rows], *(values[rows] for values in more)))
        assert total is not None
        return total

    def take(self, indices: Array) -> Array:
        """Read the rows with these indices."""
        return self._scale(namespace(self.X).take(self.X, indices, axis=0))

    def _scale(self, block: Array) -> Array:
        xp = namespace(block)
        if self.padded:
            block = block[:, : -self.padding]
        if self.dtype is not None:
            block = xp.astype(block, self.dtype, copy=False)
        if self.mean is not None:
            block = block - convert_like(self.mean, block)[None, :]
        if self.factor is not None:
            block = block * convert_like(self.factor, block)[None, :]
        return append_ones(block) if self.constant else block


def append_ones(rows: Array) -> Array:
    """Append a column of ones, whose weights are the offsets of the classes."""
    xp = namespace(rows)
    return xp.concat([rows, xp.ones_like(rows[:, :1])], axis=1)


def add_parts(total: tuple[Any, ...] | None, parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Add two tuples part by part."""
    return parts if total is None else tuple(one + other for one, other in zip(total, parts, strict=True))
