"""Watch which arrays leave their library, or the device that they are on, for NumPy."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

# Ways out: what NumPy and Python call when they read another library's array.
_OF_TORCH = ("numpy", "tolist", "__dlpack__")
_OF_STRICT = ("__dlpack__", "__buffer__", "__array__")

# Tests keep classes, attributes and features fewer than this, so that a matrix with as many rows is one of data.
MANY = 60


@contextmanager
def watch_leaving() -> Iterator[list[tuple[int, ...]]]:
    """Record the shapes of the matrices with a row for each of many examples that leave their library.

    Vectors with one number for each row, such as labels, and small matrices may leave: answers are labels.
    """
    import array_api_strict
    import torch

    shapes: list[tuple[int, ...]] = []
    strict = type(array_api_strict.asarray(0.0))
    ways = [(torch.Tensor, name) for name in _OF_TORCH] + [(strict, name) for name in _OF_STRICT]
    patches = [patch.object(kind, name, _record(getattr(kind, name), shapes)) for kind, name in ways]
    for one in patches:
        one.start()
    try:
        yield shapes
    finally:
        for one in patches:
            one.stop()


def _record(method: Callable[..., Any], shapes: list[tuple[int, ...]]) -> Callable[..., Any]:
    def recording(self: Any, *arguments: Any, **options: Any) -> Any:
        shape = tuple(self.shape)
        if len(shape) > 1 and max(shape) >= MANY and min(shape) > 2:
            shapes.append(shape)
        return method(self, *arguments, **options)

    return recording


def put_on_device(X: Any) -> Any:
    """Return rows on a device of array-api-strict, from which NumPy cannot read, as if they were on a GPU."""
    import array_api_strict

    return array_api_strict.asarray(X, device=array_api_strict.Device("device1"))
