"""Encode pictures with the encoder that a model file names."""

from pathlib import Path
from typing import Any

import numpy as np

from unseen.data import FeatureRows, load_rows
from unseen.encoders import (
    EncoderRecord,
    ImageEncoder,
    Log,
    encode_in_batches,
    find_pictures,
    image_encoder,
    read_manifest,
)
from unseen.utils.errors import InputError
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
    recorded: dict[str, Any] | None,
    path: Path,
    *,
    weights: Path | None = None,
    device: str = "cpu",
    batch: int = 8,
    on_progress: OnProgress = ignore,
) -> tuple[FeatureRows, dict[str, str]]:
    """Return the features of a picture or a folder of pictures, and the unreadable pictures with reasons.

    Parameters
    ----------
    recorded : dict or None
        The encoder that the model file names.
    path : Path
        The picture or folder.
    weights, device, batch
        As for `extract`.
    on_progress : callable, optional
    """
    if recorded is None:
        raise InputError(
            f"{path} is a {'folder' if path.is_dir() else 'picture'}, but the model was fitted on features of unknown "
            "origin: fit it on a folder that `unseen extract` wrote, or give features"
        )
    encoder = remake_encoder(EncoderRecord.from_dict(recorded, "the model file"), weights, device)
    root, paths = path.parent, [path.name]
    if path.is_dir():
        found = find_pictures(path)
        root, paths = found.root, found.paths
    log, at, parts = Log(), dict[str, int](), []
    counter = Counter("encoding", len(paths), on_progress)
    for hashes, rows in encode_in_batches(encoder, root, paths, log, batch=batch, on_picture=counter):
        at.update({hash_: len(at) + i for i, hash_ in enumerate(hashes)})
        parts.append(rows)
    if not parts:
        raise InputError(f"none of the pictures of {path} can be read: give others")
    X = np.concatenate(parts)[[at[hash_] for hash_ in log.hashes.values()]]
    return FeatureRows(X, list(log.hashes)), log.unreadable


def remake_encoder(record: EncoderRecord, weights: Path | None = None, device: str = "cpu") -> ImageEncoder:
    """Make the encoder of a model file again; raise an error if it differs from the recorded one."""
    place = weights or (Path(record.weights) if record.weights else None)
    encoder = image_encoder(record.name, weights=place, device=device, whole=record.whole)
    if encoder.fingerprint != record.fingerprint:
        raise InputError(
            f"encoder {record.name} has the fingerprint {encoder.fingerprint[:12]} here, but the model was fitted on "
            f"features of {record.fingerprint[:12]}: its weights changed; give the former ones by --weights, or "
            "extract and fit again"
        )
    return encoder
