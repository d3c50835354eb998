"""Features of pictures on their way to a dataset: appended batch by batch, so that a kill loses one batch at most."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from unseen.utils.errors import InputError

_LINE = 65  # a SHA-256 in hexadecimal and the end of the line


class Store:
    """Rows of features, found by the hash of the picture.

    Parameters
    ----------
    folder : Path
        Where its files are; made where there is none.
    fingerprint : str
        Of the encoder. Rows of another are thrown away.
    width : int
        Of a row.
    """

    def __init__(self, folder: Path, fingerprint: str, width: int) -> None:
        self._folder, self._width = folder, width
        if self._fingerprint() != fingerprint:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "encoder.json").write_text(json.dumps({"fingerprint": fingerprint}), encoding="utf-8")
        self._rows: IO[bytes] = open(folder / "rows.f32", "ab")  # noqa: SIM115 - closed by close()
        self._hashes: IO[bytes] = open(folder / "hashes.txt", "ab")  # noqa: SIM115
        _lock(self._rows, folder)
        self.positions = self._recovered()

    def append(self, hashes: Sequence[str], rows: NDArray[np.float32]) -> None:
        """Add rows; after a kill they are there whole or not at all."""
        self._rows.write(np.ascontiguousarray(rows, dtype="<f4").data)
        self._rows.flush()
        self._hashes.write("".join(f"{hash_}\n" for hash_ in hashes).encode())
        self._hashes.flush()
        for hash_ in hashes:
            self.positions[hash_] = len(self.positions)

    def rows(self) -> NDArray[np.float32]:
        """Return all rows, mapped from disk, in the order of `positions`."""
        if not self.positions:
            return np.empty((0, self._width), dtype=np.float32)
        shape = (len(self.positions), self._width)
        return np.memmap(self._folder / "rows.f32", dtype="<f4", mode="r", shape=shape)

    def close(self) -> None:
        """Close the files."""
        self._rows.close()
        self._hashes.close()

    def _fingerprint(self) -> Any:
        try:
            return json.loads((self._folder / "encoder.json").read_text(encoding="utf-8"))["fingerprint"]
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def _recovered(self) -> dict[str, int]:
        """Cut off what the last run did not finish writing."""
        row = 4 * self._width
        n = min(self._rows.tell() // row, self._hashes.tell() // _LINE)
        self._rows.truncate(n * row)
        self._hashes.truncate(n * _LINE)
        lines = (self._folder / "hashes.txt").read_text(encoding="ascii").split()
        return {hash_: at for at, hash_ in enumerate(lines)}


def _lock(file: IO[bytes], folder: Path) -> None:
    """Keep a second run out; the lock goes with the process, however it ends."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InputError(f"{folder.parent} is being written by another `unseen extract`: wait for it") from error
