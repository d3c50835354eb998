"""What networks see of pictures, against torchvision's own transforms."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.encoders import Preprocessing
from unseen.utils.errors import InputError

Image = pytest.importorskip("PIL.Image")


def picture(width: int, height: int, seed: int = 0) -> Any:
    pixels = np.random.default_rng(seed).integers(0, 256, size=(height, width, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


@pytest.mark.parametrize("size", [(64, 48), (33, 71), (256, 256), (10, 10), (300, 40)])
@pytest.mark.parametrize(("crop", "interpolation"), [(0.875, "bilinear"), (1.0, "bicubic")])
def test_as_torchvision(torchvision: Any, size: tuple[int, int], crop: float, interpolation: str) -> None:
    from torchvision import transforms

    reference = transforms.Compose(
        [
            transforms.Resize(round(28 / crop), transforms.InterpolationMode(interpolation)),
            transforms.CenterCrop(28),
            transforms.ToTensor(),
            transforms.Normalize((0.4, 0.5, 0.6), (0.2, 0.3, 0.25)),
        ]
    )
    ours = Preprocessing(28, crop, (0.4, 0.5, 0.6), (0.2, 0.3, 0.25), interpolation)
    given = picture(*size)
    np.testing.assert_allclose(ours(given), reference(given).numpy(), atol=2e-6)


@given(st.integers(1, 90), st.integers(1, 90), st.sampled_from([0.0, 0.5, 0.875, 1.0]))
def test_any_size_becomes_the_square(width: int, height: int, crop: float) -> None:
    found = Preprocessing(size=12, crop=crop)(Image.new("RGB", (width, height), (255, 0, 0)))
    assert found.shape == (3, 12, 12)
    assert found.dtype == np.float32
    # One colour stays that colour wherever the square is cut.
    assert np.ptp(found, axis=(1, 2)).max() < 1e-6


def test_whole_sees_the_edges() -> None:
    edge = Image.new("RGB", (100, 40))
    edge.paste((255, 255, 255), (0, 0, 10, 40))
    seen = Preprocessing(size=20, crop=0.875)
    assert np.ptp(seen(edge)) < np.ptp(seen.without_crop()(edge))


def test_settings_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps({"crop": 1.0, "mean": [0, 0, 0], "std": [1, 1, 1]}))
    assert Preprocessing.read(path, 32) == Preprocessing(32, 1.0, (0, 0, 0), (1, 1, 1))
    for wrong in (
        '{"mean": [0, 0]}',
        '{"std": [1, 0, 1]}',
        '{"means": 1}',
        "[1]",
        "{",
        '{"interpolation": "best"}',
        '{"mean": 3}',
    ):
        path.write_text(wrong)
        with pytest.raises(InputError, match=r"m\.json"):
            Preprocessing.read(path, 32)
