"""Encode a folder of pictures to a folder of features, resuming an interrupted run."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unseen.data.formats.extracted import refuse_changed
from unseen.data.formats.numpy_file import map_npy
from unseen.encoders.encoding import Log, encode_in_batches
from unseen.encoders.finishing import find_work, finish_earlier, move_in_place, write_aside
from unseen.encoders.labelled import Labelled
from unseen.encoders.manifest import FEATURES, EncoderRecord, Manifest, read_manifest
from unseen.encoders.pictures import Pictures
from unseen.encoders.protocol import ImageEncoder
from unseen.encoders.store import Store, read_encoder
from unseen.utils.errors import InputError, shorten
from unseen.utils.storage.digests import digest_bytes, digest_file
from unseen.utils.storage.locking import hold_lock
from unseen.utils.storage.writing import NO_ROOM

_LOCK = ".unseen.lock"


@dataclass(frozen=True)
class Extracted:
    """Result of `extract`: number of rows, number of newly encoded pictures, and unreadable pictures."""

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
    """Encode the pictures of a folder and write features, labels, class table, picture list and manifest.

    Parameters
    ----------
    source : Path
        The folder as the user named it.
    pictures : Pictures
        The pictures in it.
    described : Labelled
        Labels of the pictures, and the files about classes.
    out : Path
        The folder to write, created if it does not exist. Rows that an earlier run encoded are kept.
    encoder, record : ImageEncoder and EncoderRecord
        The encoder, and the record from which it can be made again.
    batch : int, default 8
        Number of pictures to encode at once.
    force : bool, default False
        Whether to replace files that another run or the user made.
    on_picture : callable, optional
        Called after each picture.
    """
    with _hold(out):
        finish_earlier(out)
        if not force:
            _refuse_other(out, source, record, described)
        elif not _is_of(read_encoder(find_work(out)), record):
            shutil.rmtree(find_work(out), ignore_errors=True)
        old = _read_old(out, record, force)
        with Store(find_work(out), record) as store:
            log, new = Log(), 0
            known = set(old) | set(store.hashes)
            for hashes, rows in encode_in_batches(
                encoder, pictures.root, pictures.paths, log, known=known, batch=batch, on_picture=on_picture
            ):
                store.append(hashes, rows)
                new += len(rows)
            if not log.hashes:
                first, reason = next(iter(log.unreadable.items()))
                raise InputError(f"none of the pictures of {source} can be read ({first}: {reason})")
            write_aside(
                out, source, pictures, described, log, record,
                lambda hash_: store.read(hash_) if hash_ in store.hashes else old[hash_],
            )  # fmt: skip
        move_in_place(out)
    return Extracted(len(log.hashes), new, log.unreadable)


@contextmanager
def _hold(out: Path) -> Iterator[None]:
    """Create the folder and lock it; explain errors if it cannot be written."""
    try:
        if out.exists() and not out.is_dir():
            raise InputError(f"--out {out} is a file: name a folder to write to")
        out.mkdir(parents=True, exist_ok=True)
        with hold_lock(out / _LOCK, f"--out {out}"):
            yield
    except OSError as error:
        full = "make room and run the same command again, which resumes where it stopped"
        remedy = full if error.errno in NO_ROOM else "make it writable, or choose another place"
        raise InputError(f"--out {out} cannot be written ({error.strerror}): {remedy}") from error


def _is_of(made_by: EncoderRecord | None, record: EncoderRecord) -> bool:
    # If the encoder of unfinished rows is not known, each row has a digest that tells: see `Store`.
    return made_by is None or made_by.fingerprint == record.fingerprint


def _refuse_other(out: Path, source: Path, record: EncoderRecord, described: Labelled) -> None:
    """Refuse to replace files that do not belong to an earlier run of the same extraction."""
    begun = read_encoder(find_work(out))
    if begun is not None and not _is_of(begun, record):
        raise InputError(
            f"--out {out} holds pictures that {_describe_encoder(begun)} has begun to encode, not "
            f"{_describe_encoder(record)}: let that extraction finish, name another folder, or --force to "
            "discard its work"
        )
    before = read_manifest(out)
    if before is None:
        ours = (find_work(out), out / _LOCK)
        present = [entry.name for entry in out.iterdir() if entry not in ours]
        if present:
            raise InputError(
                f"--out {out} exists already, with {shorten(sorted(present), 3)}: name another folder, or --force to "
                "replace the files that extract writes"
            )
        return
    if not _is_of(before.encoder, record):
        raise InputError(
            f"--out {out} was encoded by {_describe_encoder(before.encoder)}, not by {_describe_encoder(record)}: "
            "name another folder, or --force to encode all pictures again"
        )
    if before.folder != str(source.resolve()):
        raise InputError(
            f"--out {out} was made of {before.folder}, not of {source}: name another folder, or --force to replace it"
        )
    _refuse_edited(out, source, before, described)


def _refuse_edited(out: Path, source: Path, before: Manifest, described: Labelled) -> None:
    """Refuse to replace files that a user changed or created."""
    coming = {name: digest_bytes(content) for name, content in described.files.items()}
    small = [name for name in (before.files | coming) if name != FEATURES and (out / name).is_file()]
    edited = [name for name in small if digest_file(out / name) not in (before.files.get(name), coming.get(name))]
    if edited:
        raise InputError(
            f"--out {out} has {shorten(edited)} that was changed after it was extracted: change {source} instead, or "
            "--force to replace it"
        )


def _describe_encoder(record: EncoderRecord) -> str:
    return f"{record.name} (fingerprint {record.fingerprint[:12]})"


def _read_old(out: Path, record: EncoderRecord, force: bool) -> dict[str, NDArray[np.float32]]:
    """Return the rows of a finished run with the same encoder, by the hash of the picture."""
    try:
        before = read_manifest(out)
        if before is None or not _is_of(before.encoder, record):
            return {}
        refuse_changed(out, [FEATURES])
        X = map_npy(out / FEATURES)
        if X.shape != (len(before.pictures), record.width) or X.dtype != np.float32:
            raise InputError(
                f"{out / FEATURES} has shape {X.shape}, but the manifest names {len(before.pictures)} pictures of "
                f"{record.width} features: extract again with --force"
            )
        return dict(zip(before.pictures.values(), X, strict=True))
    except InputError:
        if force:  # all pictures are encoded again
            return {}
        raise
