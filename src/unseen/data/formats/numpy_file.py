"""Read NumPy files: datasets from `.npz`, features alone from `.npz` or `.npy`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from unseen.data.formats.extracted import refuse_changed
from unseen.data.formats.keyed import KeyedFormat
from unseen.data.rows import FeatureRows
from unseen.utils.errors import InputError

ARRAY = b"\x93NUMPY"
# First bytes of `.npz` files, and of pickles, which users confuse with them.
ARCHIVE = (b"PK\x03\x04", b"PK\x05\x06", b"\x80")


def refuse_npy(path: Path, features: Any = None) -> NoReturn:
    """Refuse a `.npy` file, which cannot hold a dataset."""
    raise InputError(f"{path} holds a single array, not a dataset: save its parts with np.savez")


def read_npy_rows(path: Path, features: Any = None) -> FeatureRows:
    """Memory-map the features of a `.npy` file; one written by `unseen extract` must be unchanged."""
    if features is not None:
        raise InputError(f"features={features!r} names an array, but {path} holds a single one: leave it out")
    refuse_changed(path.parent, [path.name])
    return FeatureRows.from_matrix(map_npy(path))


def map_npy(path: Path) -> NDArray[Any]:
    """Memory-map the array of a `.npy` file."""
    with _explain_damage(path):
        return np.lib.format.open_memmap(path, mode="r")


@contextmanager
def _explain_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # NumPy and zipfile answer a damaged file with nearly every kind of exception
        if "pickle" in str(error):
            raise InputError(
                f"{path} holds pickled Python objects, which are not read because that may run code: "
                "save plain arrays of numbers and text (no dtype=object)"
            ) from error
        raise InputError(
            f"{path} is truncated, damaged or pickled ({error}): save plain arrays of numbers again, or fetch it again"
        ) from error


def _read_arrays(path: Path, choose: Callable[[list[str]], list[str]]) -> dict[str, NDArray[Any]]:
    # Pickled objects are refused, because loading them may run code.
    with _explain_damage(path), np.load(path, allow_pickle=False) as file:
        return {key: file[key] for key in choose(file.files)}


NPZ = KeyedFormat(_read_arrays)
