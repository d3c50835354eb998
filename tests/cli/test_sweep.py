"""`unseen sweep` as a user types it."""

import sys
import time

import pytest
from sweeping import start_sweep
from typer.testing import CliRunner

from unseen.cli import app, progress
from unseen.utils.optional import suggest_install


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["synthetic", "--grid", "5:-5"], "is not a range of exponents"),
        (["synthetic", "--jobs", "2", "--cluster", "2"], "--jobs and --cluster are different places"),
        (["synthetic", "--loss", "maximum"], "has corners"),
        (["synthetic", "--dimensions", "5000"], "dimensions=5000 is more than"),
        (["no-such-data"], "is not known: choose one of 'digit-pairs'"),
        (["synthetic", "--temperature", "0"], "temperature must be a finite number above 0"),
        (["synthetic", "--lambda", "0"], "lambda holds 0.0"),
        (["synthetic", "--dashboard"], "--dashboard shows the workers that --cluster starts"),
    ],
)
def test_bad_input_is_a_sentence_and_leaves_nothing(tmp_path, arguments, words):
    run = CliRunner().invoke(app, ["sweep", *arguments, "--out", str(tmp_path / "out")])
    assert run.exit_code == 2
    assert words in run.stderr
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "out").exists()


def test_a_device_that_is_not_there_is_a_sentence(tmp_path):
    pytest.importorskip("torch")
    command = ["sweep", "synthetic", "--device", "no-such-device", "--out", str(tmp_path / "out")]
    run = CliRunner().invoke(app, command)
    assert run.exit_code == 2
    assert "device='no-such-device' cannot be used" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "out").exists()


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


def test_without_a_terminal_there_is_a_line_now_and_then(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS", 0.0)
    run = CliRunner().invoke(app, ["sweep", "synthetic", "--grid", "1,100", "--max-iter", "3", "--out", str(tmp_path)])
    assert run.exit_code == 0, run.stderr
    assert "warm starts: 1 of" in run.stderr
    assert "16 settings, distinct problems: 12 of 16 (75%), about" in run.stderr


@pytest.mark.parametrize("place", ["--jobs", "--cluster"])
def test_a_request_to_terminate_ends_the_workers_and_says_how_to_go_on(tmp_path, place):
    psutil = pytest.importorskip("psutil")
    out = tmp_path / "out"
    run = start_sweep("digit-pairs", "--grid=-2:2", place, "2", "--out", out)
    children = wait_for_workers(psutil.Process(run.pid))
    run.terminate()
    _, said = run.communicate(timeout=120)
    assert run.returncode == 130, said
    assert "Stopped. Solved problems are stored" in said
    assert f"--out {out}" in said
    assert "Traceback" not in said
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive


def wait_for_workers(parent):
    """Return all processes below the command once some of them compute."""
    for _ in range(1200):
        time.sleep(0.1)
        children = parent.children(recursive=True)
        if children and max(child.cpu_times().user for child in children) > 4:  # more than they need to start
            return children
    raise AssertionError("no worker computes")


def test_a_sweep_of_made_data_continues(tmp_path):
    command = ["sweep", "synthetic", "--grid", "1", "--max-iter", "3", "--out", str(tmp_path / "out")]
    assert "0 solved now" not in CliRunner().invoke(app, command).stderr
    again = CliRunner().invoke(app, command)
    assert again.exit_code == 0, again.stderr
    assert "0 solved now" in again.stderr
