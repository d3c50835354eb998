"""Encoders by name."""

from pathlib import Path
from typing import TYPE_CHECKING

from unseen.utils.errors import InputError
from unseen.utils.registry import did_you_mean

if TYPE_CHECKING:
    from unseen.encoders.protocol import ImageEncoder, TextEncoder

IMAGE_ENCODERS = ("vgg19", "efficientnet-lite0", "timm:NAME", "open_clip:NAME/PRETRAINED", "FILE.onnx")
TEXT_ENCODERS = ("minilm", "sentence-transformers:NAME", "open_clip:NAME/PRETRAINED")


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
    kind, _, rest = name.partition(":")
    if name == "vgg19":
        from unseen.encoders.networks.vgg19 import vgg19

        return vgg19(weights, device, whole)
    if name == "efficientnet-lite0":
        from unseen.encoders.networks.efficientnet_lite0 import efficientnet_lite0

        return efficientnet_lite0(weights, device, whole)
    if kind == "timm" and rest:
        from unseen.encoders.networks.timm_model import timm_model

        return timm_model(rest, weights, device, whole)
    if kind == "open_clip" and rest:
        from unseen.encoders.networks.open_clip_tower import open_clip_image_tower

        return open_clip_image_tower(rest, weights, device, whole)
    if name.casefold().endswith(".onnx"):
        from unseen.encoders.networks.onnx_file import OnnxImageEncoder

        return OnnxImageEncoder(weights or Path(name), device, whole)
    raise _unknown(name, IMAGE_ENCODERS)


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
    kind, _, rest = name.partition(":")
    if name == "minilm":
        from unseen.encoders.networks.minilm import minilm

        return minilm(weights)
    if kind == "open_clip" and rest:
        from unseen.encoders.networks.open_clip_tower import OpenClipTextTower

        return OpenClipTextTower(rest, weights, device)
    if kind == "sentence-transformers" and rest:
        from unseen.encoders.networks.sentence_transformer import SentenceTransformerEncoder

        return SentenceTransformerEncoder(rest, weights, device)
    raise _unknown(name, TEXT_ENCODERS)


def _unknown(name: str, known: tuple[str, ...]) -> InputError:
    return InputError(f"encoder {name!r} is not known{did_you_mean([name], known)}: choose {', '.join(known)}")
