"""Let a process of its own read a file, because the reader may not survive it.

SciPy's reader of MATLAB files and the HDF5 library are written in C: a damaged file can end the process, take all its
memory or keep it busy for ever. No check of ours can tell beforehand, because only these libraries know the formats. So
a child process reads the file, with limits on its time and memory, and whatever becomes of the child is told in a
sentence. Arrays of MATLAB files are handed over by the child: what SciPy reads beyond the end of a table is not the
same twice, so that a file may crash one process and not another. HDF5 files are read again here, because most of their
arrays are mapped rather than read. A good file costs the start of a process (some 0.2 s).
"""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from unseen.utils.errors import InputError

# The child may take this long for any file, and as long again for every so many bytes.
SECONDS, BYTES = 20, 2**27
# The child may use this much memory beside the size of the file, of which a compressed one may hold many times as much.
MEMORY, EXPANSION = 2**32, 16
_CHILD = Path(__file__).with_name("trial_child.py")

Received = TypeVar("Received")


def check_by_trial(path: Path) -> None:
    """Refuse an HDF5 file that its library cannot read within limits."""
    _run_child(path, "hdf5", (), lambda _: None)


def read_mat_by_child(path: Path, names: Sequence[str]) -> tuple[list[str], dict[str, NDArray[Any]]]:
    """Read variables of a MATLAB file of version 5, or refuse a file that SciPy cannot read within limits.

    Parameters
    ----------
    path : Path
        The file.
    names : sequence of str
        The variables to read, if they are there; a cell array of text becomes an array of text.

    Returns
    -------
    found : list of str
        The names of all variables in the file.
    values : dict of str to ndarray
        Those that were asked for.
    """
    told, values = _run_child(path, "mat", names, _receive_arrays)
    for name in told["structures"]:
        raise make_structure_error(path, name)
    return told["found"], values


def make_structure_error(path: Path, name: str) -> InputError:
    """Make the error for a MATLAB variable that is not an array."""
    return InputError(f"{path}: {name} is a structure, not an array: give the expected file")


def _receive_arrays(stream: IO[bytes]) -> tuple[dict[str, list[str]], dict[str, NDArray[Any]]]:
    told = json.loads(stream.readline())
    # NumPy would ask a file for its place, which a pipe does not have.
    pipe: Any = SimpleNamespace(read=stream.read)
    return told, {name: np.lib.format.read_array(pipe, allow_pickle=False) for name in told["values"]}


def _run_child(
    path: Path, kind: Literal["mat", "hdf5"], names: Sequence[str], receive: Callable[[IO[bytes]], Received]
) -> Received:
    size = path.stat().st_size
    seconds, memory = SECONDS * (1 + size // BYTES), MEMORY + EXPANSION * size
    command = [sys.executable, str(_CHILD), kind, str(path.resolve()), str(seconds), str(memory), *names]
    late = threading.Event()
    with tempfile.TemporaryFile() as said, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said) as child:
        assert child.stdout is not None

        def stop() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(seconds, stop)
        timer.start()
        received: list[Received] = []
        try:
            with suppress(ValueError), child.stdout as stream:  # what a dying child left half said
                received.append(receive(stream))
            code = child.wait()
        finally:
            timer.cancel()
            child.kill()
        said.seek(0)
        lines = said.read().decode(errors="replace").strip().splitlines()
    if late.is_set():
        raise InputError(f"{path} is damaged, for reading it takes more than {seconds} s: make or fetch it again")
    if code or not received:
        reason = lines[-1][:300] if lines and code >= 0 else f"its reader ended by signal {-code}"
        raise InputError(f"{path} is truncated or damaged ({reason}): make or fetch it again")
    return received[0]
