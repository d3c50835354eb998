"""Decode pictures of any pixel format to upright RGB pictures, as a viewer would show them."""

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unseen.utils.optional import import_optional

if TYPE_CHECKING:
    from PIL.Image import Image

# Pillow's modes for pixels of more than 8 bits.
_DEEP = ("I", "F")
_SEE_THROUGH = ("RGBA", "LA", "PA")
# Numbers of TIFF tags.
_BITS, _PHOTOMETRIC, _SAMPLE_FORMAT = 258, 262, 339
_WHITE_IS_ZERO, _UNSIGNED = 0, (1,)


# Pillow's names of the kinds of files in `unseen.encoders.pictures.ENDINGS`. It knows others that run programs (EPS).
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")


def decode_picture(content: bytes, most_pixels: int | None = None) -> "Image":
    """Decode a picture to upright RGB; any error means that it cannot be read.

    Grey values of up to 16 bits are scaled from the range of their bits. Values of 32 bits, signed values and fractions
    are scaled from the lowest and highest value of the picture, except that fractions between 0 and 1 range from black
    to white. Transparent parts become white.

    Parameters
    ----------
    content : bytes
        Content of the file.
    most_pixels : int, optional
        For pictures of strangers: a larger one raises an error before it is decoded, and so does one of a kind that is
        not in `FORMATS`.
    """
    images = import_optional("PIL.Image", "images", "reading pictures")
    with images.open(io.BytesIO(content), formats=None if most_pixels is None else FORMATS) as picture:
        if most_pixels is not None and picture.width * picture.height > most_pixels:
            raise ValueError(f"it has {picture.width:,} x {picture.height:,} pixels, more than {most_pixels:,}")
        # Cameras record their orientation instead of rotating the pixels.
        upright = import_optional("PIL.ImageOps", "images", "reading pictures").exif_transpose(picture)
        if picture.mode.startswith(_DEEP):
            upright = images.fromarray(_scale_grey(np.asarray(upright), picture))
        elif picture.mode in _SEE_THROUGH or "transparency" in picture.info:
            # Transparent pixels may have any colour, which is not meant to be seen.
            white = images.new("RGBA", upright.size, "white")
            upright = images.alpha_composite(white, upright.convert("RGBA"))
        found: Image = upright.convert("RGB")
        return found


def _scale_grey(values: NDArray[Any], picture: Any) -> NDArray[np.uint8]:
    """Scale grey values to 0 to 255; Pillow would clip all values above 255."""
    tags = getattr(picture, "tag_v2", {})
    if picture.mode == "I" and tags.get(_SAMPLE_FORMAT) == _UNSIGNED:
        values = values.view(np.uint32)  # Pillow reads them as signed
    black, white = _find_range(values, picture, tags)
    grey = np.rint((values.astype(np.float64) - black) * (255 / (white - black or 1)))
    if tags.get(_PHOTOMETRIC) == _WHITE_IS_ZERO:
        grey = 255 - grey
    hidden = values == picture.info.get("transparency", -1)
    return np.where(hidden, 255, grey).astype(np.uint8)


def _find_range(values: NDArray[Any], picture: Any, tags: Any) -> tuple[float, float]:
    """Return the values of black and of white."""
    # Older versions of Pillow also use mode "I" for 16-bit PNG files.
    if picture.mode.startswith("I;16") or (picture.mode == "I" and not tags):
        return 0.0, 2.0 ** tags.get(_BITS, (16,))[0] - 1
    low, high = float(values.min()), float(values.max())
    if not np.isfinite([low, high]).all():
        raise ValueError("it has pixels that are not finite numbers")
    return (0.0, 1.0) if picture.mode == "F" and low >= 0 and high <= 1 else (low, high)
