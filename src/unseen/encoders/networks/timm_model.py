"""Encode pictures with any network of timm."""

from pathlib import Path

from unseen.encoders.networks.preprocessing import Preprocessing
from unseen.encoders.networks.torch_network import TorchImageEncoder
from unseen.encoders.networks.weights import explain_unreachable, fill_weights, import_network_package, read_weights
from unseen.utils.errors import InputError
from unseen.utils.registry import did_you_mean


def make_timm_model(model: str, weights: Path | None, device: str, whole: bool) -> TorchImageEncoder:
    """Make the encoder `timm:MODEL`: the pooled output of the layer before the last."""
    name = f"timm:{model}"
    timm = import_network_package("timm", name)
    if not timm.is_model(model.partition(".")[0]):
        raise InputError(
            f"timm has no model {model!r}{did_you_mean([model], timm.list_models())}: see timm.list_models()"
        )
    with explain_unreachable(name):
        network = timm.create_model(model, pretrained=weights is None, num_classes=0)
    if weights is not None:
        fill_weights(network, read_weights(weights), f"--weights {weights}")
    settings = timm.data.resolve_model_data_config(network)
    seen = Preprocessing(
        size=int(settings["input_size"][-1]),
        crop=float(settings["crop_pct"]),
        mean=tuple(settings["mean"]),
        std=tuple(settings["std"]),
        interpolation=settings["interpolation"],
    )
    return TorchImageEncoder(name, network, seen.without_crop() if whole else seen, device)
