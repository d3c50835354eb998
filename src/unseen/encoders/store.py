"""Store features of pictures during an extraction, so that a killed run loses at most one batch."""

import json
from collections.abc import KeysView, Sequence
from pathlib import Path
from typing import IO, Self

import numpy as np
from numpy.typing import NDArray

from unseen.encoders.manifest import EncoderRecord
from unseen.utils.errors import InputError
from unseen.utils.storage.digests import digest_bytes
from unseen.utils.storage.paths import join_inside

_ENCODER, _ROWS, _HASHES = "encoder.json", "rows.f32", "hashes.txt"
_HASH = 64  # digits of a SHA-256
_LINE = 2 * (_HASH + 1)  # two hashes, each followed by one character


class Store:
    """Rows of features, looked up by the hash of the picture.

    Each row has a line with the hash of its picture and a digest of the encoder and the row. So a row that was damaged,
    partly written, or made by another encoder is ignored when the files are opened again.

    Parameters
    ----------
    folder : Path
        Folder of its files, created if it does not exist.
    record : EncoderRecord
        Record of the encoder.
    """

    def __init__(self, folder: Path, record: EncoderRecord) -> None:
        self._fingerprint, self._row_size = record.fingerprint.encode(), 4 * record.width
        folder.mkdir(parents=True, exist_ok=True)
        # The folder may contain links: files outside of it must not be written.
        encoder, self._path, lines = (join_inside(folder, name) for name in (_ENCODER, _ROWS, _HASHES))
        encoder.write_text(json.dumps(record.as_dict()), encoding="utf-8")
        self._rows: IO[bytes] = open(self._path, "a+b")  # noqa: SIM115 - closed by __exit__
        self._lines: IO[bytes] = open(lines, "a+b")  # noqa: SIM115
        self._places: dict[str, tuple[int, bytes]] = {}
        self._count = self._recover()

    @property
    def hashes(self) -> KeysView[str]:
        """The hashes of the pictures whose rows are stored."""
        return self._places.keys()

    def append(self, hashes: Sequence[str], rows: NDArray[np.float32]) -> None:
        """Add rows; if the run is killed, each is stored completely or not at all."""
        parts = [row.tobytes() for row in np.asarray(rows, dtype="<f4")]
        lines = [self._make_line(hash_, part) for hash_, part in zip(hashes, parts, strict=True)]
        for file, content in ((self._rows, parts), (self._lines, lines)):
            file.write(b"".join(content))
            file.flush()
        for hash_, line in zip(hashes, lines, strict=True):
            self._places[hash_] = (self._count, line)
            self._count += 1

    def read(self, hash_: str) -> NDArray[np.float32]:
        """Return the row of a picture after checking its digest."""
        at, line = self._places[hash_]
        self._rows.seek(at * self._row_size)
        row = self._rows.read(self._row_size)
        if self._make_line(hash_, row) != line:
            raise InputError(
                f"{self._path} was damaged after it was written: run the same command again, which encodes the damaged "
                "rows again; if that does not help, choose another disk"
            )
        return np.frombuffer(row, dtype="<f4")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._rows, self._lines:  # closes both, even if closing one of them fails
            pass

    def _make_line(self, hash_: str, row: bytes) -> bytes:
        digest = digest_bytes(b" ".join((self._fingerprint, hash_.encode(), row)))
        return f"{hash_} {digest}\n".encode()

    def _recover(self) -> int:
        """Find the complete rows, and cut off what the last run did not finish writing."""
        sizes = (self._row_size, _LINE)
        files = (self._rows, self._lines)
        count = min(file.seek(0, 2) // size for file, size in zip(files, sizes, strict=True))
        for file, size in zip(files, sizes, strict=True):
            file.truncate(count * size)
            file.seek(0)
        for at in range(count):
            row, line = self._rows.read(self._row_size), self._lines.read(_LINE)
            hash_ = line[:_HASH].decode("ascii", "replace")
            if self._make_line(hash_, row) == line:
                self._places[hash_] = (at, line)
        return count


def read_encoder(folder: Path) -> EncoderRecord | None:
    """Return the record of the encoder whose rows a folder holds, or None if it is not known."""
    try:
        found = json.loads((folder / _ENCODER).read_text(encoding="utf-8"))
        return EncoderRecord.from_dict(found, str(folder / _ENCODER))
    except (OSError, ValueError):
        return None
