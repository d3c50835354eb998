"""Read feature rows a block or a batch at a time, and scale them while reading."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unseen.utils.arrays import Array, convert_like, cut_row_blocks, namespace


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
        Whether to append a column of ones.
    """

    X: Array
    mean: Array | None = None
    factor: Array | None = None
    dtype: Any = None
    constant: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return int(self.X.shape[0]), int(self.X.shape[1]) + self.constant

    def __getitem__(self, rows: slice) -> Array:
        """Read a block of consecutive rows."""
        return self._scale(self.X[rows, :])

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
        total: tuple[Any, ...] | None = None
        for rows in self.blocks(work_columns):
            total = add_parts(total, function(self[rows], y[rows], *(values[rows] for values in more)))
        assert total is not None
        return total

    def take(self, indices: Array) -> Array:
        """Read the rows with these indices."""
        return self._scale(namespace(self.X).take(self.X, indices, axis=0))

    def _scale(self, block: Array) -> Array:
        xp = namespace(block)
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
