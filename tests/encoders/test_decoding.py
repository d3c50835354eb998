"""Pictures of every kind of pixels are decoded into what a viewer would see."""

import io
import struct
from typing import Any

import numpy as np
import pytest

from unseen.encoders.decoding import decode_picture

Image = pytest.importorskip("PIL.Image")
Transpose = Image.Transpose

# Each of the 256 greys once, as 8 and as 16 bits.
GREYS = np.arange(256).reshape(16, 16)
DEEP = (GREYS * 257).astype(np.uint16)

ORIENTATIONS = {
    2: Transpose.FLIP_LEFT_RIGHT,
    3: Transpose.ROTATE_180,
    4: Transpose.FLIP_TOP_BOTTOM,
    5: Transpose.TRANSPOSE,
    6: Transpose.ROTATE_270,
    7: Transpose.TRANSVERSE,
    8: Transpose.ROTATE_90,
}


def saved(picture: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def tiff(values: np.ndarray, *, bits: int = 0, sample_format: int = 1, photometric: int = 1, end: str = "<") -> bytes:
    """Write a TIFF file by hand, of a kind that Pillow reads but does not write."""
    data = values.tobytes()
    tags = {256: 16, 257: 16, 258: bits or 8 * values.itemsize, 259: 1, 262: photometric, 273: 0, 277: 1, 278: 16,
            279: len(data), 339: sample_format}  # fmt: skip
    tags[273] = 8 + 2 + 12 * len(tags) + 4
    entries = b"".join(struct.pack(f"{end}HHII", tag, 4, 1, value) for tag, value in tags.items())
    start = {"<": b"II", ">": b"MM"}[end] + struct.pack(f"{end}HIH", 42, 8, len(tags))
    return start + entries + struct.pack(f"{end}I", 0) + data


def grey_of(content: bytes) -> np.ndarray:
    picture = decode_picture(content)
    assert picture.mode == "RGB"
    pixels = np.asarray(picture)
    assert (pixels == pixels[:, :, :1]).all()
    return pixels[:, :, 0].astype(int)


def pack_12_bits(values: np.ndarray) -> np.ndarray:
    first, second = values.reshape(-1, 2).astype(np.uint16).T
    return np.stack([first >> 4, (first & 15) << 4 | second >> 8, second & 255], axis=1).astype(np.uint8)


@pytest.mark.parametrize(
    "content",
    [
        saved(Image.fromarray(DEEP), "PNG"),
        saved(Image.fromarray(DEEP), "TIFF"),
        tiff(DEEP.astype(">u2"), end=">"),
        tiff(65535 - DEEP, photometric=0),
        tiff(pack_12_bits(GREYS * 4095 / 255 + 0.5), bits=12),
        tiff((DEEP.astype(np.int32) - 32768).astype(np.int16), sample_format=2),
        tiff(DEEP.astype(np.uint32) * 65537),
        tiff(DEEP.astype(np.int32) * 30000 - 10**9, sample_format=2),
        tiff((DEEP / 65535).astype(np.float32), sample_format=3),
        tiff((DEEP / 65535).astype(">f4"), sample_format=3, end=">"),
        tiff((1e30 * (DEEP / 65535 - 0.5)).astype(np.float32), sample_format=3),
    ],
    ids=["png-16", "tiff-16", "big-endian", "white-is-zero", "12", "signed-16", "32", "signed-32", "float",
         "float-big-endian", "float-wide"],
)  # fmt: skip
def test_grey_of_more_than_8_bits_is_that_of_8_bits(content: bytes) -> None:
    np.testing.assert_array_equal(grey_of(content), GREYS)


def test_a_dark_picture_stays_dark() -> None:
    """Values are scaled by the range of their bits, not by what this very picture uses of it."""
    np.testing.assert_array_equal(grey_of(saved(Image.fromarray(DEEP // 4), "PNG")), np.rint(GREYS / 4 - 1e-3))
    dim = tiff((DEEP / 65535 / 4).astype(np.float32), sample_format=3)
    np.testing.assert_allclose(grey_of(dim), GREYS / 4, atol=0.51)


def test_one_value_only() -> None:
    for values in (np.full((16, 16), 7, np.int32), np.full((16, 16), -2.5, np.float32)):
        assert not grey_of(tiff(values, sample_format=2 if values.dtype.kind == "i" else 3)).any()


def test_values_that_are_not_finite_cannot_be_read() -> None:
    values = np.zeros((16, 16), dtype=np.float32)
    for wrong in (np.nan, np.inf):
        values[3, 4] = wrong
        with pytest.raises(ValueError, match="not finite"):
            decode_picture(tiff(values, sample_format=3))


def test_what_is_transparent_lies_on_white() -> None:
    pixels = np.zeros((4, 4, 4), dtype=np.uint8)
    pixels[0] = (10, 200, 30, 255)  # opaque
    pixels[1] = (10, 200, 30, 0)  # hidden: its colour must not show
    pixels[2] = (0, 0, 0, 128)
    seen = np.asarray(decode_picture(saved(Image.fromarray(pixels), "PNG")))
    assert seen[:, 0].tolist() == [[10, 200, 30], [255, 255, 255], [127, 127, 127], [255, 255, 255]]


def test_palettes_grey_and_deep_pictures_with_transparency() -> None:
    palette = Image.fromarray(np.array([[0, 1, 2]], dtype=np.uint8), mode="P")
    palette.putpalette([10, 20, 30, 200, 100, 50, 0, 0, 0])
    for transparency, seen in ((bytes([255, 0, 128]), [[10, 20, 30], [255] * 3, [127] * 3]), (1, None)):
        found = np.asarray(decode_picture(saved(palette, "PNG", transparency=transparency)))[0]
        assert found.tolist() == (seen or [[10, 20, 30], [255] * 3, [0] * 3])
    found = grey_of(saved(Image.fromarray(DEEP), "PNG", transparency=0))
    assert found[0, 0] == 255
    np.testing.assert_array_equal(found.ravel()[1:], GREYS.ravel()[1:])
    grey = Image.fromarray(np.array([[[50, 255], [50, 0]]], dtype=np.uint8), mode="LA")
    assert grey_of(saved(grey, "PNG")).tolist() == [[50, 255]]


@pytest.mark.parametrize("kind", ["TIFF", "JPEG"])
def test_colours_of_print(kind: str) -> None:
    """Four inks: JPEG files of Adobe store them inverted."""
    inks = Image.new("CMYK", (8, 8), (0, 255, 255, 0))
    options = {"quality": 100} if kind == "JPEG" else {}
    np.testing.assert_allclose(np.asarray(decode_picture(saved(inks, kind, **options)))[4, 4], [255, 0, 0], atol=3)


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "JPEG", "WEBP"])
@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_cameras_held_in_any_way(kind: str, orientation: int) -> None:
    upright = Image.fromarray(np.arange(24, dtype=np.uint8).reshape(4, 6) * 10).resize((48, 32), 0)
    inverse = {5: 5, 6: 8, 7: 7, 8: 6}.get(orientation, orientation)
    exif = Image.Exif()
    exif[0x0112] = orientation
    held = upright.transpose(ORIENTATIONS[inverse])
    options = {"lossless": True} if kind == "WEBP" else {"quality": 100} if kind == "JPEG" else {}
    found = decode_picture(saved(held, kind, exif=exif, **options))
    np.testing.assert_allclose(np.asarray(found)[:, :, 0].astype(int), np.asarray(upright).astype(int), atol=3)


def test_deep_pictures_are_turned_too() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    for kind in ("PNG", "TIFF"):
        turned = grey_of(saved(Image.fromarray(DEEP), kind, exif=exif))
        np.testing.assert_array_equal(turned, np.rot90(GREYS, -1))


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "CMYK", "YCbCr"])
def test_every_mode_becomes_colours(mode: str) -> None:
    kind = "TIFF" if mode in ("CMYK", "YCbCr") else "PNG"
    found = decode_picture(saved(Image.new("RGB", (8, 4), (255, 255, 255)).convert(mode), kind))
    assert (found.mode, found.size) == ("RGB", (8, 4))
    assert np.asarray(found).min() > 250
