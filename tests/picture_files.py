"""Small pictures and a small network, made anew for tests of encoders."""

import io
import zlib
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
Image = pytest.importorskip("PIL.Image")

SIDE = 16


def write_onnx(path: Path, factor: float = 1.0, batch: int | str = "n") -> Path:
    """Write a network that averages squares of 4 x 4 pixels: 48 features of a picture of 16 x 16."""
    nodes = [
        onnx.helper.make_node("AveragePool", ["pixels"], ["pooled"], kernel_shape=[4, 4], strides=[4, 4]),
        onnx.helper.make_node("Mul", ["pooled", "factor"], ["scaled"]),
        onnx.helper.make_node("Flatten", ["scaled"], ["features"]),
    ]
    graph = onnx.helper.make_graph(
        nodes,
        "tiny",
        [onnx.helper.make_tensor_value_info("pixels", onnx.TensorProto.FLOAT, [batch, 3, SIDE, SIDE])],
        [onnx.helper.make_tensor_value_info("features", onnx.TensorProto.FLOAT, [batch, 48])],
        [onnx.helper.make_tensor("factor", onnx.TensorProto.FLOAT, [], [factor])],
    )
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), path)
    return path


def attributes(n_classes: int, seed: int = 0) -> np.ndarray:
    """Return colours of the four corners as descriptions of classes, of shape (n_classes, 12)."""
    return np.random.default_rng(seed).integers(0, 256, size=(n_classes, 12)) / 255


def write_picture(path: Path, description: np.ndarray, seed: int = 0) -> Path:
    """Write a noisy picture of the four colours."""
    path.parent.mkdir(parents=True, exist_ok=True)
    corners = 255 * description.reshape(2, 2, 3)
    noise = np.random.default_rng(seed).normal(scale=12, size=(20, 20, 3))
    pixels = np.clip(corners.repeat(10, axis=0).repeat(10, axis=1) + noise, 0, 255)
    Image.fromarray(pixels.astype(np.uint8)).save(path)
    return path


def write_bomb(path: Path) -> Path:
    """Write a picture of a few bytes that says to have 10,000,000,000 pixels."""
    file = io.BytesIO()
    Image.new("1", (1, 1)).save(file, "PNG")
    content = bytearray(file.getvalue())
    content[16:24] = (10**5).to_bytes(4, "big") * 2
    content[29:33] = zlib.crc32(content[12:29]).to_bytes(4, "big")
    path.write_bytes(content)
    return path


def write_folder(folder: Path, n_classes: int = 8, n_unseen: int = 2, per_class: int = 4) -> Path:
    """Write class folders of pictures, a class table and a list of unseen classes."""
    described = attributes(n_classes)
    names = [f"{at:03d}.Bird_{at}" for at in range(n_classes)]
    for at, name in enumerate(names):
        for one in range(per_class):
            write_picture(folder / "images" / name / f"p{one}.png", described[at], seed=100 * at + one)
    header = ",".join(["class", *(f"a{at}" for at in range(12))])
    lines = [",".join([name, *(f"{value:.6f}" for value in row)]) for name, row in zip(names, described, strict=True)]
    (folder / "classes.csv").write_text("\n".join([header, *lines]) + "\n")
    (folder / "unseen.txt").write_text("\n".join(names[-n_unseen:]) + "\n")
    return folder
