"""Write the files of a finished extraction to a work folder, then move all of them into place."""

import io
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unseen.data.formats.extracted import MANIFEST, is_as_written
from unseen.data.formats.folder import LABELS
from unseen.encoders.encoding import Log
from unseen.encoders.labelled import Labelled
from unseen.encoders.manifest import FEATURES, PICTURES, UNREADABLE, EncoderRecord, Manifest, read_manifest
from unseen.encoders.pictures import Pictures
from unseen.utils.errors import InputError
from unseen.utils.storage.digests import write_digested
from unseen.utils.storage.paths import join_inside
from unseen.utils.storage.writing import sync

_UNFINISHED, _MAKING, _READY = ".unfinished", "making", "ready"
_CHUNK = 4096

# Returns the row of a picture, given its hash.
Rows = Callable[[str], NDArray[np.float32]]


def write_aside(
    out: Path, source: Path, pictures: Pictures, described: Labelled, log: Log, record: EncoderRecord, rows: Rows
) -> None:
    """Write all files of an extraction to a work folder below `out`; `move_in_place` does the rest.

    Parameters
    ----------
    out, source : Path
        The folder of features, and the folder of pictures as the user named it.
    pictures, described, log : Pictures, Labelled and Log
        The pictures, their labels, and the log of encoding them.
    record, rows : EncoderRecord and callable
        The record of the encoder, and a function that returns the row of a picture, given its hash.
    """
    making = find_work(out) / _MAKING
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir()
    digests = {
        FEATURES: write_digested(making / FEATURES, _make_array_parts(list(log.hashes.values()), record.width, rows))
    }
    for name, content in _make_small_files(pictures, described, log).items():
        digests[name] = write_digested(making / name, [content])
    places = (str(source.resolve()), str(pictures.root.resolve()))
    manifest = Manifest(*places, record, log.hashes, log.unreadable, digests)
    write_digested(making / MANIFEST, [manifest.as_text().encode()])
    sync(making)
    # From here on the work is complete: after an interruption the next run only moves the files.
    making.rename(making.with_name(_READY))
    sync(making.parent)


def finish_earlier(out: Path) -> None:
    """Move the finished files of a killed run into place; damaged ones are discarded."""
    ready = join_inside(find_work(out), _READY)
    try:
        new = read_manifest(ready)
        whole = new and all(is_as_written(_find(name, ready, out), digest) for name, digest in new.files.items())
    except InputError:
        whole = False
    if whole:
        move_in_place(out)
    else:
        shutil.rmtree(ready, ignore_errors=True)


def move_in_place(out: Path) -> None:
    """Move finished files into place, the manifest last; if this run is killed, the next one continues."""
    ready = join_inside(find_work(out), _READY)
    new = read_manifest(ready)
    if new is None:
        return
    for name in new.files:
        _find(name, ready, out).replace(out / name)
    for name in _list_former(out):
        if name not in new.files:
            (out / name).unlink(missing_ok=True)
    (ready / MANIFEST).replace(out / MANIFEST)
    sync(out)
    shutil.rmtree(find_work(out))


def find_work(out: Path) -> Path:
    """Return the work folder of an extraction; a link to another place is refused."""
    return join_inside(out, _UNFINISHED)


def _find(name: str, ready: Path, out: Path) -> Path:
    """Return the path of a finished file, which may have been moved already."""
    return join_inside(ready, name) if (ready / name).exists() else out / name


def _list_former(out: Path) -> Iterable[str]:
    """List the files of the extraction that is replaced."""
    try:
        before = read_manifest(out)
    except InputError:
        before = None
    return (LABELS, UNREADABLE) if before is None else before.files


def _make_array_parts(hashes: Sequence[str], width: int, rows: Rows) -> Iterator[bytes | memoryview]:
    """Yield the bytes of a `.npy` file of the rows in the order of the pictures."""
    header = io.BytesIO()
    settings = {"descr": "<f4", "fortran_order": False, "shape": (len(hashes), width)}
    np.lib.format.write_array_header_1_0(header, settings)
    yield header.getvalue()
    for start in range(0, len(hashes), _CHUNK):
        yield np.stack([rows(hash_) for hash_ in hashes[start : start + _CHUNK]]).data


def _make_small_files(pictures: Pictures, described: Labelled, log: Log) -> dict[str, bytes]:
    files = dict(described.files)
    if described.labels is not None:
        kept = zip(pictures.paths, described.labels, strict=True)
        files[LABELS] = _join_lines(label for path, label in kept if path in log.hashes)
    # The list lets a report show the pictures.
    files[PICTURES] = _join_lines(str(pictures.root.resolve() / path) for path in log.hashes)
    if log.unreadable:
        files[UNREADABLE] = _join_lines(f"{path}\t{reason}" for path, reason in log.unreadable.items())
    return files


def _join_lines(entries: Iterable[str]) -> bytes:
    return "".join(f"{entry}\n" for entry in entries).encode()
