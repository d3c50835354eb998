"""Read datasets and single arrays from HDF5 files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.formats.keyed import KeyedFormat
from unseen.data.formats.trial_reading import check_by_trial
from unseen.utils.arrays import cut_row_blocks
from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional
from unseen.utils.storage.spooling import MOST_IN_MEMORY, spool_rows

SIGNATURE = b"\x89HDF\r\n\x1a\n"


def _read_arrays(path: Path, choose: Callable[[list[str]], list[str]]) -> dict[str, NDArray[Any]]:
    """Read the chosen arrays; those that are neither compressed nor chunked are memory-mapped."""
    with open_hdf5(path) as file:
        try:
            keys = choose(list_arrays(file))
            return {key: read_array(file[key], path) for key in keys}
        except InputError:
            raise
        except Exception as error:  # h5py answers a damaged file with nearly every kind of exception
            raise InputError(f"{path} is truncated or damaged ({error}): make or fetch it again") from error


def open_hdf5(path: Path) -> Any:
    """Open an HDF5 file for reading, once a child process could read it."""
    h5py = import_optional("h5py", "hdf5", f"reading the HDF5 file {path}")
    check_by_trial(path)
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise InputError(f"{path} is truncated or not an HDF5 file ({error}): make or fetch it again") from error


def list_arrays(file: Any) -> list[str]:
    """List the arrays of the file itself, without links to other files."""
    h5py = import_optional("h5py", "hdf5", "reading HDF5")
    return [name for name in file if is_own(file, name) and isinstance(file[name], h5py.Dataset)]


def is_own(file: Any, name: str) -> bool:
    """Tell whether a name stands for something in the file itself, rather than for a link."""
    h5py = import_optional("h5py", "hdf5", "reading HDF5")
    return isinstance(file.get(name, getlink=True), h5py.HardLink)


def read_array(dataset: Any, path: Path) -> NDArray[Any]:
    """Read an array of this file, or memory-map it if it is neither compressed nor chunked; text becomes NumPy text.

    A large matrix that is compressed or chunked is memory-mapped too, once it was copied to a temporary file.
    """
    if dataset.external or dataset.is_virtual:
        raise InputError(
            f"{path}: the numbers of {dataset.name} lie in other files, which are not read on its word: "
            "copy them into this one"
        )
    if dataset.dtype.kind in "OS":
        return np.array(dataset.asstr()[()], dtype=np.str_)
    offset = None if dataset.chunks or not dataset.size else dataset.id.get_offset()
    if offset is None or not dataset.shape:
        if dataset.nbytes <= MOST_IN_MEMORY or dataset.ndim != 2:
            return np.asarray(dataset[()])
        blocks = cut_row_blocks(len(dataset), dataset.dtype.itemsize * dataset.shape[1])
        return spool_rows((dataset[rows] for rows in blocks), str(path))
    return np.memmap(path, dtype=dataset.dtype, mode="r", offset=offset, shape=dataset.shape)


HDF5 = KeyedFormat(_read_arrays)
