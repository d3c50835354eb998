"""Find the pictures behind rows of features, and embed them in a page."""

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from unseen.data import PICTURE_SHAPE, ZeroShotDataset
from unseen.data.formats.extracted import refuse_changed
from unseen.data.tables.lists import read_lines
from unseen.encoders.decoding import decode_picture
from unseen.encoders.manifest import read_manifest
from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional
from unseen.utils.storage.digests import digest_bytes
from unseen.utils.storage.paths import join_inside

# Function from the number of a row to a `data:` address of its picture.
Pictures = Callable[[int], str]

LIST = "pictures.txt"
# As large as a page shows them on a screen of common density.
_SIDE = 240


def find_pictures(
    dataset: ZeroShotDataset, data: str, listed: Path | None = None, side: int = _SIDE
) -> Pictures | None:
    """Return the pictures of a dataset's rows, or None if they are not known.

    Parameters
    ----------
    dataset : ZeroShotDataset
    data : str
        Name or path from which it was loaded. The features of digit-pairs are its pixels, and a folder may hold a list
        ``pictures.txt``.
    listed : Path, optional
        Such a list: the picture of each row of the data, one per line, as a path relative to the list. Files outside of
        the list's folder are not shown, so that a page never shows files by accident.
    side : int
        Longest side of a photograph, in pixels.
    """
    if listed is not None:
        return _read_list(listed, dataset, side)
    if data == "digit-pairs":
        return lambda row: encode_picture(_draw_digits(dataset.X[row]), "PNG")
    beside = Path(data) / LIST
    return _read_list(beside, dataset, side) if beside.is_file() else None


def _read_list(path: Path, dataset: ZeroShotDataset, side: int) -> Pictures:
    if path.is_dir():
        path = path / LIST
    if not path.is_file():
        raise InputError(f"{path} is not a file: give a list of pictures, one on each line for each row of the data")
    refuse_changed(path.parent, [path.name])
    names = read_lines(path)
    if len(names) != len(dataset.X):
        raise InputError(f"{path} names {len(names)} pictures for {len(dataset.X)} rows: write one for each row")
    manifest = read_manifest(path.parent) if path.name == LIST else None
    if manifest is None:
        return lambda row: render_picture(path.parent, names[row], side=side)
    # The pictures are elsewhere, so their hashes must match: a manifest can name a file, but not guess its content.
    root, extracted = Path(manifest.root), list(manifest.pictures.items())
    return lambda row: render_picture(root, *extracted[row], side=side)


def render_picture(folder: Path, name: str, digest: str | None = None, side: int = _SIDE) -> str:
    """Return a picture of a folder, made small, as a `data:` address.

    Parameters
    ----------
    folder : Path
    name : str
        Path of the picture below the folder; others are refused.
    digest : str, optional
        Digest that the content of the file must have.
    side : int
        Longest side, in pixels.
    """
    try:
        content = join_inside(folder, name).read_bytes()
        if digest is not None and digest_bytes(content) != digest:
            raise InputError(f"{folder / name} is not the picture that was extracted: extract again")
        picture = decode_picture(content)
    except InputError:
        raise
    except Exception as error:  # a damaged picture may raise any error of its decoder
        raise InputError(
            f"{folder / name} cannot be shown ({error}): correct its line in the list of pictures, or remove the list"
        ) from error
    picture.thumbnail((side, side))
    return encode_picture(picture, "JPEG")


def _draw_digits(pixels: Any) -> Any:
    image = import_optional("PIL.Image", "figures", "showing pictures")
    ink = 255 - (255 * np.clip(pixels.reshape(PICTURE_SHAPE), 0, 1)).astype(np.uint8)
    height, width = PICTURE_SHAPE
    return image.fromarray(ink).resize((8 * width, 8 * height), image.Resampling.BICUBIC)


def encode_picture(picture: Any, kind: str) -> str:
    """Return a picture of Pillow as a `data:` address, in the format PNG or JPEG."""
    content = io.BytesIO()
    picture.save(content, format=kind, quality=82)
    return make_data_address(content.getvalue(), f"image/{kind.lower()}")


def make_data_address(content: bytes, media_type: str) -> str:
    """Return a `data:` address, which contains its content.

    >>> make_data_address(b"hello", "text/plain")
    'data:text/plain;base64,aGVsbG8='
    """
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"
