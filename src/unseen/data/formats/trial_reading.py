"""Read a file once in a process of its own, before it is read here.

SciPy's reader of MATLAB files and the HDF5 library are written in C: a damaged file can end the process, take all its
memory or keep it busy for ever. No check of ours can tell beforehand, because only these libraries know the formats. So
`check_by_trial` lets a child process read the file first, with limits on its time and memory, and whatever becomes of
the child is told in a sentence. A good file costs the start of a process (some 0.2 s) and a second reading;
those parts of an HDF5 file that are mapped here are not read there either.
"""

import subprocess
import sys
from pathlib import Path
from typing import Literal

from unseen.utils.errors import InputError

# The child may take this long for any file, and as long again for every so many bytes.
SECONDS, BYTES = 20, 2**27
# The child may use this much memory beside the size of the file, of which a compressed one may hold many times as much.
MEMORY, EXPANSION = 2**32, 16
_CHILD = Path(__file__).with_name("trial_child.py")


def check_by_trial(path: Path, kind: Literal["mat", "hdf5"]) -> None:
    """Refuse a file that its library cannot read within limits.

    Parameters
    ----------
    path : Path
        The file.
    kind : "mat" or "hdf5"
        Which library reads it.
    """
    size = path.stat().st_size
    seconds = SECONDS * (1 + size // BYTES)
    command = [sys.executable, str(_CHILD), kind, str(path.resolve()), str(seconds), str(MEMORY + EXPANSION * size)]
    try:
        tried = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        raise InputError(
            f"{path} is damaged, for reading it takes more than {seconds} s: make or fetch it again"
        ) from error
    if tried.returncode:
        lines = tried.stderr.decode(errors="replace").strip().splitlines()
        reason = (
            lines[-1][:300] if lines and tried.returncode > 0 else f"its reader ended by signal {-tried.returncode}"
        )
        raise InputError(f"{path} is truncated or damaged ({reason}): make or fetch it again")
