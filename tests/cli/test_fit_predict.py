"""From data to a model file to answers, as a user types it."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import ran, run

import unseen
from unseen.data import ClassTable, ZeroShotDataset, load_dataset
from unseen.files import read_model_file
from unseen.models import ESZSL, BilinearSVM, Calibrated, Prepared
from unseen.transduction import SPZSR


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return load_dataset("digit-pairs")


@pytest.fixture(scope="module")
def folder(data: ZeroShotDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder: a model file, new features in every format, new classes."""
    folder = tmp_path_factory.mktemp("user")
    ran("fit", "digit-pairs", "--model", "eszsl", "--out", folder / "digits.unseen")
    X = data.X_test_unseen[:50]
    np.save(folder / "X.npy", X)
    np.savez(folder / "X.npz", X=X, other=X[:3])
    header = ",".join(f"f{at}" for at in range(X.shape[1]))
    np.savetxt(folder / "X.csv", X, delimiter=",", header=header, comments="", fmt="%.17g")
    lines = (folder / "X.csv").read_text().splitlines()
    named = [f"picture,{lines[0]}", *(f"p{at}.jpg,{line}" for at, line in enumerate(lines[1:]))]
    (folder / "named.csv").write_text("\n".join(named))
    (folder / "features").mkdir()
    np.save(folder / "features" / "features.npy", X)
    labels = data.y_test_unseen[:50]
    described = {"classes": data.classes.labels, "attributes": data.classes.vectors}
    np.savez(folder / "dataset.npz", X=X, y=labels, **described)
    data.unseen_table.to_csv(folder / "new.csv")
    (folder / "known.txt").write_text("\n".join(data.unseen_classes))
    return folder


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


# fit


def test_fit_blends_models_by_name(folder: Path, data: ZeroShotDataset) -> None:
    done = ran(
        "fit", "digit-pairs", "--model", "eszsl+dap", "--set", "eszsl__gamma=10", "--out", folder / "both.unseen"
    )
    assert re.search(
        r"Blended: eszsl \d+% \(alone [\d.]+% per class on held-out seen classes\); dap \d+% ", done.stderr
    )
    assert "parts" in ran("info", folder / "both.unseen").stdout
    assert '"seen_penalty"' in ran("info", folder / "both.unseen", "--json").stdout


def test_fit_without_a_model_says_what_it_chose(folder: Path) -> None:
    done = ran("fit", "digit-pairs", "--effort", "quick", "--no-calibrate", "--out", folder / "chosen.unseen")
    said = r"Features: .*\. Descriptions: .*\. Model: gaussian\. [\d.]+% per class among 24 held-out seen classes\."
    assert re.search(said, done.stderr)
    assert re.search(r"choice +effort quick\. Features: ", ran("info", folder / "chosen.unseen").stdout)


def test_too_few_classes_are_fitted_with_a_note(folder: Path) -> None:
    rows = ["label,a,b", *(f"{name},{at},{at % 2}" for at, name in enumerate(["ox", "yak", "gnu"] * 4))]
    (folder / "few.csv").write_text("\n".join(rows))
    (folder / "few-classes.csv").write_text("label,p,q\nox,1,0\nyak,0,1\ngnu,1,1")
    command = ("--classes", folder / "few-classes.csv", "--model", "eszsl", "--out", folder / "few.unseen")
    done = ran("fit", folder / "few.csv", "--label", "label", *command)
    assert "Note: y has 3 classes, too few to hold any out: the model is fitted, but not calibrated" in done.stderr
    assert "UserWarning" not in done.stderr
    assert unseen.load(folder / "few.unseen").temperature_ is None
    command = ("--classes", folder / "few-classes.csv", "--out", folder / "few.unseen", "--force")
    done = ran("fit", folder / "few.csv", "--label", "label", *command)
    assert "Nothing was chosen, because 3 classes are too few" in done.stderr


def test_all_classes_are_predicted_with_the_penalty(folder: Path, data: ZeroShotDataset) -> None:
    (folder / "all.txt").write_text("\n".join(data.classes.labels))
    done = ran("predict", folder / "digits.unseen", folder / "X.npy", "--classes", folder / "all.txt")
    model = unseen.load(folder / "digits.unseen")
    assert model.seen_penalty_
    expected = model.predict(data.X_test_unseen[:50], classes=data.classes)
    assert [row["label"] for row in rows_of(done.stdout)] == expected.tolist()


