"""Encode pictures with VGG-19 of torchvision up to fc7, the features of the JFA paper."""

from pathlib import Path
from typing import Any

from unseen.encoders.networks.preprocessing import Preprocessing
from unseen.encoders.networks.torch_network import TorchImageEncoder
from unseen.encoders.networks.weights import fill_weights, import_network_package, read_weights
from unseen.utils.errors import InputError

# The classifier of torchvision is linear, ReLU, dropout, linear, ReLU | dropout, linear.
_UP_TO_FC7 = 5


def make_vgg19(weights: Path | None, device: str, whole: bool) -> TorchImageEncoder:
    """Make the encoder: 4096 features after the ReLU of the second fully connected layer."""
    models = import_network_package("torchvision.models", "vgg19")
    network = cut_after_fc7(models.vgg19(weights=None, init_weights=False))
    state = _read_cached(models) if weights is None else read_weights(weights)
    fill_weights(network, state, "vgg19" if weights is None else f"--weights {weights}")
    seen = Preprocessing(size=224, crop=0.875)
    return TorchImageEncoder("vgg19", network, seen.without_crop() if whole else seen, device)


def cut_after_fc7(network: Any) -> Any:
    """Remove the layers after fc7."""
    network.classifier = network.classifier[:_UP_TO_FC7]
    return network


def _read_cached(models: Any) -> Any:
    """Return the weights from the cache of PyTorch, downloading them if necessary."""
    import torch

    published = models.VGG19_Weights.IMAGENET1K_V1
    try:
        return published.get_state_dict(progress=False, check_hash=True, weights_only=True)
    except OSError as error:
        place = Path(torch.hub.get_dir()) / "checkpoints" / published.url.rpartition("/")[2]
        raise InputError(
            f"the weights of vgg19 cannot be reached ({error}): put {published.url} at {place}, or name the file with "
            "--weights"
        ) from error
