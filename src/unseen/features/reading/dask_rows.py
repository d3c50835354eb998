"""Read feature rows of a Dask array; every pass is one reduction, computed where the chunks are."""

from collections.abc import Callable
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

from array_api_compat import is_dask_array

from unseen.features.reading.rows import Rows, add_parts
from unseen.utils.arrays import Array, to_numpy

# Sums of this many chunks are added at a time, so that no machine ever holds the sums of all chunks.
TOGETHER = 8


class DaskRows(Rows):
    """Rows of a Dask array that are centred and scaled on the workers.

    The chunks stay where they are, and labels and weights are sent to them once, before the first pass. Only the
    function of a pass is sent, once to each worker, and its sums return.
    """

    def __getitem__(self, rows: slice) -> Array:
        """Read a block of consecutive rows into memory."""
        return self._scale(self.X[rows, :].compute())

    def take(self, indices: Array) -> Array:
        """Read the rows with these indices into memory."""
        return self._scale(self.X[to_numpy(indices), :].compute())

    def add_up(
        self, function: Callable[..., tuple[Any, ...]], y: Array, work_columns: int, *more: Array
    ) -> tuple[Any, ...]:
        """Apply a function to every chunk, block by block, and add up its results (see `Rows.add_up`)."""
        import dask

        # One node of the graph, so that it is sent to each worker once and not with every chunk.
        shared = dask.delayed(_ChunkSums(self, function, work_columns), pure=False)
        parts = zip(self._chunks, *(self._cut(values) for values in (y, *more)), strict=True)
        sums = [shared(*part) for part in parts]
        while len(sums) > 1:
            sums = [dask.delayed(_add_all)(sums[at : at + TOGETHER]) for at in range(0, len(sums), TOGETHER)]
        [total] = dask.compute(sums[0])
        return tuple(total)

    @cached_property
    def _chunks(self) -> list[Any]:
        return list(self.X.to_delayed().ravel())

    def _cut(self, values: Array) -> list[Any]:
        """Split an array of one value per row along the chunks of the rows, and leave the parts on the workers."""
        for known, parts in self._sent:
            if known is values:
                return parts
        import dask

        bounds = accumulate(self.X.chunks[0], initial=0)
        parts = list(dask.persist(*(dask.delayed(values[start:stop]) for start, stop in pairwise(bounds))))
        self._sent.append((values, parts))
        return parts

    @cached_property
    def _sent(self) -> list[tuple[Array, list[Any]]]:
        """The arrays that were sent, and where their parts are."""
        return []


class _ChunkSums:
    """Compute the sums of one chunk, on a worker."""

    def __init__(self, rows: DaskRows, function: Callable[..., Any], work_columns: int) -> None:
        # Not the rows themselves, because the whole array would be sent with them.
        self.parameters = (rows.mean, rows.factor, rows.dtype, rows.constant)
        self.function = function
        self.work_columns = work_columns

    def __call__(self, chunk: Array, y: Array, *more: Array) -> tuple[Any, ...]:
        return Rows(chunk, *self.parameters).add_up(self.function, y, self.work_columns, *more)


def _add_all(parts: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    total = parts[0]
    for part in parts[1:]:
        total = add_parts(total, part)
    return total


def make_rows(X: Array, mean: Array | None = None, factor: Array | None = None, *, constant: bool = False) -> Rows:
    """Make the rows of an array of any library."""
    return (DaskRows if is_dask_array(X) else Rows)(X, mean, factor, constant=constant)
