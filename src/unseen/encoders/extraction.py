"""From a folder of pictures to a folder of features that `load_dataset` reads; goes on where an earlier run stopped."""

import hashlib
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unseen.encoders.encoding import Log, encoded
from unseen.encoders.labelled import Labelled
from unseen.encoders.manifest import MANIFEST, EncoderRecord, Manifest, read_manifest
from unseen.encoders.pictures import Pictures
from unseen.encoders.protocol import ImageEncoder
from unseen.encoders.store import Store
from unseen.utils.errors import InputError, shortened

_UNFINISHED = ".unfinished"
_FEATURES, _UNREADABLE = "features.npy", "unreadable.txt"
# What an earlier run may have written and this one may not.
_SOMETIMES = ("labels.txt", _UNREADABLE)
_CHUNK = 4096


@dataclass(frozen=True)
class Extracted:
    """What `extract` did: rows in all, pictures encoded this time, and those that could not be read."""

    rows: int
    encoded: int
    unreadable: dict[str, str]


def extract(
    source: Path,
    pictures: Pictures,
    described: Labelled,
    out: Path,
    encoder: ImageEncoder,
    record: EncoderRecord,
    *,
    batch: int = 8,
    force: bool = False,
    on_picture: Callable[[], None] = lambda: None,
) -> Extracted:
    """Encode the pictures of a folder and write features, labels, class table, list of pictures and manifest.

    Parameters
    ----------
    source : Path
        The folder as the user named it.
    pictures : Pictures
        The pictures in it.
    described : Labelled
        Their labels and the files about classes.
    out : Path
        The folder to write; made where there is none. Rows of pictures that an earlier run encoded are kept.
    encoder, record : ImageEncoder and EncoderRecord
        What encodes, and how to make it again.
    batch : int, default 8
        How many pictures to encode at once.
    force : bool, default False
        Whether files of another origin may be replaced.
    on_picture : callable, optional
        Called when a picture is done.
    """
    _finish(out)
    before = None if force and not _is_of(out, record) else read_manifest(out)
    if not force:
        _refuse_other(out, before, source, record, described)
    old = _old_rows(out, before, encoder.width)
    store = Store(out / _UNFINISHED, encoder.fingerprint, encoder.width)
    try:
        log, new = Log(), 0
        known = set(old) | set(store.positions)
        for hashes, rows in encoded(
            encoder, pictures.root, pictures.paths, log, known=known, batch=batch, on_picture=on_picture
        ):
            store.append(hashes, rows)
            new += len(rows)
        if not log.hashes:
            first, reason = next(iter(log.unreadable.items()))
            raise InputError(f"none of the pictures of {source} can be read ({first}: {reason})")
        made = out / _UNFINISHED / "making"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        _write_features(made / _FEATURES, list(log.hashes.values()), encoder.width, old, store)
        _write_small_files(made, source, pictures, described, log, record)
        # From here on the work is done, whatever happens: the next run would only move the files.
        made.rename(out / _UNFINISHED / "ready")
    finally:
        store.close()
    _finish(out)
    return Extracted(len(log.hashes), new, log.unreadable)


def _finish(out: Path) -> None:
    """Move finished files to their places, the manifest last; after a kill the next run does the rest."""
    ready = out / _UNFINISHED / "ready"
    if not ready.is_dir():
        return
    new = read_manifest(ready)
    if new is not None:
        for name in (*new.files, _FEATURES, MANIFEST):
            if (ready / name).exists():
                (ready / name).replace(out / name)
        for name in _SOMETIMES:
            if name not in new.files:
                (out / name).unlink(missing_ok=True)
    shutil.rmtree(out / _UNFINISHED)


def _is_of(out: Path, record: EncoderRecord) -> bool:
    """Tell whether the rows of a folder were made by this encoder."""
    try:
        found = read_manifest(out)
    except InputError:
        return False
    return found is not None and found.encoder.fingerprint == record.fingerprint


def _refuse_other(out: Path, before: Manifest | None, source: Path, record: EncoderRecord, described: Labelled) -> None:
    """Refuse to replace what is not an earlier state of this very extraction."""
    if out.exists() and not out.is_dir():
        raise InputError(f"--out {out} is a file: name a folder to write to")
    if before is None:
        inside = [entry.name for entry in out.iterdir() if entry.name != _UNFINISHED] if out.is_dir() else []
        if inside:
            raise InputError(
                f"--out {out} exists already, with {shortened(sorted(inside), 3)}: name another folder, or --force to "
                "replace the files that extract writes"
            )
        return
    if before.encoder.fingerprint != record.fingerprint:
        raise InputError(
            f"--out {out} was encoded by {_named(before.encoder)}, not by {_named(record)}: name another folder, or "
            "--force to encode all pictures anew"
        )
    if before.folder != str(source.resolve()):
        raise InputError(
            f"--out {out} was made of {before.folder}, not of {source}: name another folder, or --force to replace it"
        )
    ours = {name: {before.files.get(name), _hash(content)} for name, content in described.files.items()}
    edited = [
        name
        for name, hashes in ours.items()
        if (out / name).is_file() and _hash((out / name).read_bytes()) not in hashes
    ]
    if edited:
        raise InputError(
            f"--out {out} has {shortened(edited)} that was changed after it was extracted: change the one in {source} "
            "instead, or --force to replace it"
        )


def _named(record: EncoderRecord) -> str:
    return f"{record.name} (fingerprint {record.fingerprint[:12]})"


def _old_rows(out: Path, before: Manifest | None, width: int) -> dict[str, NDArray[np.float32]]:
    """Return the rows that a finished run left, by the hash of the picture."""
    if before is None:
        return {}
    try:
        X = np.load(out / _FEATURES, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{out / _FEATURES} cannot be read ({error}): remove the folder and extract again") from error
    if X.shape != (len(before.pictures), width) or X.dtype != np.float32:
        raise InputError(
            f"{out / _FEATURES} has shape {X.shape}, but the manifest names {len(before.pictures)} pictures of {width} "
            "features: it was changed; remove the folder and extract again"
        )
    return dict(zip(before.pictures.values(), X, strict=True))


def _write_features(
    path: Path, hashes: list[str], width: int, old: dict[str, NDArray[np.float32]], store: Store
) -> None:
    """Write the rows in the order of the pictures, a chunk at a time."""
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(len(hashes), width))
    new = store.rows()
    for start in range(0, len(hashes), _CHUNK):
        part = hashes[start : start + _CHUNK]
        X[start : start + _CHUNK] = [new[store.positions[at]] if at in store.positions else old[at] for at in part]
    X.flush()


def _write_small_files(
    made: Path, source: Path, pictures: Pictures, described: Labelled, log: Log, record: EncoderRecord
) -> None:
    files = dict(described.files)
    if described.labels is not None:
        kept = zip(pictures.paths, described.labels, strict=True)
        files["labels.txt"] = _lines(label for path, label in kept if path in log.hashes)
    # So that a report can show them.
    files["pictures.txt"] = _lines(str(pictures.root.resolve() / path) for path in log.hashes)
    if log.unreadable:
        files[_UNREADABLE] = _lines(f"{path}\t{reason}" for path, reason in log.unreadable.items())
    for name, content in files.items():
        (made / name).write_bytes(content)
    hashes = {name: _hash(content) for name, content in files.items()}
    Manifest(str(source.resolve()), record, log.hashes, log.unreadable, hashes).write(made / MANIFEST)


def _lines(entries: Iterable[str]) -> bytes:
    return "".join(f"{entry}\n" for entry in entries).encode()


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
