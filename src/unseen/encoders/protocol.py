"""Define the interface of picture and text encoders."""

import hashlib
import json
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.Image import Image

# Increased when the same weights give other features than before.
VERSION = 2


class ImageEncoder(Protocol):
    """Encode pictures as rows of features.

    Attributes
    ----------
    name : str
        Name of the encoder for `image_encoder`.
    width : int
        Number of features of a picture.
    fingerprint : str
        A hash of all that determines the features: kind, weights, preprocessing.
    """

    name: str
    width: int
    fingerprint: str

    def preprocess(self, picture: "Image") -> NDArray[np.float32]:
        """Return the input of the network for one picture, of shape (3, height, width)."""

    def encode(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the features of a batch of shape (n, 3, height, width), of shape (n, `width`)."""


class TextEncoder(Protocol):
    """Encode texts as vectors; the attributes are those of `ImageEncoder`."""

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
        Name of the network, not the path of its file.
    weights : str
        The hash of its weights.
    settings : JSON value
        Other settings that determine the features, such as the preprocessing.

    Examples
    --------
    >>> make_fingerprint("vgg19", "9f86d0")[:12]
    '7043653de7e1'
    """
    text = json.dumps([VERSION, kind, weights, settings], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
