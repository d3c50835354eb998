"""`--device` of the commands that learn and answer."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unseen.cli.main import app
from unseen.files import load

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file of a fit with PyTorch."""
    path = tmp_path_factory.mktemp("device") / "m.unseen"
    command = ["fit", "digit-pairs", "--model", "eszsl", "--pca", "20", "--device", "cpu", "--out", str(path)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.stderr
    return path


def test_a_gpu_that_is_not_there_is_a_sentence_before_the_work(tmp_path: Path, fitted: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    commands = [
        ["fit", "digit-pairs", "--out", str(tmp_path / "out.unseen")],
        ["evaluate", "eszsl", "digit-pairs"],
        ["evaluate", str(fitted), "digit-pairs"],
        ["bench", "digit-pairs-eszsl", "--store", str(tmp_path / "out.sqlite")],
        ["predict", str(fitted), "digit-pairs"],
    ]
    for command in commands:
        done = CliRunner().invoke(app, [*command, "--device", "cuda"])
        assert done.exit_code == 2, command
        assert "device='cuda' cannot be used" in " ".join(done.stderr.split())
        assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_model_file_of_a_device_holds_what_that_of_numpy_holds(tmp_path: Path, fitted: Path) -> None:
    path = tmp_path / "numpy.unseen"
    done = CliRunner().invoke(app, ["fit", "digit-pairs", "--model", "eszsl", "--pca", "20", "--out", str(path)])
    assert done.exit_code == 0, done.stderr
    there, here = load(fitted), load(path)
    assert there.temperature_ == pytest.approx(here.temperature_, rel=1e-4)
    assert there.seen_penalty_ == pytest.approx(here.seen_penalty_, abs=1e-4)


def test_evaluate_and_bench_give_the_same_numbers(tmp_path: Path, fitted: Path) -> None:
    told = [
        CliRunner().invoke(app, ["evaluate", str(fitted), "digit-pairs", "--format", "json", *more]).stdout
        for more in ([], ["--device", "cpu"])
    ]
    here, there = ([trial["metrics"] for trial in json.loads(text)["trials"]] for text in told)
    assert there == here
    bench = ["bench", "digit-pairs-eszsl", "--store", str(tmp_path / "trials.sqlite")]
    first = CliRunner().invoke(app, [*bench, "--device", "cpu"])
    assert "1 trial(s) run, 0 taken" in " ".join(first.stderr.split())
    # The trial counts without the device too: it is of the same data.
    again = CliRunner().invoke(app, bench)
    assert "0 trial(s) run, 1 taken" in " ".join(again.stderr.split())
    assert again.stdout == first.stdout


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_the_default_fit_on_a_gpu_chooses_as_on_the_processor(tmp_path: Path) -> None:
    said = [
        CliRunner().invoke(app, ["fit", "digit-pairs", "--out", str(tmp_path / f"{name}.unseen"), *more]).stderr
        for name, more in (("here", []), ("there", ["--device", "cuda"]))
    ]
    assert said[0].split("Model:")[0] == said[1].split("Model:")[0]
    predict = ["predict", str(tmp_path / "there.unseen"), "digit-pairs"]
    here, there = (CliRunner().invoke(app, [*predict, *more]).stdout for more in ([], ["--device", "cuda"]))
    assert [line.split(",")[:2] for line in here.splitlines()] == [line.split(",")[:2] for line in there.splitlines()]