def test_fit_writes_a_calibrated_model(folder: Path, data: ZeroShotDataset) -> None:
    model = unseen.load(folder / "digits.unseen")
    assert isinstance(model, Calibrated)
    expected = ESZSL().fit(data.X_train, data.y_train, classes=data.classes)
    np.testing.assert_array_equal(
        model.decision_function(data.X_test_unseen, classes=data.unseen_table),
        expected.decision_function(data.X_test_unseen, classes=data.unseen_table),
    )


def test_fit_with_settings_preparation_and_selection(tmp_path: Path) -> None:
    result = ran(
        "fit", "digit-pairs", "--model", "ESZSL", "--set", "lam=0.5", "--grid", "gamma=0.1,10", "--unit-norm",
        "--pca", "20", "--whiten", "--no-calibrate", "--out", tmp_path / "m.unseen",
    )  # fmt: skip
    assert "Chosen on held-out seen classes: gamma=" in result.stderr
    file = read_model_file(tmp_path / "m.unseen")
    assert isinstance(file.model, Prepared)
    assert file.model.model_.lam == 0.5
    steps = [step for _, step in file.model.features.steps]
    assert [type(step).__name__ for step in steps] == ["UnitNorm", "PCA", "Whitening", "UnitNorm"]
    assert steps[1].n_components == 20
    assert file.model.n_features_in_ == 128
    assert [point["model__gamma"] for point in file.selection["grid"]] == [0.1, 10]
    assert file.model.model_.gamma == file.selection["grid"][file.selection["chosen"]]["model__gamma"]


def test_fit_on_a_table_without_a_split_learns_from_all_rows(data: ZeroShotDataset, tmp_path: Path) -> None:
    rows = np.flatnonzero(np.isin(data.y_train, data.seen_classes[:8]))
    header = ",".join(["class", *(f"f{at}" for at in range(data.X.shape[1]))])
    lines = [f"{data.y_train[row]}," + ",".join(map(str, data.X_train[row])) for row in rows]
    (tmp_path / "rows.csv").write_text("\n".join([header, *lines]))
    # The labels are digits, which a table in CSV would take for numbers.
    table = ClassTable(data.classes.vectors, [f"n{label}" for label in data.classes], data.classes.attributes)
    table.to_csv(tmp_path / "classes.csv")
    (tmp_path / "rows.csv").write_text("\n".join([header, *(f"n{line}" for line in lines)]))
    out = tmp_path / "m.unseen"
    ran("fit", tmp_path / "rows.csv", "--classes", tmp_path / "classes.csv", "--model", "eszsl", "--out", out)
    model = unseen.load(out)
    assert len(model.classes_) == 8
    assert len(model.table_) == 100


def test_select_tries_the_small_grid_of_the_model(tmp_path: Path) -> None:
    ran("fit", "synthetic", "--model", "bilinear", "--select", "--no-calibrate", "--out", tmp_path / "m.unseen")
    selection = read_model_file(tmp_path / "m.unseen").selection
    assert selection is not None
    assert [point["lam"] for point in selection["grid"]] == BilinearSVM.default_grid["lam"]


@pytest.mark.parametrize(("option", "rounds"), [([], {0, 1, 2}), (["--full-search"], None)])
def test_a_search_stops_hopeless_points_unless_it_is_a_full_one(tmp_path: Path, option: list[str], rounds: Any) -> None:
    grid = ["--grid", "lam=0.01,1,100", "--grid", "temperature=0.1,1,10"]
    ran("fit", "synthetic", "--model", "bilinear", *grid, *option, "--no-calibrate", "--out", tmp_path / "m.unseen")
    selection = read_model_file(tmp_path / "m.unseen").selection
    assert selection is not None
    assert (set(selection["round"]) if "round" in selection else None) == rounds


# predict


