"""Check class labels, which may be text, numbers or other hashable values."""

from collections.abc import Hashable, Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean


def list_labels(labels: Any, name: str) -> list[Any]:
    """Return labels from any one-dimensional collection as a list of plain Python values."""
    if isinstance(labels, str | bytes) or not hasattr(labels, "__iter__"):
        raise InputError(
            f"{name} must be a list or one-dimensional array of class labels, got the single value {labels!r}: "
            f"write [{labels!r}]"
        )
    if not hasattr(labels, "__array__"):
        return list(labels)
    array = to_numpy(labels)
    if array.ndim != 1:
        raise InputError(f"{name} must be one-dimensional, got shape {array.shape}: pass {name}.ravel()")
    items: list[Any] = array.tolist()
    return items


def make_label_array(labels: Any, name: str) -> NDArray[Any]:
    """Return a new one-dimensional NumPy array of labels: all text, all numbers, or all other objects.

    >>> make_label_array(["zebra", "cat"], "labels")
    array(['zebra', 'cat'], dtype='<U5')
    """
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "Uiub":
        return np.array(labels)
    items = list_labels(labels, name)
    if _are_all(items, str, "text", name):
        return np.array(items, dtype=np.str_)
    if _are_all(items, (Real, np.bool_), "numbers", name):
        return _make_number_labels(items, name)
    objects = np.empty(len(items), dtype=object)
    objects[:] = items
    return objects


def _are_all(items: list[Any], kind: Any, words: str, name: str) -> bool:
    """Tell whether all labels are of this kind; refuse mixed labels, because NumPy would turn 1 into '1'."""
    odd = [item for item in items if not isinstance(item, kind)]
    if odd and len(odd) < len(items):
        raise InputError(
            f"{name} mixes {words} with the other value {odd[0]!r}: "
            "use labels of one type and give each class a label (none may be missing)"
        )
    return not odd


def _make_number_labels(items: list[Any], name: str) -> NDArray[Any]:
    numbers = np.array(items)
    if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
        bad = numbers[~np.isfinite(numbers)][0]
        raise InputError(f"{name} has the label {bad}: give each class a label (none may be missing)")
    return numbers


def map_label_positions(labels: NDArray[Any], name: str) -> dict[Hashable, int]:
    """Map each label to its position, and refuse repeated labels and labels that are not hashable."""
    items: list[Any] = labels.tolist()
    try:
        positions = {item: position for position, item in enumerate(items)}
    except TypeError as error:
        raise InputError(f"{name} has a label that is not hashable ({error}): use text or integers") from error
    if len(positions) < len(items):
        # The mapping holds the last position of a label, so every earlier position differs from it.
        repeated = dict.fromkeys(item for position, item in enumerate(items) if positions[item] != position)
        raise InputError(f"{name} must be unique, but {shorten(repeated)} occurs more than once: keep one of each")
    return positions


def make_label_error(missing: Iterable[Hashable], known: Sequence[Hashable], name: str) -> InputError:
    """Make the error for labels that a class table does not describe, with suggestions."""
    distinct = list(dict.fromkeys(missing))
    return InputError(
        f"{name} has labels that the class table does not describe: {shorten(distinct)}"
        f"{did_you_mean(distinct, known)}. The table describes {shorten(known)}: "
        "correct these labels or add their descriptions"
    )
