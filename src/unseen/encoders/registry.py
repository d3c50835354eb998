"""Encoders by name."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.utils.registry import Registry

if TYPE_CHECKING:
    from unseen.encoders.protocol import ImageEncoder, TextEncoder

# Makes an encoder of what follows the colon in its name (or of the whole name), weights, device, and how to crop.
ImageMaker = Callable[[str, Path | None, str, bool], "ImageEncoder"]
TextMaker = Callable[[str, Path | None, str], "TextEncoder"]


def image_encoder(
    name: str, *, weights: Path | None = None, device: str = "cpu", whole: bool = False
) -> "ImageEncoder":
    """Make an encoder of pictures.

    Parameters
    ----------
    name : str
        ``vgg19`` (fc7, the features of the JFA paper), ``efficientnet-lite0``, ``timm:NAME``,
        ``open_clip:NAME/PRETRAINED``, or the path of an ONNX file.
    weights : Path, optional
        A file of weights (safetensors, or what `torch.save` writes of a state_dict), by default those of the user's
        caches and packages. For an ONNX encoder: where the file is now.
    device : str, default "cpu"
        Or "cuda".
    whole : bool, default False
        Whether to squeeze the whole picture into the square that the network sees, instead of cutting out its middle.
    """
    maker, rest = _found(IMAGE_ENCODERS, name)
    encoder: ImageEncoder = maker(rest, weights, device, whole)
    return encoder


def text_encoder(name: str, *, weights: Path | None = None, device: str = "cpu") -> "TextEncoder":
    """Make an encoder of texts.

    Parameters
    ----------
    name : str
        ``minilm``, ``sentence-transformers:NAME``, or ``open_clip:NAME/PRETRAINED``.
    weights : Path, optional
        Of open_clip: a file, as for `image_encoder`. Of the others: the folder of a sentence-transformers model.
    device : str, default "cpu"
        Of all but minilm, which runs in NumPy.
    """
    maker, rest = _found(TEXT_ENCODERS, name)
    encoder: TextEncoder = maker(rest, weights, device)
    return encoder


def _found(known: Registry[Any], name: str) -> tuple[Any, str]:
    """Find what makes an encoder, and what it makes it of: the name of a network, or of a file."""
    family, colon, rest = name.partition(":")
    if colon and rest:
        return next((known[key] for key in known if key.startswith(f"{family}:")), None) or known.find(name), rest
    if name.casefold().endswith(".onnx") and "FILE.onnx" in known:
        return known["FILE.onnx"], name
    return known.find(name), name


# Each network is imported when it is asked for, and no sooner.


def _vgg19(_: str, weights: Path | None, device: str, whole: bool) -> "ImageEncoder":
    from unseen.encoders.networks.vgg19 import vgg19

    return vgg19(weights, device, whole)


def _efficientnet_lite0(_: str, weights: Path | None, device: str, whole: bool) -> "ImageEncoder":
    from unseen.encoders.networks.efficientnet_lite0 import efficientnet_lite0

    return efficientnet_lite0(weights, device, whole)


def _timm(model: str, weights: Path | None, device: str, whole: bool) -> "ImageEncoder":
    from unseen.encoders.networks.timm_model import timm_model

    return timm_model(model, weights, device, whole)


def _open_clip_image(model: str, weights: Path | None, device: str, whole: bool) -> "ImageEncoder":
    from unseen.encoders.networks.open_clip_tower import open_clip_image_tower

    return open_clip_image_tower(model, weights, device, whole)


def _onnx(file: str, weights: Path | None, device: str, whole: bool) -> "ImageEncoder":
    from unseen.encoders.networks.onnx_file import OnnxImageEncoder

    return OnnxImageEncoder(weights or Path(file), device, whole)


def _minilm(_: str, weights: Path | None, device: str) -> "TextEncoder":
    from unseen.encoders.networks.minilm import minilm

    return minilm(weights)


def _open_clip_text(model: str, weights: Path | None, device: str) -> "TextEncoder":
    from unseen.encoders.networks.open_clip_tower import OpenClipTextTower

    return OpenClipTextTower(model, weights, device)


def _sentence_transformer(model: str, weights: Path | None, device: str) -> "TextEncoder":
    from unseen.encoders.networks.sentence_transformer import SentenceTransformerEncoder

    return SentenceTransformerEncoder(model, weights, device)


# What stands in capitals is to be filled in.
IMAGE_ENCODERS: Registry[ImageMaker] = Registry(
    "encoder",
    {
        "vgg19": _vgg19,
        "efficientnet-lite0": _efficientnet_lite0,
        "timm:NAME": _timm,
        "open_clip:NAME/PRETRAINED": _open_clip_image,
        "FILE.onnx": _onnx,
    },
)
TEXT_ENCODERS: Registry[TextMaker] = Registry(
    "encoder",
    {
        "minilm": _minilm,
        "sentence-transformers:NAME": _sentence_transformer,
        "open_clip:NAME/PRETRAINED": _open_clip_text,
    },
)
