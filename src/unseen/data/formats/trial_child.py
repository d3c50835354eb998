"""The child process of `trial_reading`: reads a file within limits and says on the error stream what went wrong.

It is run by its path and imports nothing of this package, so that it starts quickly.
"""

import sys
from contextlib import suppress
from importlib import import_module
from typing import Any


def limit(seconds: int, memory: int) -> None:
    """Let the process use no more than this much time and memory, if the system knows such limits."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def read_mat(path: str) -> None:
    """Read all variables of a MATLAB file of version 5."""
    from scipy.io import loadmat, whosmat

    whosmat(path, appendmat=False)
    loadmat(path, appendmat=False)


def read_hdf5(path: str) -> None:
    """Read all arrays of an HDF5 file, but for those that are mapped rather than read."""
    h5py = import_module("h5py")

    def read(_name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and not item.external and not item.is_virtual:
            if item.chunks or item.dtype.kind in "OS" or not item.shape:
                item[()]
            else:
                item.id.get_offset()

    with h5py.File(path, "r") as file:
        file.visititems(read)


def main(kind: str, path: str, seconds: str, memory: str) -> int:
    """Read the file; 0 if all went well."""
    limit(int(seconds), int(memory))
    try:
        {"mat": read_mat, "hdf5": read_hdf5}[kind](path)
    except BaseException as error:  # whatever it is, it goes into a sentence
        sys.stderr.write(" ".join(f"{type(error).__name__}: {error}".split()))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
