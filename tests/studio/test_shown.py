"""What a studio shows of data in any form."""

from pathlib import Path

import numpy as np
import pytest

from unseen.data import ZeroShotDataset
from unseen.models import Calibrated
from unseen.studio import open_studio
from unseen.workflows import extract, fit


def test_a_dataset_shows_its_unseen_test_rows(model: Calibrated, digits: ZeroShotDataset) -> None:
    made = open_studio(model, digits)
    assert made.shown.truth == digits.y_test_unseen.tolist()
    np.testing.assert_array_equal(made.shown.X, digits.X_test_unseen)
    assert made.candidates == digits.unseen_classes.tolist()
    assert len(made.table) == 100
    assert made.shown.drawn


def test_rows_are_shown_without_truth(model: Calibrated, digits: ZeroShotDataset, tmp_path: Path) -> None:
    np.save(tmp_path / "rows.npy", digits.X_test_unseen[:5])
    made = open_studio(model, tmp_path / "rows.npy", ["02", "42"])
    assert made.shown.truth == [None] * 5
    assert made.shown.pictures is None
    assert list(made.shown.names) == [f"row {at}" for at in range(5)]
    assert made.candidates == ["02", "42"]
    # Without candidates, those that `predict` takes.
    assert open_studio(model, digits.X_test_unseen[:5]).candidates == model.classes_.tolist()


def test_of_many_rows_some_are_shown(model: Calibrated, digits: ZeroShotDataset) -> None:
    made = open_studio(model, digits, limit=7)
    assert len(made.shown.names) == len(made.shown.truth) == len(made.shown.X) == 7
    assert made.shown.notes == ["7 of 180 rows are shown, at equal distances"]
    assert made.shown.truth[0] == digits.y_test_unseen[0]
    assert made.shown.truth[-1] == digits.y_test_unseen[-1]


def test_a_table_without_labels_says_so(model: Calibrated, digits: ZeroShotDataset, tmp_path: Path) -> None:
    text = "\n".join(",".join(map(str, row)) for row in digits.X_test_unseen[:3])
    heads = ",".join(f"pixel{at}" for at in range(128))
    (tmp_path / "rows.csv").write_text(f"{heads}\n{text}\n")
    made = open_studio(model, tmp_path / "rows.csv")
    assert made.shown.truth == [None] * 3
    assert made.shown.notes[0].startswith("shown without true classes, because")


def test_pictures_are_encoded_and_their_folders_are_the_truth(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    files = pytest.importorskip("picture_files")
    files.write_onnx(tmp_path / "tiny.onnx")
    files.write_folder(tmp_path / "birds")
    extract(tmp_path / "birds", tmp_path / "features", encoder=str(tmp_path / "tiny.onnx"))
    birds = fit(tmp_path / "features", "eszsl", calibrate=False)
    # As pictures: all of them, with the folders as truth in any spelling.
    (tmp_path / "birds" / "images" / "007.Bird_7").rename(tmp_path / "birds" / "images" / "bird 7")
    made = open_studio(birds, tmp_path / "birds" / "images", ["006.Bird_6", "007.Bird_7"])
    assert len(made.shown.names) == 32
    assert made.shown.names[0] == "000.Bird_0/p0.png"
    assert set(made.shown.truth) == {f"00{at}.Bird_{at}" for at in range(8)}
    assert made.shown.pictures is not None
    assert made.shown.pictures(0).startswith("data:image/jpeg;base64,")
    # As features that were extracted: the unseen ones, with the pictures that are still where they were.
    made = open_studio(birds, tmp_path / "features")
    assert made.candidates == ["006.Bird_6", "007.Bird_7"]
    assert made.shown.truth == ["006.Bird_6"] * 4 + ["007.Bird_7"] * 4
    assert made.shown.pictures is not None
    assert made.shown.pictures(0).startswith("data:image/jpeg;base64,")