@pytest.mark.parametrize("name", ["X.npy", "X.npz", "X.csv", "features", "dataset.npz", "named.csv"])
def test_predict_reads_features_of_every_format(name: str, folder: Path, data: ZeroShotDataset) -> None:
    rows = rows_of(ran("predict", folder / "digits.unseen", folder / name, "--classes", folder / "new.csv").stdout)
    expected = unseen.load(folder / "digits.unseen").predict(data.X_test_unseen[:50], classes=data.unseen_table)
    assert [row["label"] for row in rows] == list(expected)
    assert rows[7]["row"] == ("p7.jpg" if name == "named.csv" else "7")


def test_predict_takes_the_same_data_as_fit(folder: Path, data: ZeroShotDataset) -> None:
    rows = rows_of(ran("predict", folder / "digits.unseen", "digit-pairs", "--classes", folder / "new.csv").stdout)
    assert len(rows) == len(data.X)
    lines = (folder / "X.csv").read_text().splitlines()
    numbered = [f"kind,{lines[0]}", *(f"{at},{line}" for at, line in enumerate(lines[1:]))]
    (folder / "labelled.csv").write_text("\n".join(numbered))
    command = ("predict", folder / "digits.unseen", folder / "labelled.csv", "--classes", folder / "new.csv")
    assert "has 129 features in each row" in run(*command).stderr
    expected = ran(*command[:2], folder / "X.csv", *command[3:]).stdout
    assert ran(*command, "--label", "kind").stdout == expected


def test_predict_reads_hdf5(folder: Path, data: ZeroShotDataset, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "X.h5", "w") as file:
        file["X"] = data.X_test_unseen[:50]
    command = ("predict", folder / "digits.unseen", "--classes", folder / "new.csv")
    assert ran(*command, tmp_path / "X.h5").stdout == ran(*command, folder / "X.npy").stdout


