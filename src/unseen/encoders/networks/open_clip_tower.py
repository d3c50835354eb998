"""Encode pictures and texts with the two towers of any open_clip model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.encoders.networks.preprocessing import Preprocessing
from unseen.encoders.networks.torch_network import TorchImageEncoder
from unseen.encoders.networks.weights import (
    explain_unreachable,
    fill_weights,
    hash_weights,
    import_network_package,
    read_weights,
)
from unseen.encoders.protocol import make_fingerprint
from unseen.utils.devices import find_device
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import did_you_mean

_BATCH = 64


def make_open_clip_image_tower(spec: str, weights: Path | None, device: str, whole: bool) -> TorchImageEncoder:
    """Make the picture encoder `open_clip:NAME/PRETRAINED`."""
    model = _make_model(spec, weights)
    found = model.visual.preprocess_cfg
    size = found["size"]
    seen = Preprocessing(
        size=int(size if isinstance(size, int) else size[0]),
        crop=0.0 if found["resize_mode"] == "squash" else 1.0,
        mean=tuple(found["mean"]),
        std=tuple(found["std"]),
        interpolation=found["interpolation"],
    )
    # The whole model, so that the fingerprints of both towers are computed from the same weights.
    return TorchImageEncoder(
        f"open_clip:{spec}", model, seen.without_crop() if whole else seen, device, features=model.encode_image
    )


class OpenClipTextTower:
    """The text encoder `open_clip:NAME/PRETRAINED`; see `TextEncoder`."""

    def __init__(self, spec: str, weights: Path | None, device: str = "cpu") -> None:
        self.name = f"open_clip:{spec}"
        self._device = find_device(device, "images")
        self._model = _make_model(spec, weights).eval().to(self._device)
        self._tokenizer = import_network_package("open_clip", self.name).get_tokenizer(spec.partition("/")[0])
        self.fingerprint = make_fingerprint(self.name, hash_weights(self._model))
        self.width = self.encode(["a"]).shape[1]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector of length 1 per text, of shape (n, `width`)."""
        import torch

        with torch.inference_mode():
            parts = [
                self._model.encode_text(self._tokenizer(list(texts[at : at + _BATCH])).to(self._device), normalize=True)
                for at in range(0, len(texts), _BATCH)
            ]
            return np.asarray(torch.cat(parts).float().cpu().numpy())


def _make_model(spec: str, weights: Path | None) -> Any:
    name = f"open_clip:{spec}"
    open_clip = import_network_package("open_clip", name)
    model, _, pretrained = spec.partition("/")
    known = open_clip.list_models()
    if model not in known:
        raise InputError(f"open_clip has no model {model!r}{did_you_mean([model], known)}: see open_clip.list_models()")
    if weights is not None:
        network = open_clip.create_model(model, pretrained=None)
        fill_weights(network, read_weights(weights), f"--weights {weights}")
        return network
    tags = open_clip.list_pretrained_tags_by_model(model)
    if pretrained not in tags:
        raise InputError(
            f"{name} names no weights: write open_clip:{model}/PRETRAINED with one of {shorten(tags, limit=20)}, or "
            "name a file with --weights"
        )
    with explain_unreachable(name):
        return open_clip.create_model(model, pretrained=pretrained)
