"""Labels with probabilities, as a notebook asks for them."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from unseen.data import FeatureRows, ZeroShotDataset
from unseen.features import UnitNorm
from unseen.files import save
from unseen.models import ESZSL, Prepared
from unseen.utils.errors import InputError
from unseen.utils.progress import Progress
from unseen.workflows import Fitted, evaluate, fit, predict


def test_features_in_every_form(fitted: Fitted, data: ZeroShotDataset, npz: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", data.X)
    expected = fitted.model.predict(data.X, classes=data.unseen_table).tolist()
    for given in (data.X, FeatureRows.from_matrix(data.X), npz, str(npz), tmp_path / "X.npy"):
        found = predict(fitted, given, data.unseen_table)
        assert found.labels == expected
        assert list(found.names) == list(range(len(data.X)))


def test_candidates_in_every_form(fitted: Fitted, data: ZeroShotDataset, tmp_path: Path) -> None:
    data.unseen_table.to_csv(tmp_path / "new.csv")
    (tmp_path / "new.txt").write_text("\n".join(data.unseen_classes))
    expected = predict(fitted, data.X_test_unseen, data.unseen_table).labels
    for classes in (tmp_path / "new.csv", str(tmp_path / "new.txt"), list(data.unseen_classes)):
        assert predict(fitted, data.X_test_unseen, classes).labels == expected
    assert set(predict(fitted, data.X_test_unseen).labels) <= set(data.seen_classes)


def test_names_and_columns(fitted: Fitted, data: ZeroShotDataset) -> None:
    rows = FeatureRows(data.X_test_unseen[:2], ["one", "two"])
    found = predict(fitted, rows, data.unseen_table, top=2)
    columns = found.columns()
    assert list(columns) == ["row", "label", "probability", "label_2", "probability_2"]
    assert columns["row"] == ["one", "two"]
    read = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["label_2"] for row in read] == columns["label_2"]
    assert json.loads(found.to_json())[1]["probability"] == columns["probability"][1]


def test_withheld_labels(fitted: Fitted, data: ZeroShotDataset) -> None:
    everything = predict(fitted, data.X_test_unseen, data.unseen_table)
    sure = predict(fitted, data.X_test_unseen, data.unseen_table, abstain=0.9)
    probable = everything.answers.probabilities[:, 0] >= 0.9
    assert [label is not None for label in sure.labels] == probable.tolist()
    assert sure.expected is fitted.expected


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.parquet"])
def test_answers_are_written_as_the_ending_says(name: str, fitted: Fitted, data: ZeroShotDataset, tmp_path) -> None:
    found = predict(fitted, data.X_test_unseen[:3], data.unseen_table)
    found.write(tmp_path / name)
    if name == "a.parquet":
        pq = pytest.importorskip("pyarrow.parquet")
        assert pq.read_table(tmp_path / name).to_pylist() == json.loads(found.to_json())
    else:
        text = found.to_json() if name == "a.json" else found.to_csv()
        assert (tmp_path / name).read_text() == text
    with pytest.raises(InputError, match="exists already"):
        found.write(tmp_path / name)


def test_a_refined_model_answers_all_rows_together(data: ZeroShotDataset, monkeypatch) -> None:
    refined = fit(data, "eszsl", refine="pst", calibrate=False)
    # Blocks of one row: a model that answers by rows is asked about each by itself.
    monkeypatch.setattr("unseen.utils.arrays.BLOCK_BYTES", 1)
    found = predict(refined, data.X_test_unseen, data.unseen_table)
    assert found.together
    assert found.labels == refined.model.predict(data.X_test_unseen, classes=data.unseen_table).tolist()
    assert not predict(fit(data, "eszsl", calibrate=False), data.X_test_unseen).together


def test_progress_is_told(fitted: Fitted, data: ZeroShotDataset, told: list[Progress]) -> None:
    predict(fitted, data.X_test_unseen, data.unseen_table, on_progress=told.append)
    n = len(data.X_test_unseen)
    assert told[0] == Progress("recognising", 0, n)
    assert told[-1] == Progress("recognising", n, n)


def test_a_column_of_labels_is_left_out(fitted: Fitted, data: ZeroShotDataset, tmp_path: Path) -> None:
    names = ["kind", *(f"f{at}" for at in range(data.X.shape[1]))]
    lines = [",".join(map(str, (at, *row))) for at, row in enumerate(data.X_test_unseen)]
    (tmp_path / "X.csv").write_text("\n".join([",".join(names), *lines]))
    expected = predict(fitted, data.X_test_unseen, data.unseen_table).labels
    assert predict(fitted, tmp_path / "X.csv", data.unseen_table, label="kind").labels == expected
    with pytest.raises(InputError, match="has 10 features in each row, but the model was fitted on 9"):
        predict(fitted, tmp_path / "X.csv", data.unseen_table)


def write_features(path: Path, X: np.ndarray, names: list[str], first: list[str]) -> Path:
    lines = [",".join([label, *map(repr, row)]) for label, row in zip(first, X.tolist(), strict=True)]
    path.write_text("\n".join([",".join(["kind", *names]), *lines]))
    return path


@pytest.fixture
def named(data: ZeroShotDataset, tmp_path: Path) -> Path:
    """A model file that was fitted on a table with named columns."""
    names = [f"f{at}" for at in range(data.X.shape[1])]
    table = write_features(tmp_path / "train.csv", data.X_train, names, data.y_train.tolist())
    fit(table, "eszsl", split="none", classes=data.classes, calibrate=False).save(tmp_path / "named.unseen")
    return tmp_path / "named.unseen"


def test_columns_in_another_order_give_the_same_labels(named: Path, data: ZeroShotDataset, tmp_path: Path) -> None:
    names, rows = [f"f{at}" for at in range(data.X.shape[1])], [f"p{at}" for at in range(len(data.X_test_unseen))]
    straight = write_features(tmp_path / "a.csv", data.X_test_unseen, names, rows)
    turned = write_features(tmp_path / "b.csv", data.X_test_unseen[:, ::-1], names[::-1], rows)
    expected = predict(named, data.X_test_unseen, data.unseen_table).labels
    assert predict(named, straight, data.unseen_table).labels == expected
    assert predict(named, turned, data.unseen_table).labels == expected
    frame = pytest.importorskip("pandas").read_csv(turned, index_col=0)
    assert predict(named, frame, data.unseen_table).labels == expected


def test_missing_and_unknown_columns_are_named(named: Path, data: ZeroShotDataset, tmp_path: Path) -> None:
    names = ["height", *(f"f{at}" for at in range(1, data.X.shape[1]))]
    other = write_features(tmp_path / "c.csv", data.X[:2], names, ["p0", "p1"])
    with pytest.raises(InputError, match="lacks the feature 'f0' and has the unknown feature 'height'"):
        predict(named, other, data.unseen_table)


def test_a_measured_model_finds_its_columns_too(data: ZeroShotDataset, tmp_path: Path) -> None:
    names = [f"f{at}" for at in range(data.X.shape[1])]
    unseen = data.unseen_classes.tolist()
    straight = write_features(tmp_path / "a.csv", data.X, names, data.y.tolist())
    turned = write_features(tmp_path / "b.csv", data.X[:, ::-1], names[::-1], data.y.tolist())
    fitted = fit(straight, "eszsl", split=unseen, classes=data.classes, calibrate=False)
    first, second = (evaluate(fitted, path, split=unseen, classes=data.classes) for path in (straight, turned))
    assert first.to_dict()["trials"][0]["metrics"] == second.to_dict()["trials"][0]["metrics"]


def test_a_model_of_a_data_frame_keeps_its_names(data: ZeroShotDataset, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data.X_train, columns=[f"f{at}" for at in range(data.X.shape[1])])
    model = Prepared(ESZSL(), features=UnitNorm()).fit(frame, data.y_train, classes=data.classes)
    save(model, tmp_path / "frame.unseen")
    turned = pandas.DataFrame(data.X_test_unseen, columns=frame.columns)[frame.columns[::-1]]
    expected = predict(model, data.X_test_unseen, data.unseen_table).labels
    assert predict(tmp_path / "frame.unseen", turned, data.unseen_table).labels == expected


@pytest.mark.parametrize(
    ("given", "classes", "sentence"),
    [
        (np.ones((2, 3)), None, "data has 3 features in each row, but the model was fitted on 9"),
        (np.full((2, 9), np.nan), None, "data has nan in row 0, column 0"),
        (np.ones(9), None, "data must have two dimensions"),
        ("nowhere.npy", None, "name='nowhere.npy' is not known"),
        (np.ones((2, 9)), "nowhere.csv", "classes=nowhere.csv is not a file"),
        (np.ones((2, 9)), ["zebra"], "'zebra'"),
    ],
)
def test_bad_input_gets_a_sentence(fitted: Fitted, given, classes, sentence) -> None:
    with pytest.raises(InputError, match=sentence):
        predict(fitted, given, classes)
