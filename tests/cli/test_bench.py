"""`unseen bench` as a user runs it."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from commands import run

COMMAND = """
import typer
from unseen.cli.commands.bench import bench
app = typer.Typer()
app.callback()(lambda: None)
app.command()(bench)
app(prog_name="unseen")
"""

EXPERIMENT = """
title: A small experiment
dataset: {name: synthetic, options: {random_state: 0, n_seen: 6, n_unseen: 3}}
model: {name: BilinearSVM, parameters: {init: random, solver: stochastic}}
trials: %d
published:
  - {method: Mine, metric: per-image accuracy, mean: 10, std: 1.0, source: my notebook}
"""


def start(folder, *arguments):
    command = [sys.executable, "-c", COMMAND, "bench", *arguments, "--store", "trials.sqlite"]
    # As a shell would, so that Ctrl-C reaches it.
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def bench(folder, *arguments):
    process = start(folder, *arguments)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def stored(folder):
    """Return when each trial was finished, by number."""
    try:
        with sqlite3.connect(f"file:{folder / 'trials.sqlite'}?mode=ro", uri=True, timeout=10) as connection:
            return dict(connection.execute("SELECT trial, finished FROM trials").fetchall())
    except sqlite3.OperationalError:  # not made yet
        return {}


def wait_for_trials(folder, process, n):
    deadline = time.monotonic() + 60
    while len(stored(folder)) < n:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.yaml").write_text(EXPERIMENT % 3)
    return tmp_path


def test_report_and_resuming(folder):
    code, out, err = bench(folder, "mine.yaml", "--trials", "2")
    assert code == 0, err
    assert "mine: 2 trial(s) run, 0 taken from trials.sqlite" in err
    assert "Our results and the published numbers" in out
    assert "Mine [1]" in out
    first = stored(folder)
    code, out, err = bench(folder, "mine.yaml", "--format", "csv")
    assert "mine: 1 trial(s) run, 2 taken" in err
    assert out.startswith("experiment,metric,ours (%),ours (%) std,trials,published (%)")
    assert {n: when for n, when in stored(folder).items() if n in first} == first


def test_a_killed_run_loses_nothing_and_runs_nothing_twice(folder):
    (folder / "long.yaml").write_text(EXPERIMENT % 80)
    process = start(folder, "long.yaml")
    wait_for_trials(folder, process, 5)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = stored(folder)
    assert 5 <= len(before) < 80
    # All trials are there; those before the kill keep the moment they were finished at.
    code, out, err = bench(folder, "long.yaml", "--format", "json")
    assert code == 0, err
    assert f"long: {80 - len(before)} trial(s) run, {len(before)} taken" in err
    after = stored(folder)
    assert sorted(after) == list(range(80))
    assert {number: after[number] for number in before} == before
    [found] = json.loads(out)
    assert len({trial["seed"] for trial in found["result"]["trials"]}) == 80


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(folder):
    (folder / "long.yaml").write_text(EXPERIMENT % 5000)
    process = start(folder, "long.yaml")
    wait_for_trials(folder, process, 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Stopped. Finished trials are kept in trials.sqlite; continue with: unseen bench long.yaml --store" in err
    assert "Traceback" not in out + err


def test_a_misspelt_key_gets_a_sentence_and_nothing_is_run(folder):
    (folder / "slip.yaml").write_text(EXPERIMENT % 3 + "trails: 3\n")
    code, _, err = bench(folder, "mine.yaml", "slip.yaml")
    assert code == 2
    assert "unknown key 'trails' (did you mean 'trials'?)" in err
    assert "Traceback" not in err
    assert not (folder / "trials.sqlite").exists()


def test_missing_data_are_skipped_with_a_sentence(folder):
    code, out, err = bench(folder, "mine.yaml", "cub-proposed-eszsl", "--data", "nowhere")
    assert code == 0
    assert "Skipped: cub-proposed-eszsl needs CUB_vgg_fc7.npz, which is not in nowhere" in err
    assert "mine" in out
    code, out, err = bench(folder, "cub-proposed-eszsl", "--data", "nowhere")
    assert code == 1
    assert out == ""


def test_list_shows_every_experiment_and_runs_nothing(folder):
    code, out, err = bench(folder, "--list", "--data", "nowhere")
    assert code == 0, err
    for name in ("digit-pairs-jfa", "cub-proposed-jfa", "awa-handcrafted-standard-eszsl"):
        assert name in out
    assert "no (CUB_vgg_fc7.npz)" in out
    assert not (folder / "trials.sqlite").exists()


def test_a_file_that_is_no_store_is_left_alone(folder):
    (folder / "trials.sqlite").write_text("my thesis" * 100)
    code, _, err = bench(folder, "mine.yaml")
    assert code == 2
    assert "trials.sqlite cannot be used" in err
    assert (folder / "trials.sqlite").read_text() == "my thesis" * 100


def bench_here(*arguments):
    """Run the command in this process, which is quicker."""
    found = run("bench", *arguments, "--store", "trials.sqlite")
    return found.exit_code, found.stdout, found.stderr


def write_pair(folder, model="BilinearSVM, parameters: {init: random, solver: stochastic}"):
    """Write two experiments on the same data."""
    (folder / "one.yaml").write_text(EXPERIMENT % 3)
    (folder / "two.yaml").write_text((EXPERIMENT % 3).replace(model, "ESZSL"))


def test_class_splits_are_compared_drawn_and_not_run_again(folder, monkeypatch):
    monkeypatch.chdir(folder)
    write_pair(folder)
    arguments = ("one.yaml", "two.yaml", "--class-splits", "3", "--against", "one", "--figure", "ranks.svg")
    code, out, err = bench_here(*arguments)
    assert code == 0, err
    assert "one: 3 class split(s) run, 0 taken from trials.sqlite" in err
    assert "3 random class splits into 6 seen and 3 unseen classes" in out
    assert "minus one" in out
    assert "<svg" in (folder / "ranks.svg").read_text()
    code, _, err = bench_here(*arguments)
    assert code == 2
    assert "ranks.svg exists already" in err
    code, again, err = bench_here(*arguments, "--force")
    assert code == 0
    assert "two: 0 class split(s) run, 3 taken" in err
    assert again == out


def test_a_killed_run_over_class_splits_goes_on_to_the_same_numbers(folder, monkeypatch):
    monkeypatch.chdir(folder)
    process = start(folder, "mine.yaml", "--class-splits", "20")
    wait_for_trials(folder, process, 3)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = stored(folder)
    code, out, err = bench_here("mine.yaml", "--class-splits", "20", "--format", "json")
    assert code == 0, err
    assert f"mine: {20 - len(before)} class split(s) run, {len(before)} taken" in err
    assert {number: stored(folder)[number] for number in before} == before
    (folder / "trials.sqlite").unlink()
    _, fresh, _ = bench_here("mine.yaml", "--class-splits", "20", "--format", "json")
    resumed, whole = (json.loads(text)["results"][0]["metrics"] for text in (out, fresh))
    assert resumed == whole


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--against", "one"), "--against one is for random class splits: give --class-splits 20 too"),
        (("--class-splits", "3", "--trials", "2"), "--trials 2 repeats the fit on one split"),
        (("--class-splits", "3", "--against", "tow"), "--against='tow' is not known (did you mean 'two'?)"),
        (("--class-splits", "3", "--metric", "H"), "--metric='H' is not known"),
        (("--class-splits", "3", "--figure", "ranks.jpg"), "ranks.jpg has the ending '.jpg'"),
        (("mine.yaml", "--class-splits", "3", "--figure", "ranks.svg"), "differ in them: run them apart"),
        (("one.yaml", "--class-splits", "3"), "experiments names 'one' twice"),
    ],
)
def test_options_of_class_splits_that_do_not_fit_are_refused_before_the_work(folder, monkeypatch, arguments, sentence):
    monkeypatch.chdir(folder)
    write_pair(folder)
    (folder / "mine.yaml").write_text((EXPERIMENT % 3).replace("n_seen: 6", "n_seen: 7"))
    code, _, err = bench_here("one.yaml", "two.yaml", *arguments)
    assert code == 2
    assert sentence in err
    assert not (folder / "trials.sqlite").exists()
