"""Pictures on the command line: progress, and features through the encoder that a model file names."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.cli.errors import say
from unseen.utils.errors import InputError, shortened

if TYPE_CHECKING:
    from unseen.data import FeatureRows
    from unseen.encoders import EncoderRecord, ImageEncoder, Manifest


@contextmanager
def counted(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Show progress on a terminal; gives what to call when one more is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def said_unreadable(unreadable: Mapping[str, str], listed: Path | None = None) -> None:
    """Name pictures that could not be read."""
    if unreadable:
        named = [f"{path} ({reason})" for path, reason in unreadable.items()]
        where = f"; see {listed}" if listed else ""
        say(f"{len(unreadable)} pictures cannot be read and are left out: {shortened(named, 3)}{where}.")


def rows_of_pictures(
    recorded: dict[str, Any] | None, path: Path, *, weights: Path | None = None, device: str = "cpu", batch: int = 8
) -> "FeatureRows":
    """Return the features of a picture, a folder of pictures, or a folder that `unseen extract` wrote.

    Parameters
    ----------
    recorded : dict or None
        The encoder that the model file names.
    path : Path
        The picture or folder.
    weights, device, batch
        As for `unseen extract`.
    """
    from unseen.encoders import EncoderRecord, read_manifest

    record = None if recorded is None else EncoderRecord.from_dict(recorded, "the model file")
    manifest = read_manifest(path) if path.is_dir() else None
    if manifest is not None:
        return _extracted(record, manifest, path)
    if record is None:
        raise InputError(
            f"{path} is a {'folder' if path.is_dir() else 'picture'}, but the model was fitted on features of unknown "
            "origin: fit it on a folder that `unseen extract` wrote, or give a file of features (.npy, .npz, .csv or "
            ".parquet)"
        )
    return _encoded(remade(record, weights, device), path, batch)


def remade(record: "EncoderRecord", weights: Path | None = None, device: str = "cpu") -> "ImageEncoder":
    """Make the encoder of a model file again; another than the recorded one is refused."""
    from unseen.encoders import image_encoder

    place = weights or (Path(record.weights) if record.weights else None)
    encoder = image_encoder(record.name, weights=place, device=device, whole=record.whole)
    if encoder.fingerprint != record.fingerprint:
        raise InputError(
            f"encoder {record.name} has the fingerprint {encoder.fingerprint[:12]} here, but the model was fitted on "
            f"features of {record.fingerprint[:12]}: its weights changed; name the former ones with --weights, or "
            "extract and fit again"
        )
    return encoder


def _extracted(record: "EncoderRecord | None", manifest: "Manifest", path: Path) -> "FeatureRows":
    from unseen.data import FeatureRows, load_rows

    if record is not None and record.fingerprint != manifest.encoder.fingerprint:
        raise InputError(
            f"{path} was encoded by {manifest.encoder.name} (fingerprint {manifest.encoder.fingerprint[:12]}), but the "
            f"model was fitted on features of {record.name} ({record.fingerprint[:12]}): extract with that encoder"
        )
    return FeatureRows(load_rows(path / "features.npy").X, list(manifest.pictures))


def _encoded(encoder: "ImageEncoder", path: Path, batch: int) -> "FeatureRows":
    import numpy as np

    from unseen.data import FeatureRows
    from unseen.encoders import Log, encoded, find_pictures

    root, paths = path.parent, [path.name]
    if path.is_dir():
        found = find_pictures(path)
        root, paths = found.root, found.paths
    log, at, parts = Log(), dict[str, int](), []
    with counted("encoding", len(paths)) as on_picture:
        for hashes, rows in encoded(encoder, root, paths, log, batch=batch, on_picture=on_picture):
            at.update({hash_: len(at) + i for i, hash_ in enumerate(hashes)})
            parts.append(rows)
    said_unreadable(log.unreadable)
    if not parts:
        raise InputError(f"none of the pictures of {path} can be read: give others")
    return FeatureRows(np.concatenate(parts)[[at[hash_] for hash_ in log.hashes.values()]], list(log.hashes))
