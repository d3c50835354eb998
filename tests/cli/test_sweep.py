"""`unseen sweep` as a user types it."""

import sys

import pytest
from typer.testing import CliRunner

from unseen.cli import app
from unseen.utils.optional import suggest_install


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["synthetic", "--grid", "5:-5"], "is not a range of exponents"),
        (["synthetic", "--jobs", "2", "--cluster", "2"], "--jobs and --cluster are different places"),
        (["synthetic", "--loss", "maximum"], "has corners"),
        (["synthetic", "--dimensions", "5000"], "dimensions=5000 is more than"),
        (["no-such-data"], "is not known: choose one of 'digit-pairs'"),
    ],
)
def test_bad_input_is_a_sentence(tmp_path, arguments, words):
    run = CliRunner().invoke(app, ["sweep", *arguments, "--out", str(tmp_path / "out")])
    assert run.exit_code == 2
    assert words in run.stderr
    assert "Traceback" not in run.stderr


def test_a_device_that_is_not_there_is_a_sentence(tmp_path):
    pytest.importorskip("torch")
    command = ["sweep", "synthetic", "--device", "no-such-device", "--out", str(tmp_path / "out")]
    run = CliRunner().invoke(app, command)
    assert run.exit_code == 2
    assert "device='no-such-device' cannot be used" in run.stderr
    assert "Traceback" not in run.stderr


def test_figures_that_cannot_be_drawn_are_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    run = CliRunner().invoke(app, ["sweep", "synthetic", "--grid", "1", "--figure", "--out", str(tmp_path / "out")])
    assert run.exit_code == 2
    assert f"--figure needs the package matplotlib: {suggest_install('figures')}" in " ".join(run.stderr.split())
    assert not (tmp_path / "out").exists()


def test_a_file_in_place_of_the_folder_is_a_sentence(tmp_path):
    (tmp_path / "out").write_text("taken")
    run = CliRunner().invoke(app, ["sweep", "synthetic", "--grid", "1", "--out", str(tmp_path / "out")])
    assert run.exit_code == 2
    assert "cannot be made a folder" in run.stderr
