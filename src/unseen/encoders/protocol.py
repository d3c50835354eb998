"""What an encoder is: the one shape behind which every network stands."""

import hashlib
import json
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.Image import Image

# Raised when the same weights would give other numbers than before.
VERSION = 2


class ImageEncoder(Protocol):
    """Turns pictures into rows of features.

    Attributes
    ----------
    name : str
        By which `image_encoder` finds it.
    width : int
        The number of features of a picture.
    fingerprint : str
        A hash of what decides the features: kind, weights, preprocessing.
    """

    name: str
    width: int
    fingerprint: str

    def preprocess(self, picture: "Image") -> NDArray[np.float32]:
        """Return what the network sees of one picture, of shape (3, height, width)."""

    def encode(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the features of a batch of shape (n, 3, height, width), of shape (n, `width`)."""


class TextEncoder(Protocol):
    """Turns texts into vectors; attributes as for `ImageEncoder`."""

    name: str
    width: int
    fingerprint: str

    def encode(self, texts: "Sequence[str]") -> NDArray[np.float32]:
        """Return one vector per text, of shape (n, `width`)."""


def make_fingerprint(kind: str, weights: str, settings: Any = None) -> str:
    """Return the fingerprint of an encoder.

    Parameters
    ----------
    kind : str
        The network, not the path that it was read from.
    weights : str
        The hash of its weights.
    settings : JSON value
        What else decides the features, such as the preprocessing.

    Examples
    --------
    >>> make_fingerprint("vgg19", "9f86d0")[:12]
    '7043653de7e1'
    """
    text = json.dumps([VERSION, kind, weights, settings], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
