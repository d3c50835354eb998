"""Read MATLAB files of v5, v7 and v7.3 as plain arrays in MATLAB's orientation."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.formats.hdf5 import SIGNATURE, is_own, open_hdf5, read_array
from unseen.data.formats.trial_reading import make_structure_error, read_mat_by_child
from unseen.utils.errors import InputError, shorten

_V5, _V73 = b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file"

# A v7.3 file is an HDF5 file after a header of this many bytes.
_HEADER = 512


def is_mat(path: Path) -> bool:
    """Tell whether the file begins like a MATLAB file."""
    with open(path, "rb") as file:
        return file.read(len(_V5)) in (_V5, _V73)


def read_mat(path: Path, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Read named variables of a MATLAB file; a cell array of text becomes an array of text.

    Parameters
    ----------
    path : Path
        The file.
    required, optional : sequence of str
        The variables to read. Those in `optional` may be absent.

    Returns
    -------
    dict
        The variables by name, shaped as MATLAB shows them.
    """
    if not path.is_file():
        raise InputError(f"{path} does not exist: it should hold {shorten(required)}")
    reader = _read_v73 if _is_hdf5(path) else read_mat_by_child
    if reader is read_mat_by_child and not is_mat(path):
        raise InputError(f"{path} is not a MATLAB file of version 5 to 7.3: save it again, or fetch it again")
    try:
        found, values = reader(path, [*required, *optional])
    except InputError:
        raise
    except Exception as error:  # scipy and h5py raise many kinds of exceptions for a damaged file
        raise InputError(f"{path} is truncated or damaged ({error}): fetch it again") from error
    absent = [name for name in required if name not in values]
    if absent:
        raise InputError(
            f"{path} has no variable {shorten(absent)}, so it is not the expected file: it holds "
            f"{shorten(found, limit=20) or 'nothing'}"
        )
    return values


def _is_hdf5(path: Path) -> bool:
    with open(path, "rb") as file:
        start = file.read(_HEADER + len(SIGNATURE))
    return start.startswith(SIGNATURE) or start[_HEADER:] == SIGNATURE


def _read_v73(path: Path, names: Sequence[str]) -> tuple[list[str], dict[str, NDArray[Any]]]:
    with open_hdf5(path) as file:
        found = [name for name in file if not name.startswith("#")]
        return found, {name: _read_v73_value(file, name, path) for name in names if name in found}


def _read_v73_value(file: Any, name: str, path: Path) -> NDArray[Any]:
    """Read a variable; HDF5 stores the axes of MATLAB's arrays in reverse order."""
    if not is_own(file, name):
        raise InputError(f"{path}: {name} is a link to another place, which is not followed: copy the array itself")
    item = file[name]
    if not hasattr(item, "dtype"):
        raise make_structure_error(path, name)
    kind = item.attrs.get("MATLAB_class", b"")
    if item.dtype.kind == "O":
        references = item[()]
        cells = [_decode_characters(file[reference][()]) for reference in references.ravel()]
        return np.array(cells).reshape(references.shape).T
    return np.array(_decode_characters(item[()])) if kind in (b"char", "char") else read_array(item, path).T


def _decode_characters(codes: NDArray[Any]) -> str:
    return "".join(map(chr, codes.ravel().tolist()))
