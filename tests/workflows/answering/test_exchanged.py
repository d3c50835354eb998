"""Answers in the files of FiftyOne and Label Studio, as these programs read them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import ran, run

from unseen import load_dataset
from unseen.data import FeatureRows, ZeroShotDataset
from unseen.data.exchange import read_labelling
from unseen.models import ESZSL
from unseen.utils.errors import InputError
from unseen.workflows import predict, predict_to_file
from unseen.workflows.answering.exchanged import ExchangeFormat

CONFIG = """<View><Image name="img" value="$picture"/><Choices name="number" toName="img">
<Choice value="02"/><Choice value="03"/><Choice value="99"/></Choices></View>"""


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return load_dataset("digit-pairs")


@pytest.fixture(scope="module")
def model(data: ZeroShotDataset) -> ESZSL:
    return ESZSL().fit(data.X_train, data.y_train, classes=data.classes)


@pytest.fixture(scope="module")
def rows(data: ZeroShotDataset) -> FeatureRows:
    return FeatureRows(data.X_test_unseen[:40], [f"numbers/{at:02}.png" for at in range(40)])


def test_fiftyone(model: ESZSL, data: ZeroShotDataset, rows: FeatureRows, tmp_path: Path) -> None:
    found = predict(model, rows, data.unseen_table)
    for write in (found.write, lambda *a: predict_to_file(model, rows, a[0], data.unseen_table, wanted=a[1])):
        out = tmp_path / "labels.json"
        write(out, ExchangeFormat.make("fiftyone"))
        content = json.loads(out.read_text())
        assert list(content["labels"]) == [f"numbers/{at:02}" for at in range(40)]
        assert [target["label"] for target in content["labels"].values()] == found.labels
        given = [target["confidence"] for target in content["labels"].values()]
        np.testing.assert_allclose(given, found.answers.probabilities[:, 0], atol=1e-6)
        assert read_labelling(out).match(rows.names) == dict(zip(rows.names, found.labels, strict=True))
        out.unlink()
    predict_to_file(model, rows, out, data.unseen_table, top=3, abstain=0.5, wanted=ExchangeFormat.make("fiftyone"))
    content = json.loads(out.read_text())
    assert content["classes"] == data.unseen_classes.tolist()
    withheld = [target is None for target in content["labels"].values()]
    assert withheld == (found.answers.probabilities[:, 0] < 0.5).tolist()
    assert any(withheld)
    assert all(len(target) == 3 for target in content["labels"].values() if target)


def test_label_studio(model: ESZSL, rows: FeatureRows, tmp_path: Path) -> None:
    config, out = tmp_path / "config.xml", tmp_path / "tasks.json"
    config.write_text(CONFIG)
    # Its choices are the candidates.
    found = predict(model, rows, config, top=2)
    predict_to_file(model, rows, out, config, top=2, wanted=ExchangeFormat.make("label-studio", config, "/data/x/"))
    tasks = json.loads(out.read_text())
    assert [task["data"] for task in tasks] == [{"picture": f"/data/x/{name}"} for name in rows.names]
    for task, label, other in zip(tasks, *found.answers.labels.T, strict=True):
        for prediction, expected in zip(task["predictions"], (label, other), strict=True):
            [result] = prediction["result"]
            assert result.pop("id")
            assert result == {
                "from_name": "number",
                "to_name": "img",
                "type": "choices",
                "value": {"choices": [expected]},
            }
            assert 0 <= prediction["score"] <= 1


def test_no_rows_that_answer_and_rows_without_pictures(
    model: ESZSL, data: ZeroShotDataset, rows: FeatureRows, tmp_path: Path
) -> None:
    for kind in ("fiftyone", "label-studio"):
        wanted = ExchangeFormat.make(kind)
        predict_to_file(model, rows, tmp_path / kind, data.unseen_table, abstain=1.0, wanted=wanted)
        assert json.loads((tmp_path / kind).read_text())
        with pytest.raises(InputError, match="row 0 has no picture"):
            predict_to_file(model, rows.X, tmp_path / "x", data.unseen_table, wanted=wanted)
        assert not (tmp_path / "x").exists()


def test_two_pictures_of_one_name_are_not_told_apart_by_fiftyone(
    model: ESZSL, rows: FeatureRows, tmp_path: Path
) -> None:
    alike = FeatureRows(rows.X[:2], ["a.png", "a.jpg"])
    with pytest.raises(InputError, match="differs from another picture only in its extension"):
        predict_to_file(model, alike, tmp_path / "x", wanted=ExchangeFormat.make("fiftyone"))


def test_the_command_line(model: ESZSL, tmp_path: Path) -> None:
    files = pytest.importorskip("picture_files")
    birds = files.write_folder(tmp_path / "birds")
    network = files.write_onnx(tmp_path / "tiny.onnx")
    ran("extract", birds, "--encoder", network, "--out", tmp_path / "features")
    ran("fit", tmp_path / "features", "--model", "eszsl", "--out", tmp_path / "birds.unseen")
    pictures = birds / "images"
    printed = ran("predict", tmp_path / "birds.unseen", pictures, "--weights", network, "--format", "fiftyone")
    (tmp_path / "labels.json").write_text(printed.stdout)
    labels = read_labelling(tmp_path / "labels.json").labels

    # What was answered is corrected by people, and learned from.
    export = [_annotate(path, name) for path, name in labels.items()]
    (tmp_path / "export.json").write_text(json.dumps([{"data": {"image": "elsewhere.png"}}, *export[:-1]]))
    result = ran(
        *("extract", birds, "--encoder", network, "--labels", tmp_path / "export.json", "--out", tmp_path / "again")
    )
    assert "1 pictures have no label of their own and are left out" in " ".join(result.output.split())
    learned = load_dataset(tmp_path / "again", split="random:0")
    assert learned.y.tolist() == [labels[name.removesuffix(".png")] for name in _list_pictures(tmp_path / "again")]

    for arguments, sentence in (
        (("--format", "fiftyone", "--prefix", "x"), "are for Label Studio"),
        (("--format", "csv", "--labelling", "x.xml"), "are for --format label-studio"),
        (("--format", "label-studio", "--labelling", tmp_path / "none.xml"), "cannot be read"),
    ):
        refused = run("predict", tmp_path / "birds.unseen", pictures, "--weights", network, *arguments)
        assert refused.exit_code == 2
        assert sentence in " ".join(refused.output.split())


def _annotate(path: str, name: str) -> dict[str, Any]:
    result = {"type": "choices", "value": {"choices": [name]}}
    return {"data": {"image": f"/data/local-files/?d=birds/{path}.png"}, "annotations": [{"result": [result]}]}


def _list_pictures(folder: Path) -> list[str]:
    """List the pictures of an extraction as they lie in their folder."""
    return ["/".join(line.split("/")[-2:]) for line in (folder / "pictures.txt").read_text().splitlines()]
