"""Make encoders by name."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.utils.registry import Registry

if TYPE_CHECKING:
    from unseen.encoders.protocol import ImageEncoder, TextEncoder

# Makes an encoder from the part of its name after the colon (or the whole name), weights, device, and crop.
ImageMaker = Callable[[str, Path | None, str, bool], "ImageEncoder"]
TextMaker = Callable[[str, Path | None, str], "TextEncoder"]


def image_encoder(
    name: str, *, weights: Path | None = None, device: str = "cpu", whole: bool = False
) -> "ImageEncoder":
    """Make an encoder of pictures.

    Parameters
    ----------
    name : str
        ``make_vgg19`` (fc7, the features of the JFA paper), ``efficientnet-lite0``, ``timm:NAME``,
        ``open_clip:NAME/PRETRAINED``, or the path of an ONNX file.
    weights : Path, optional
        A file of weights (safetensors, or a state_dict written by `torch.save`). By default they are found in the
        user's caches and packages. For an ONNX encoder, the present path of its file.
    device : str, default "cpu"
        Device on which it runs, "cpu" or "cuda".
    whole : bool, default False
        Whether to squeeze the whole picture into the input of the network, instead of cropping its centre.
    """
    maker, rest = _find_maker(IMAGE_ENCODERS, name)
    encoder: ImageEncoder = maker(rest, weights, device, whole)
    return encoder


def text_encoder(name: str, *, weights: Path | None = None, device: str = "cpu") -> "TextEncoder":
    """Make an encoder of texts.

    Parameters
    ----------
    name : str
        ``make_minilm``, ``sentence-transformers:NAME``, or ``open_clip:NAME/PRETRAINED``.
    weights : Path, optional
        For open_clip a file, as for `image_encoder`; otherwise the folder of a sentence-transformers model.
    device : str, default "cpu"
        Device on which it runs; minilm ignores it, because it runs in NumPy.
    """
    maker, rest = _find_maker(TEXT_ENCODERS, name)
    encoder: TextEncoder = maker(rest, weights, device)
    return encoder


def _find_maker(known: Registry[Any], name: str) -> tuple[Any, str]:
    """Find the function that makes an encoder, and its argument: the name of a network or of a file."""
    family, colon, rest = name.partition(":")
    if colon and rest:
        return next((known[key] for key in known if key.startswith(f"{family}:")), None) or known.find(name), rest
    if name.casefold().endswith(".onnx") and "FILE.onnx" in known:
        return known["FILE.onnx"], name
    return known.find(name), name


# Each network is imported only when it is needed.


def _make_vgg19(_: str, weights: Path | None, device: str, whole: bool) -> "ImageEncoder":
    from unseen.encoders.networks.vgg19 import make_vgg19

    return make_vgg19(weights, device, whole)


def _make_efficientnet_lite0(_: str, weights: Path | None, device: str, whole: bool) -> "ImageEncoder":
    from unseen.encoders.networks.efficientnet_lite0 import make_efficientnet_lite0

    return make_efficientnet_lite0(weights, device, whole)


def _make_timm(model: str, weights: Path | None, device: str, whole: bool) -> "ImageEncoder":
    from unseen.encoders.networks.timm_model import make_timm_model

    return make_timm_model(model, weights, device, whole)


def _make_open_clip_image(model: str, weights: Path | None, device: str, whole: bool) -> "ImageEncoder":
    from unseen.encoders.networks.open_clip_tower import make_open_clip_image_tower

    return make_open_clip_image_tower(model, weights, device, whole)


def _make_onnx(file: str, weights: Path | None, device: str, whole: bool) -> "ImageEncoder":
    from unseen.encoders.networks.onnx_file import OnnxImageEncoder

    return OnnxImageEncoder(weights or Path(file), device, whole)


def _make_minilm(_: str, weights: Path | None, device: str) -> "TextEncoder":
    from unseen.encoders.networks.minilm import make_minilm

    return make_minilm(weights)


def _make_open_clip_text(model: str, weights: Path | None, device: str) -> "TextEncoder":
    from unseen.encoders.networks.open_clip_tower import OpenClipTextTower

    return OpenClipTextTower(model, weights, device)


def _make_sentence_transformer(model: str, weights: Path | None, device: str) -> "TextEncoder":
    from unseen.encoders.networks.sentence_transformer import SentenceTransformerEncoder

    return SentenceTransformerEncoder(model, weights, device)


# Words in capitals stand for what the user fills in.
IMAGE_ENCODERS: Registry[ImageMaker] = Registry(
    "encoder",
    {
        "vgg19": _make_vgg19,
        "efficientnet-lite0": _make_efficientnet_lite0,
        "timm:NAME": _make_timm,
        "open_clip:NAME/PRETRAINED": _make_open_clip_image,
        "FILE.onnx": _make_onnx,
    },
)
TEXT_ENCODERS: Registry[TextMaker] = Registry(
    "encoder",
    {
        "minilm": _make_minilm,
        "sentence-transformers:NAME": _make_sentence_transformer,
        "open_clip:NAME/PRETRAINED": _make_open_clip_text,
    },
)
