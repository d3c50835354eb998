"""Resize, crop and scale pictures for a network."""

import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from unseen.utils.errors import InputError, shorten

if TYPE_CHECKING:
    from PIL.Image import Image

IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)
# The numbers that Pillow gives to its filters.
_FILTERS = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3}


@dataclass(frozen=True)
class Preprocessing:
    """Resize, crop and scale a picture with values from 0 to 1.

    Parameters
    ----------
    size : int
        Side of the square input of the network, in pixels.
    crop : float
        Share of the shorter side that the central square covers. With 0 the whole picture is squeezed into the square,
        so that nothing at its edges is lost.
    mean, std : tuple of 3 floats
        Mean and standard deviation of red, green and blue, for standardisation.
    interpolation : str
        Interpolation: "nearest", "lanczos", "bilinear" or "bicubic".

    Examples
    --------
    >>> from PIL import Image
    >>> Preprocessing(size=8)(Image.new("RGB", (30, 20))).shape
    (3, 8, 8)
    """

    size: int = 224
    crop: float = 0.875
    mean: tuple[float, ...] = IMAGENET_MEAN
    std: tuple[float, ...] = IMAGENET_STD
    interpolation: str = "bilinear"

    def __call__(self, picture: "Image") -> NDArray[np.float32]:
        """Return the input of the network for an RGB picture, of shape (3, `size`, `size`)."""
        pixels = np.asarray(self._cut_square(picture), dtype=np.float32)
        scale = np.divide(1, self.std, dtype=np.float32)
        # One product and one difference per value, because this runs at the same time as the network.
        pixels = pixels * (scale / np.float32(255)) - np.asarray(self.mean, dtype=np.float32) * scale
        return np.ascontiguousarray(pixels.transpose(2, 0, 1))

    def without_crop(self) -> Self:
        """Return the same preprocessing of the whole picture, without a crop."""
        return replace(self, crop=0.0)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return asdict(self)

    @classmethod
    def read(cls, path: Path, size: int) -> Self:
        """Read settings from a JSON file; settings that it leaves out have their defaults."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            known = {field.name for field in fields(cls)}
            if not isinstance(found, dict) or not found.keys() <= known:
                raise InputError(f"{path} may hold only {shorten(sorted(known))}: correct it")
            lists = {key: tuple(map(float, value)) for key, value in found.items() if key in ("mean", "std")}
            settings: dict[str, Any] = {"size": size} | found | lists
            made = cls(**settings)
        except (ValueError, TypeError) as error:
            raise InputError(f"{path} is not a valid preprocessing ({error}): correct it or remove it") from error
        if made.interpolation not in _FILTERS or len(made.mean) != 3 or len(made.std) != 3 or 0 in made.std:
            raise InputError(
                f"{path} has {made.as_dict()}: give 3 numbers for mean and std, none of std 0, and interpolation as "
                f"one of {shorten(_FILTERS)}"
            )
        return made

    def _cut_square(self, picture: "Image") -> "Image":
        filter_ = _FILTERS[self.interpolation]
        if not self.crop:
            return picture.resize((self.size, self.size), resample=filter_)
        width, height = picture.size
        # Resized first and cropped afterwards, as in the training of the networks.
        side = round(self.size / self.crop)
        ratio = side / min(width, height)
        wide, high = max(side, int(width * ratio)), max(side, int(height * ratio))
        left, top = round((wide - self.size) / 2), round((high - self.size) / 2)
        resized = picture.resize((wide, high), resample=filter_) if (wide, high) != (width, height) else picture
        return resized.crop((left, top, left + self.size, top + self.size))