def test_predict_reads_and_writes_parquet(folder: Path, data: ZeroShotDataset, tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    X = data.X_test_unseen[:50]
    pq.write_table(pa.table({f"f{at}": column for at, column in enumerate(X.T)}), tmp_path / "X.parquet")
    command = ("predict", folder / "digits.unseen", "--classes", folder / "new.csv", "--top", 3)
    expected = json.loads(ran(*command, folder / "X.npy", "--format", "json").stdout)
    assert json.loads(ran(*command, tmp_path / "X.parquet", "--format", "json").stdout) == expected
    assert ran(*command, tmp_path / "X.parquet", "--out", tmp_path / "a.parquet").stdout == ""
    assert pq.read_table(tmp_path / "a.parquet").to_pylist() == expected


def test_predict_writes_every_format(folder: Path, tmp_path: Path) -> None:
    command = ("predict", folder / "digits.unseen", folder / "X.npy", "--classes", folder / "new.csv", "--top", 3)
    printed = rows_of(ran(*command).stdout)
    assert list(printed[0]) == ["row", "label", "probability", "label_2", "probability_2", "label_3", "probability_3"]
    as_json = json.loads(ran(*command, "--format", "json").stdout)
    for name in ("a.csv", "a.json"):
        assert ran(*command, "--out", tmp_path / name).stdout == ""
    assert rows_of((tmp_path / "a.csv").read_text()) == printed
    assert json.loads((tmp_path / "a.json").read_text()) == as_json
    for one, two in zip(printed, as_json, strict=True):
        assert {name: str(value) for name, value in two.items()} == one


def test_candidates_in_a_spreadsheet(folder: Path, data: ZeroShotDataset, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book, table = openpyxl.Workbook(), data.unseen_table
    book.active.append(["note", "class", *table.attributes])
    for label, vector in zip(table.labels.tolist(), table.vectors.tolist(), strict=True):
        book.active.append(["drawn", f"pair {label}", *vector])
    book.create_sheet("other").append(["nothing"])
    book.save(tmp_path / "new.xlsx")
    command = ["predict", folder / "digits.unseen", folder / "X.npy", "--classes"]
    found = ran(*command, tmp_path / "new.xlsx", "--sheet", "Sheet", "--label-column", "class")
    assert "'note' left out, for it holds words" in found.stderr
    expected = [f"pair {row['label']}" for row in rows_of(ran(*command, folder / "new.csv").stdout)]
    assert [row["label"] for row in rows_of(found.stdout)] == expected


def test_options_of_a_class_table_need_one(folder: Path) -> None:
    refused = run("predict", folder / "digits.unseen", folder / "X.npy", "--fill", "mean")
    assert refused.exit_code == 2
    assert "'--fill' is for a class table: name one with --classes" in refused.stderr


def test_abstaining_leaves_the_label_empty_and_says_what_to_expect(folder: Path) -> None:
    command = ("predict", folder / "digits.unseen", folder / "X.npy", "--classes", folder / "new.csv")
    everything, sure = ran(*command), ran(*command, "--abstain", 0.9)
    assert "On held-out seen classes" in sure.stderr
    assert "Among the 30 here, expect fewer." in sure.stderr
    withheld = 0
    for one, two in zip(rows_of(everything.stdout), rows_of(sure.stdout), strict=True):
        unsure = float(one["probability"]) < 0.9
        withheld += unsure
        assert two["label"] == ("" if unsure else one["label"])
    assert 0 < withheld < 50
    as_json = json.loads(ran(*command, "--abstain", 0.9, "--format", "json").stdout)
    assert sum(row["label"] is None for row in as_json) == withheld


def test_candidates_by_name_and_seen_classes_by_default(folder: Path, data: ZeroShotDataset) -> None:
    command = ("predict", folder / "digits.unseen", folder / "X.npy")
    listed = rows_of(ran(*command, "--classes", folder / "known.txt").stdout)
    assert listed == rows_of(ran(*command, "--classes", folder / "new.csv").stdout)
    assert {row["label"] for row in rows_of(ran(*command).stdout)} <= set(data.seen_classes)


# The others


def test_info_for_people_and_programs(folder: Path) -> None:
    text = ran("info", folder / "digits.unseen").stdout
    assert "ESZSL" in text
    assert "70: '00'" in text
    facts = json.loads(ran("info", folder / "digits.unseen", "--json").stdout)
    assert facts["model"] == "ESZSL"
    assert facts["features"] == 128
    assert len(facts["seen_classes"]) == 70
    assert len(facts["other_classes"]) == 30
    assert facts["confidence"]["curve"][0]["coverage"] == 1.0
    assert facts["encoder"] is None


def test_a_refinement_is_described_and_asked_about_the_whole_batch(
    folder: Path, data: ZeroShotDataset, tmp_path: Path
) -> None:
    model = SPZSR(ESZSL(), n_runs=3).fit(data.X_train, data.y_train, classes=data.classes)
    unseen.save(model, tmp_path / "refined.unseen")
    facts = json.loads(ran("info", tmp_path / "refined.unseen", "--json").stdout)
    assert facts["model"] == "ESZSL"
    assert facts["refinement"]["SPZSR"]["n_runs"] == 3
    assert "SPZSR: caution=3.0" in " ".join(ran("info", tmp_path / "refined.unseen").stdout.split())
    command = ["predict", tmp_path / "refined.unseen", folder / "X.npy", "--classes", folder / "new.csv"]
    labels = [row["label"] for row in rows_of(ran(*command).stdout)]
    assert labels == model.predict(np.load(folder / "X.npy"), classes=data.unseen_table).tolist()
    command = ["explain", tmp_path / "refined.unseen", folder / "X.npy", "--class", labels[0], "--format", "json"]
    assert json.loads(ran(*command).stdout)["model"] == "ESZSL"


def test_refinements_from_fit_to_report(folder: Path, data: ZeroShotDataset, tmp_path: Path) -> None:
    pytest.importorskip("openTSNE")
    out = tmp_path / "refined.unseen"
    told = ran("fit", "digit-pairs", "--model", "eszsl", "--unit-norm", "--refine", "pst", "--out", out).stderr
    assert re.search(r"Expect \S+% of answers right .* among 14 candidates \(95% range \S+% to \S+%", told)
    assert "More candidates, such as the 30 other classes of its table, make it lower." in told
    found = ran("predict", out, folder / "X.npy", "--classes", folder / "new.csv")
    assert "The 50 rows were answered together as one batch" in found.stderr
    model = unseen.load(out)
    expected = model.predict(data.X_test_unseen[:50], classes=data.unseen_table)
    assert [row["label"] for row in rows_of(found.stdout)] == expected.tolist()
    assert json.loads(ran("info", out, "--json").stdout)["refinement"].keys() == {"PST"}
    for options in ((), ("--setting", "transductive")):
        measured = json.loads(ran("evaluate", out, "digit-pairs", *options, "--format", "json").stdout)
        assert measured["setting"] == "transductive"
    named = ("evaluate", "eszsl", "digit-pairs", "--unit-norm", "--refine", "pst", "--format", "json")
    assert json.loads(ran(*named).stdout)["metrics"] == measured["metrics"]
    ran("report", out, "digit-pairs", "--out", tmp_path / "page.html")
    assert "as one batch (transductive setting)" in (tmp_path / "page.html").read_text()
    refused = run("fit", "digit-pairs", "--refine", "spz", "--out", tmp_path / "no.unseen")
    assert refused.exit_code == 2
    assert "refine='spz' is not known (did you mean 'SPZSR'?)" in refused.stderr


def test_version() -> None:
    assert ran("--version").stdout == f"unseen {unseen.__version__}\n"


def test_evaluate_a_file_and_a_name_alike(folder: Path) -> None:
    of_file = json.loads(ran("evaluate", folder / "digits.unseen", "digit-pairs", "--format", "json").stdout)
    of_name = json.loads(ran("evaluate", "eszsl", "digit-pairs", "--format", "json").stdout)
    assert of_file["metrics"] == of_name["metrics"]
    printed = ran("evaluate", folder / "digits.unseen", "digit-pairs").stdout
    assert "mean per-class accuracy" in printed
    assert "Testing" in printed
    assert "Training 0.00 s" not in printed


def test_explain_and_its_figure(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    command = ("explain", folder / "digits.unseen", folder / "named.csv", "--classes", folder / "new.csv")
    text = ran(*command, "--row", "p3.jpg", "--class", "07", "--figure", tmp_path / "f.svg").stdout
    assert "does not move descriptions" in text
    assert (tmp_path / "f.svg").read_text().startswith("<?xml")
    facts = json.loads(ran(*command, "--row", "3", "--class", "07", "--format", "json", "--top", 4).stdout)
    assert facts["kind"] == "contribution"
    assert len(facts["attributes"]) == 4
    rows = rows_of(ran(*command, "--row", "3", "--class", "07", "--format", "csv").stdout)
    assert [row["attribute"] for row in rows[:4]] == [row["attribute"] for row in facts["attributes"]]


def test_export(folder: Path, tmp_path: Path) -> None:
    for package in ("faiss", "onnx"):
        pytest.importorskip(package)
    out = ("--onnx", tmp_path / "m.onnx", "--faiss", tmp_path / "m.faiss")
    result = ran("export", folder / "digits.unseen", *out, "--classes", folder / "new.csv")
    assert "classes (m, 20) in" in result.stderr
    assert (tmp_path / "m.onnx").stat().st_size > 1000
    assert (tmp_path / "m.faiss").stat().st_size > 1000
    assert run("export", folder / "digits.unseen").exit_code == 2


def test_what_fit_recommends_can_be_exported(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    preparation = ("--unit-norm", "--pca", "8", "--whiten", "--no-calibrate")
    ran("fit", "synthetic", "--model", "eszsl", *preparation, "--out", tmp_path / "m.unseen")
    ran("export", tmp_path / "m.unseen", "--onnx", tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx").stat().st_size > 1000


@pytest.mark.parametrize("command", ["fit", "predict", "explain", "evaluate", "info", "export"])
def test_help_has_examples(command: str) -> None:
    text = ran(command, "--help").stdout
    assert "Examples:" in text
    assert f"unseen {command}" in text


# In a process of its own


def script(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)


def test_importing_is_quick_and_pulls_in_neither_torch_nor_matplotlib() -> None:
    code = (
        "import sys, time; started = time.perf_counter(); import unseen; seconds = time.perf_counter() - started;"
        "import unseen.cli;"
        "print(seconds, [name for name in ('torch', 'matplotlib', 'onnx', 'faiss') if name in sys.modules])"
    )
    seconds, loaded = script(code).stdout.split(maxsplit=1)
    assert float(seconds) < 0.5
    assert loaded.strip() == "[]"


def test_output_that_is_piped_has_no_progress_in_it(folder: Path) -> None:
    arguments = ["predict", str(folder / "digits.unseen"), str(folder / "X.npy"), "--classes", str(folder / "new.csv")]
    done = script(f"from unseen.cli import app; app({arguments!r})")
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 51
