"""Bad input of the commands around model files: one sentence, exit code 2, nothing overwritten."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import unseen
from unseen.cli import app
from unseen.data import ClassTable, ZeroShotDataset, make_zero_shot
from unseen.models import ESZSL


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return make_zero_shot(n_seen=8, n_unseen=4, n_features=6, n_attributes=5, n_per_class=6, random_state=0)


@pytest.fixture
def folder(data: ZeroShotDataset, tmp_path: Path) -> Path:
    unseen.save(ESZSL().fit(data.X_train, data.y_train, classes=data.classes), tmp_path / "m.unseen")
    np.save(tmp_path / "X.npy", data.X_test_unseen)
    data.unseen_table.to_csv(tmp_path / "new.csv")
    (tmp_path / "there").write_text("precious")
    return tmp_path


def refused(sentence: str, *arguments: Any) -> None:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert result.stderr.startswith("✗ ")
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def changed(path: Path, change: Callable[[list[str]], list[str]]) -> Path:
    path.write_text("\n".join(change(path.read_text().splitlines())))
    return path


def cell(line: str, at: int, value: str) -> str:
    cells = line.split(",")
    cells[at] = value
    return ",".join(cells)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda lines: [lines[0], cell(lines[1], 2, ""), *lines[2:]], "the cell is empty"),
        (lambda lines: [lines[0], cell(lines[1], 2, "many"), *lines[2:]], "'many' is not a number"),
        (lambda lines: [lines[0], cell(lines[1], 2, "nan"), *lines[2:]], "is not finite"),
        (lambda lines: [*lines, lines[1]], "is already on line 2"),
        (lambda lines: [line.rpartition(",")[0] for line in lines], "width 4, but the model was fitted on width 5"),
        (lambda lines: [*lines, "one more,1"], "has 2 cells, but the header has 6"),
        (lambda lines: lines[:1], "has a header but no classes"),
        (lambda lines: [], "is empty"),
    ],
    ids=["missing cell", "text", "nan", "duplicate", "width", "short line", "no classes", "empty"],
)
def test_class_tables(change: Callable[[list[str]], list[str]], sentence: str, folder: Path) -> None:
    bad = changed(folder / "new.csv", change)
    refused(sentence, "predict", folder / "m.unseen", folder / "X.npy", "--classes", bad)
    refused(sentence, "explain", folder / "m.unseen", folder / "X.npy", "--classes", bad)
    refused(sentence, "export", folder / "m.unseen", "--faiss", folder / "new.faiss", "--classes", bad)
    assert not (folder / "new.faiss").exists()


def test_attributes_of_other_names(data: ZeroShotDataset, folder: Path) -> None:
    names = ["a", "b", "c", "d", "e"]
    table = ClassTable(data.classes.vectors, data.classes.labels, names)
    model = ESZSL().fit(data.X_train, data.y_train, classes=table)
    unseen.save(model, folder / "named.unseen")
    ClassTable(data.unseen_table.vectors, data.unseen_classes, [*"abcd", "f"]).to_csv(folder / "other.csv")
    sentence = "classes lacks the attribute 'e' and has the unknown attribute 'f'"
    refused(sentence, "predict", folder / "named.unseen", folder / "X.npy", "--classes", folder / "other.csv")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("X.csv", "f0,f1,f2,f3,f4,f5\n1,2,3,4,5,6\n1,2,,4,5,6", "cannot be read as a table of numbers"),
        ("X.csv", "f0,f1,f2,f3,f4,f5\n1,2,3,4,5,6\n1,2,many,4,5,6", "cannot be read as a table of numbers"),
        ("X.csv", "f0,f1,f2,f3,f4,f5\n1,2,3,4,5,6\n1,2,nan,4,5,6", "has nan in row 1, column 2"),
        ("X.csv", "f0,f1\n1,2", "has 2 features in each row, but the model was fitted on 6"),
        ("X.csv", "f0,f1", "has a header but no rows"),
        ("X.csv", "", "is empty"),
        ("X.npy", b"\x93NUMPY\x01\x00", "truncated, damaged or pickled"),
        ("X.npz", b"PK\x03\x04 and so on", "truncated, damaged or pickled"),
    ],
)
def test_features(name: str, content: Any, sentence: str, folder: Path) -> None:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    refused(sentence, "predict", folder / "m.unseen", folder / name, "--classes", folder / "new.csv")


def test_damaged_parquet(folder: Path) -> None:
    pytest.importorskip("pyarrow")
    (folder / "X.parquet").write_bytes(b"PAR1 and so on")
    command = ("predict", folder / "m.unseen", folder / "X.parquet", "--classes", folder / "new.csv")
    refused("truncated or damaged", *command)


def test_features_that_are_not_there(folder: Path, data: ZeroShotDataset) -> None:
    refused("is not known", "predict", folder / "m.unseen", folder / "nowhere.npy")
    refused("is a folder", "predict", folder / "m.unseen", folder)
    np.savez(folder / "two.npz", a=data.X_test_unseen, b=data.X_test_unseen)
    refused("has no array 'X'", "predict", folder / "m.unseen", folder / "two.npz")
    refused("row=99999 is not one of", "explain", folder / "m.unseen", folder / "X.npy", "--row", "99999")
    refused("zebra", "explain", folder / "m.unseen", folder / "X.npy", "--class", "zebra")


@pytest.mark.parametrize("command", ["predict", "explain", "info", "export"])
def test_model_files(command: str, folder: Path) -> None:
    content = (folder / "m.unseen").read_bytes()
    extra = {"predict": (folder / "X.npy",), "explain": (folder / "X.npy",), "info": ()}
    rest = extra.get(command, ("--onnx", folder / "m.onnx"))
    bad = folder / "bad.unseen"
    refused("is not a file", command, bad, *rest)
    bad.write_bytes(content[:-10])
    refused("truncated or damaged", command, bad, *rest)
    bad.write_bytes(content[:-10] + b"0123456789")
    refused("its checksum differs", command, bad, *rest)
    bad.write_text("label,a\nzebra,1")
    refused("is not a model file", command, bad, *rest)


def test_nothing_is_overwritten(folder: Path) -> None:
    there, model, X = folder / "there", folder / "m.unseen", folder / "X.npy"
    sentence = "there exists already"
    refused(sentence, "fit", "digit-pairs", "--out", there)
    refused(sentence, "predict", model, X, "--out", there)
    refused(sentence, "export", model, "--onnx", there)
    refused(sentence, "export", model, "--faiss", there)
    (folder / "there.png").write_text("precious")
    refused("exists already", "explain", model, X, "--figure", folder / "there.png")
    assert there.read_text() == (folder / "there.png").read_text() == "precious"
    result = CliRunner().invoke(app, ["predict", str(model), str(X), "--out", str(there), "--force"])
    assert result.exit_code == 0
    assert there.read_text().startswith("row,label")


def test_models_and_settings(folder: Path) -> None:
    out = ("--out", folder / "new.unseen")
    refused("(did you mean 'eszsl'?)", "fit", "digit-pairs", "--model", "eszl", *out)
    refused("has no parameter 'lamb'", "fit", "digit-pairs", "--set", "lamb=1", *out)
    refused("write name=value", "fit", "digit-pairs", "--set", "lam", *out)
    refused("lam must be a finite number of at least 0, got -1", "fit", "digit-pairs", "--set", "lam=-1", *out)
    refused("grid has a point that the estimator does not take", "fit", "digit-pairs", "--grid", "lamb=1,2", *out)
    refused("(did you mean 'digit-pairs'?)", "fit", "digit-pears", *out)
    refused("is not a folder", "fit", "digit-pairs", "--out", folder / "nowhere" / "m.unseen")
    refused("--format parquet", "predict", folder / "m.unseen", folder / "X.npy", "--format", "parquet")
    refused("has the ending '.jpg'", "explain", folder / "m.unseen", folder / "X.npy", "--figure", folder / "f.jpg")
    assert not (folder / "new.unseen").exists()


def test_a_model_is_not_measured_on_classes_it_was_fitted_on(tmp_path: Path) -> None:
    data = unseen.load_dataset("digit-pairs")
    model = ESZSL().fit(data.X, data.y, classes=data.classes)
    unseen.save(model, tmp_path / "m.unseen")
    refused("which the split of digit-pairs leaves unseen", "evaluate", tmp_path / "m.unseen", "digit-pairs")
    refused("is fitted already", "evaluate", tmp_path / "m.unseen", "digit-pairs", "--set", "lam=1")
