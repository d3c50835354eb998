"""Pictures are encoded with the model's own encoder, within limits, and nothing is written."""

import builtins
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from picture_files import attributes, write_bomb, write_folder, write_onnx, write_picture
from serving import Client, form, serving

from unseen.server import Limits, Service
from unseen.utils.errors import InputError
from unseen.workflows import extract, fit, predict

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("onnxruntime")

FORM = "multipart/form-data; boundary=xyz"
CLASSES = ["006.Bird_6", "007.Bird_7"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("birds")
    write_onnx(here / "tiny.onnx")
    write_folder(here / "birds")
    extract(here / "birds", here / "features", encoder=str(here / "tiny.onnx"))
    fit(here / "features", "eszsl", calibrate=False).save(here / "birds.unseen")
    for at in (6, 7):
        write_picture(here / "new" / f"{at}.png", attributes(8)[at], seed=1000 + at)
    return here


@pytest.fixture(scope="module")
def birds(folder: Path) -> Iterator[Client]:
    service = Service(folder / "birds.unseen", CLASSES, limits=Limits(pixels=1000, pictures=5))
    with serving(service) as client:
        yield client


def read(folder: Path, at: int) -> bytes:
    return (folder / "new" / f"{at}.png").read_bytes()


def test_a_picture_is_a_body(birds: Client, folder: Path) -> None:
    expected = predict(folder / "birds.unseen", folder / "new", CLASSES, top=2)
    for at, label in enumerate(CLASSES):
        [found] = birds.ask("/predict?top=2", read(folder, 6 + at), "image/png").json["answers"]
        assert (found["row"], found["label"]) == ("picture", label)
        assert found["ranked"][0]["probability"] == pytest.approx(expected.answers.probabilities[at, 0], abs=1e-5)


def test_several_pictures_are_a_form(birds: Client, folder: Path) -> None:
    parts = [
        ("options", None, b'{"top": 1}'),
        ("pictures", "7.png", read(folder, 7)),
        ("pictures", "broken.png", b"no picture"),
        ("pictures", "6.png", read(folder, 6)),
        ("pictures", "6.png", read(folder, 6)),
    ]
    found = birds.ask("/predict", form(parts), FORM).json
    answers = {row["row"]: row["label"] for row in found["answers"]}
    assert answers == {"7.png": CLASSES[1], "6.png": CLASSES[0], "6.png (2)": CLASSES[0]}
    assert found["unreadable"] == {"broken.png": "not a picture of a known kind"}


def test_pictures_are_explained(birds: Client, folder: Path) -> None:
    found = birds.ask("/explain?class=007.Bird_7&top=3", read(folder, 7), "image/png").json
    assert found["class"] == CLASSES[1]
    assert len(found["attributes"]) == 3


def picture(kind: str, size: tuple[int, int] = (20, 20)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, "red").save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"])
def test_kinds_of_pictures(birds: Client, kind: str) -> None:
    assert birds.ask("/predict", picture(kind), "image/any").status == 200


def test_large_pictures_and_other_kinds_are_not_decoded(birds: Client, tmp_path: Path) -> None:
    for content, words in (
        (picture("PNG", (50, 21)), "50 x 21 pixels, more than 1,000"),
        (write_bomb(tmp_path / "bomb.png").read_bytes(), "pixels"),
        (picture("EPS"), "not a picture of a known kind"),
        (picture("PPM"), "not a picture of a known kind"),
        (b"", "not a picture of a known kind"),
    ):
        found = birds.ask("/predict", content, "image/png")
        assert found.status == 400
        assert found.error["argument"] == "pictures"
        assert words in found.error["message"]
    assert birds.ask("/predict", form([("pictures", "a", b"")] * 6), FORM).status == 413


def test_nothing_is_written(birds: Client, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even large parts of forms, which web frameworks put into temporary files."""
    opened = builtins.open

    def open_to_read(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
        assert mode in ("r", "rb", "rt"), f"{file} is opened to write"
        return opened(file, mode, *rest, **named)

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a temporary file is made")

    monkeypatch.setattr(builtins, "open", open_to_read)
    monkeypatch.setattr(os, "mkdir", refuse)
    for name in ("mkstemp", "TemporaryFile", "NamedTemporaryFile", "SpooledTemporaryFile"):
        monkeypatch.setattr(tempfile, name, refuse)
    large = read(folder, 6) + bytes(4_000_000)
    found = birds.ask("/predict", form([("pictures", "large.png", large)]), FORM)
    assert found.json["answers"][0]["label"] == CLASSES[0]


def test_without_its_weights_the_server_takes_features(folder: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone.unseen"
    fitted = fit(folder / "features", "eszsl", calibrate=False)
    record = dict(fitted.encoder or {}) | {"name": str(tmp_path / "gone.onnx")}
    type(fitted)(fitted.model, "birds", 1, encoder=record).save(gone)
    service = Service(gone)
    assert service.without_pictures
    with serving(service) as client:
        assert client.ask("/predict", {"rows": [[0.0] * 48]}).status == 200
        found = client.ask("/predict", read(folder, 6), "image/png")
        assert found.status == 400
        assert "gone.onnx" in found.error["message"]
    with pytest.raises(InputError, match="nowhere"):
        Service(gone, weights=tmp_path / "nowhere.onnx")
