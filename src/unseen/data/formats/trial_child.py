"""The child process of `trial_reading`: reads a file within limits and says on the error stream what went wrong.

Arrays of MATLAB files go to its output: a line of JSON with their names, then each as a `.npy` file holds it.

It is run by its path and imports nothing of this package, so that it starts quickly.
"""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace
from typing import Any

# What is read at a time.
_BYTES = 2**25


def limit(seconds: int, memory: int) -> None:
    """Let the process use no more than this much time and memory, if the system knows such limits."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def read_mat(path: str, names: Sequence[str]) -> None:
    """Read variables of a MATLAB file of version 5, and hand them over."""
    import numpy as np
    from scipy.io import loadmat, whosmat

    found = [name for name, _, _ in whosmat(path, appendmat=False)]
    wanted = [name for name in names if name in found]
    variables = loadmat(path, variable_names=wanted, appendmat=False)
    arrays = {name: to_plain_array(variables[name]) for name in wanted if name in variables}
    structures = [name for name, array in arrays.items() if array.dtype.kind == "V"]
    values = {name: array for name, array in arrays.items() if name not in structures}
    told = {"found": found, "structures": structures, "values": list(values)}
    sys.stdout.buffer.write(json.dumps(told).encode() + b"\n")
    # NumPy would ask a file for its place, which a pipe does not have.
    pipe: Any = SimpleNamespace(write=sys.stdout.buffer.write)
    for array in values.values():
        np.lib.format.write_array(pipe, array, allow_pickle=False)
    sys.stdout.buffer.flush()


def to_plain_array(value: Any) -> Any:
    """Turn a cell array of text into an array of text, and a sparse matrix into a dense one."""
    import numpy as np

    array = np.asarray(value.toarray() if hasattr(value, "toarray") else value)
    if array.dtype.kind != "O":
        return array
    cells = ["".join(np.asarray(cell).ravel().astype(str)) for cell in array.ravel(order="F")]
    return np.array(cells).reshape(array.shape, order="F")


def read_hdf5(path: str, most: int) -> None:
    """Read every array of an HDF5 file, none of which may claim to be larger than `most` bytes."""
    h5py = import_module("h5py")

    def read(_name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and not item.external and not item.is_virtual:
            if item.nbytes > most:
                raise MemoryError(f"{item.name} claims to hold {item.nbytes / 2**30:.0f} GiB")
            if item.chunks and item.dtype.kind not in "OS":
                # As many chunks at a time as fit into a little memory.
                rows = max(1, _BYTES // max(1, item.nbytes // max(1, len(item)) * item.chunks[0])) * item.chunks[0]
                for start in range(0, len(item), rows):
                    item[start : start + rows]
            elif item.dtype.kind in "OS" or not item.shape:
                item[()]
            else:
                item.id.get_offset()

    with h5py.File(path, "r") as file:
        file.visititems(read)


def main(kind: str, path: str, seconds: str, memory: str, *names: str) -> int:
    """Read the file; 0 if all went well."""
    limit(int(seconds), int(memory))
    try:
        if kind == "mat":
            read_mat(path, names)
        else:
            read_hdf5(path, int(memory))
    except BaseException as error:  # whatever it is, it goes into a sentence
        sys.stderr.write(" ".join(f"{type(error).__name__}: {error}".split()))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
