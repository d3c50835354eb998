"""From pictures to labels, as a notebook does it."""

from pathlib import Path

import pytest
from picture_files import attributes, write_folder, write_onnx, write_picture

from unseen.encoders import EncoderRecord
from unseen.utils.errors import InputError
from unseen.utils.progress import Progress
from unseen.workflows import Fitted, extract, fit, predict
from unseen.workflows.inputs.pictures import find_recorded_weights


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Class folders of pictures, their features, and new pictures with one that cannot be read."""
    here = tmp_path_factory.mktemp("birds")
    write_onnx(here / "tiny.onnx")
    write_folder(here / "birds")
    extract(here / "birds", here / "features", encoder=str(here / "tiny.onnx"))
    for at in (6, 7):
        write_picture(here / "new" / f"{at}.png", attributes(8)[at], seed=1000 + at)
    (here / "new" / "broken.png").write_bytes(b"no picture")
    return here


@pytest.fixture(scope="module")
def birds(folder: Path) -> Fitted:
    return fit(folder / "features", "eszsl", calibrate=False)


def test_extracting_tells_what_was_done(folder: Path, tmp_path: Path, told: list[Progress]) -> None:
    encoder = str(folder / "tiny.onnx")
    found = extract(folder / "birds", tmp_path / "out", encoder=encoder, on_progress=told.append)
    assert (found.done.rows, found.done.encoded, found.width, found.encoder) == (32, 32, 48, encoder)
    assert not found.lacks_descriptions
    assert told[0] == Progress("encoding", 0, 32)
    assert told[-1] == Progress("encoding", 32, 32)
    assert extract(folder / "birds", tmp_path / "out", encoder=encoder).done.encoded == 0


def test_pictures_go_through_the_encoder_of_the_model(birds: Fitted, folder: Path) -> None:
    classes = ["006.Bird_6", "007.Bird_7"]
    found = predict(birds, folder / "new", classes)
    assert list(found.names) == ["6.png", "7.png"]
    assert found.labels == classes
    assert list(found.unreadable) == ["broken.png"]
    assert predict(birds, folder / "new" / "7.png", classes).labels == classes[1:]


def test_a_folder_of_features_is_named_by_its_pictures(birds: Fitted, folder: Path) -> None:
    found = predict(birds, folder / "features")
    assert found.names[0] == "000.Bird_0/p0.png"
    assert len(found.labels) == 32


def test_features_of_another_encoder_are_refused(birds: Fitted, folder: Path, tmp_path: Path) -> None:
    write_onnx(tmp_path / "other.onnx", factor=2.0)
    extract(folder / "birds", tmp_path / "other", encoder=str(tmp_path / "other.onnx"))
    with pytest.raises(InputError, match="extract with that encoder"):
        predict(birds, tmp_path / "other")
    with pytest.raises(InputError, match="features of unknown origin"):
        predict(birds.model, folder / "new")


@pytest.mark.parametrize("place", ["/dev/zero", "../weights.pth", "link.pth"])
def test_no_path_from_a_model_file_leads_elsewhere(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models").mkdir()
    monkeypatch.chdir(tmp_path / "models")
    (tmp_path / "weights.pth").write_bytes(b"private")
    (tmp_path / "models" / "link.pth").symlink_to(tmp_path / "weights.pth")
    record = EncoderRecord("vgg19", "f", 4096, weights=place)
    with pytest.raises(InputError, match="is not trusted to name others; name them with weights="):
        find_recorded_weights(record, tmp_path / "models" / "m.unseen")
    onnx = EncoderRecord(str(tmp_path / "net.onnx"), "f", 4096)
    with pytest.raises(InputError, match=r"names the weights .*net.onnx of its encoder"):
        find_recorded_weights(onnx, tmp_path / "models" / "m.unseen")


def test_weights_in_a_cache_have_no_path() -> None:
    assert find_recorded_weights(EncoderRecord("vgg19", "f", 4096), Path("m.unseen")) is None
