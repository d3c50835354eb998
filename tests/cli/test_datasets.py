import json

import numpy as np
import pytest
from typer.testing import CliRunner

from unseen.cli.commands.datasets import datasets_app
from unseen.data import ClassTable

SOUND = {
    "X": np.arange(12.0).reshape(6, 2),
    "y": np.repeat([0, 1, 2], 2),
    "classes": np.array(["zebra", "horse", "okapi"]),
    "attributes": np.array([[1.0, 3.0], [0.0, 4.0], [0.5, 5.0]]),
    "trainval_loc": np.array([0, 2]),
    "test_seen_loc": np.array([1, 3]),
    "test_unseen_loc": np.array([4, 5]),
}


@pytest.fixture
def run():
    def invoke(*arguments):
        return CliRunner(env={"COLUMNS": "200"}).invoke(datasets_app, [str(argument) for argument in arguments])

    return invoke


@pytest.fixture
def dataset(tmp_path):
    def write(**changes):
        np.savez(tmp_path / "animals.npz", **(SOUND | changes))
        return tmp_path / "animals.npz"

    return write


def test_list(run):
    result = run("list")
    assert result.exit_code == 0
    for text in ("digit-pairs", "Caltech-UCSD Birds", "CUB/att_splits.mat", "standard-707/10", "HDF5", "UNSEEN_DATA"):
        assert text in result.output


def test_list_for_programs(run, monkeypatch):
    monkeypatch.setenv("UNSEEN_DATA", "/data")
    listing = json.loads(run("list", "--format", "json").output)
    assert set(listing["generated"]) == {"digit-pairs", "synthetic"}
    assert listing["benchmarks"]["SUN"]["splits"] == ["proposed", "standard-707/10"]
    assert listing["benchmarks"]["CUB"]["images"] == 11788
    assert listing["data_home"] == "/data"


def test_check_ends_with_0_when_all_is_well(run, dataset):
    result = run("check", dataset())
    assert result.exit_code == 0
    assert "✓ ok" in result.output
    assert "no unseen class has training rows" in result.output


def test_check_ends_with_1_with_warnings(run, dataset):
    result = run("check", dataset(X=np.column_stack([SOUND["X"], np.zeros(6)])))
    assert result.exit_code == 1
    assert "! warning" in result.output
    assert "1 features are constant (1 of them are always 0): columns 2" in result.output


def test_check_ends_with_2_with_errors(run, dataset):
    path = dataset(test_unseen_loc=np.array([4, 5, 0]))
    before = path.read_bytes()
    result = run("check", path, "--format", "json")
    assert result.exit_code == 2
    report = json.loads(result.output)
    assert report["verdict"] == "error"
    errors = [finding["message"] for finding in report["findings"] if finding["level"] == "error"]
    assert errors == ["train and test_unseen share 1 rows: 0", "1 classes are both in train and unseen: 'zebra'"]
    assert path.read_bytes() == before


def test_check_of_a_damaged_file(run, dataset):
    path = dataset()
    path.write_bytes(path.read_bytes()[:300])
    result = run("check", path)
    assert result.exit_code == 2
    assert "✗ error" in result.output
    assert "truncated, damaged or pickled" in result.output


def test_check_of_a_table(run, tmp_path):
    ClassTable(SOUND["attributes"], SOUND["classes"]).to_csv(tmp_path / "classes.csv")
    (tmp_path / "birds.csv").write_text("f1,kind\n1,zebra\n2,horse\n3,okapi\n")
    result = run("check", tmp_path / "birds.csv", "--classes", tmp_path / "classes.csv", "--label", "kind")
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["check", "nowhere.npz"], "path='nowhere.npz' is neither here nor in"),
        (["fetch", "nothing"], "name='nothing' is not known"),
        (["fetch", "CUB", "--url", "https://example.org/CUB.npz"], "nothing is fetched that cannot be verified"),
    ],
)
def test_bad_requests_end_with_2_and_a_sentence(run, arguments, sentence):
    result = run(*arguments)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_a_fetched_file_is_named(run, tmp_path, monkeypatch):
    calls = []

    def fake(name, **options):
        calls.append((name, options["url"], options["to"]))
        options["progress"](5, 10)
        return tmp_path / "CUB.npz"

    monkeypatch.setattr("unseen.data.fetch_dataset", fake)
    result = run("fetch", "CUB", "--url", "https://example.org/CUB.npz", "--sha256", "0" * 64, "--to", tmp_path)
    assert result.exit_code == 0
    assert result.stdout.strip() == str(tmp_path / "CUB.npz")
    assert calls == [("CUB", "https://example.org/CUB.npz", tmp_path)]


def test_help_has_examples(run):
    for command in ("list", "check", "fetch"):
        assert "Examples" in run(command, "--help").output
