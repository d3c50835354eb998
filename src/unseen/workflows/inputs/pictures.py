"""Encode pictures with the encoder that a model file names."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data import FeatureRows, load_rows
from unseen.data.home import data_home
from unseen.encoders import (
    EncoderRecord,
    ImageEncoder,
    Log,
    encode_contents,
    encode_in_batches,
    extract,
    find_pictures,
    image_encoder,
    label_pictures,
    read_manifest,
)
from unseen.files import ModelFile
from unseen.utils.errors import InputError, shorten
from unseen.utils.progress import Counter, OnProgress, ignore


def read_extracted(recorded: dict[str, Any] | None, path: Path) -> FeatureRows | None:
    """Read the rows of a folder that `extract` wrote, named by their pictures; return None for any other folder.

    Parameters
    ----------
    recorded : dict or None
        The encoder that the model file names; features of another encoder raise an error.
    path : Path
    """
    manifest = read_manifest(path) if path.is_dir() else None
    if manifest is None:
        return None
    refuse_other_encoder(recorded, manifest.encoder.as_dict(), path)
    return FeatureRows(load_rows(path / "features.npy").X, list(manifest.pictures))


def refuse_other_encoder(recorded: dict[str, Any] | None, found: dict[str, Any] | None, data: object) -> None:
    """Raise an error if features come from another encoder than those the model was fitted on."""
    if recorded and found and recorded["fingerprint"] != found["fingerprint"]:
        raise InputError(
            f"{data} was encoded by {found['name']} (fingerprint {found['fingerprint'][:12]}), but the model was "
            f"fitted on features of {recorded['name']} ({recorded['fingerprint'][:12]}): extract with that encoder"
        )


def encode_pictures(
    file: ModelFile,
    path: Path,
    *,
    weights: Path | None = None,
    device: str = "cpu",
    batch: int = 8,
    keep: Path | None = None,
    on_progress: OnProgress = ignore,
) -> tuple[FeatureRows, dict[str, str]]:
    """Return the features of a picture or a folder of pictures, and the unreadable pictures with reasons.

    Parameters
    ----------
    file : ModelFile
        The model file, which names the encoder.
    path : Path
        The picture or folder.
    weights, device, batch
        As for `extract`; by default the weights are where the model file says, if `find_recorded_weights` follows it.
    keep : Path, optional
        A folder to keep the features of a folder of pictures in, as `extract` writes it: pictures that are in it
        already are not encoded again.
    on_progress : callable, optional
    """
    _refuse_without_encoder(file, f"{path} is a {'folder' if path.is_dir() else 'picture'}")
    if keep is not None and not path.is_dir():
        raise InputError(f"keep={keep} is for a folder of pictures, but {path} is one picture: name its folder")
    encoder = make_recorded_encoder(file, weights=weights, device=device)
    if keep is not None:
        recorded = EncoderRecord.from_dict(file.encoder or {}, "the model file")
        record = EncoderRecord.of(encoder, weights or find_recorded_weights(recorded, file.path), recorded.whole)
        return _encode_and_keep(path, keep, encoder, record, batch, on_progress)
    root, paths = path.parent, [path.name]
    if path.is_dir():
        found = find_pictures(path)
        root, paths = found.root, found.paths
    log, counter = Log(), Counter("encoding", len(paths), on_progress)
    found_rows = _gather(encode_in_batches(encoder, root, paths, log, batch=batch, on_picture=counter), log)
    if found_rows is None:
        raise InputError(f"none of the pictures of {path} can be read: give others")
    return found_rows, log.unreadable


def encode_picture_contents(
    encoder: ImageEncoder, contents: Mapping[str, bytes], *, most_pixels: int, batch: int = 8
) -> tuple[FeatureRows, dict[str, str]]:
    """Return the features of pictures that are in memory, and the unreadable ones with reasons.

    Parameters
    ----------
    encoder : ImageEncoder
        As `make_recorded_encoder` returns it.
    contents : mapping of str to bytes
        Content of the file of each picture, by its name.
    most_pixels : int
        Number of pixels beyond which a picture is not decoded.
    batch : int, default 8
        Number of pictures encoded at once.
    """
    log = Log()
    found = _gather(encode_contents(encoder, contents, log, most_pixels=most_pixels, batch=batch), log)
    if found is None:
        reasons = [f"{name} ({reason})" for name, reason in log.unreadable.items()]
        raise InputError(f"pictures has none that can be read, {shorten(reasons, 3)}: give others")
    return found, log.unreadable


def make_recorded_encoder(file: ModelFile, *, weights: Path | None = None, device: str = "cpu") -> ImageEncoder:
    """Make the encoder of the features that a model was fitted on.

    Parameters
    ----------
    file : ModelFile
    weights, device
        As for `extract`; by default the weights are where the model file says, if `find_recorded_weights` follows it.
    """
    _refuse_without_encoder(file, "pictures are given")
    record = EncoderRecord.from_dict(file.encoder or {}, "the model file")
    return remake_encoder(record, weights or find_recorded_weights(record, file.path), device)


def _refuse_without_encoder(file: ModelFile, given: str) -> None:
    if file.encoder is None:
        raise InputError(
            f"{given}, but the model was fitted on features of unknown origin: fit it on a folder that "
            "`unseen extract` wrote, or give features"
        )


def _gather(batches: Iterable[tuple[list[str], NDArray[np.float32]]], log: Log) -> FeatureRows | None:
    """Return a row for each picture that was read; those with the same content share theirs."""
    at, parts = dict[str, int](), []
    for hashes, rows in batches:
        at.update({hash_: len(at) + i for i, hash_ in enumerate(hashes)})
        parts.append(rows)
    if not parts:
        return None
    return FeatureRows(np.concatenate(parts)[[at[hash_] for hash_ in log.hashes.values()]], list(log.hashes))


def _encode_and_keep(
    path: Path, keep: Path, encoder: ImageEncoder, record: EncoderRecord, batch: int, on_progress: OnProgress
) -> tuple[FeatureRows, dict[str, str]]:
    pictures = find_pictures(path)
    counter = Counter("encoding", len(pictures.paths), on_progress)
    described = label_pictures(path, pictures, None)
    done = extract(path, pictures, described, keep, encoder, record, batch=batch, on_picture=counter)
    rows = read_extracted(record.as_dict(), keep)
    if rows is None:
        raise InputError(f"keep={keep} was removed while it was written: run the same command again")
    return rows, done.unreadable


def find_recorded_weights(record: EncoderRecord, file: Path | None) -> Path | None:
    """Return the file of weights that a model file names, if it is in a place that is the user's own to name.

    Whoever made the model file may have written any path into it. So it is followed only in the folder of the model
    file, the current one and that of the datasets (`data_home`), and what is in them.

    Parameters
    ----------
    record : EncoderRecord
    file : Path or None
        The model file; None for a model that was fitted in this process.
    """
    weights = record.file
    if weights is None or file is None:
        return weights
    places = [place.resolve() for place in (file.parent, Path.cwd(), data_home())]
    if any(weights.resolve().is_relative_to(place) for place in places):
        return weights
    raise InputError(
        f"{file} names the weights {weights} of its encoder, which are neither beside it nor in the current folder "
        f"nor in {data_home()}: a file is not trusted to name others; name them with weights= (--weights on the "
        "command line)"
    )


def remake_encoder(record: EncoderRecord, weights: Path | None, device: str = "cpu") -> ImageEncoder:
    """Make the encoder of a model file again; raise an error if it differs from the recorded one."""
    encoder = image_encoder(record.name, weights=weights, device=device, whole=record.whole)
    if encoder.fingerprint != record.fingerprint:
        raise InputError(
            f"encoder {record.name} has the fingerprint {encoder.fingerprint[:12]} here, but the model was fitted on "
            f"features of {record.fingerprint[:12]}: its weights changed; give the former ones by --weights, or "
            "extract and fit again"
        )
    return encoder
