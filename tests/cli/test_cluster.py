"""`unseen bench` and `unseen fit` on a Dask cluster, as a user runs them."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from commands import ran, run

pytest.importorskip("distributed")

EXPERIMENT = """
title: A small search
dataset: {name: digit-pairs, options: {n_train: 3}}
model: {name: BilinearSVM}
selection:
  grid: {lam: [0.03, 0.1, 0.3, 1, 3], temperature: [0.1, 0.3]}
trials: 1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.yaml").write_text(EXPERIMENT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read_store(path: Path) -> list[Any]:
    """Return the key and the content of all that was stored, but for what tells the time."""
    with sqlite3.connect(path) as connection:
        trials = connection.execute("SELECT key, trial, record FROM trials ORDER BY key, trial").fetchall()
        chosen = connection.execute("SELECT key, 0, parameters FROM selections ORDER BY key").fetchall()
    return [
        (key, number, {name: value for name, value in json.loads(text).items() if "seconds" not in name})
        for key, number, text in trials + chosen
    ]


@pytest.mark.parametrize("splits", [(), ("--class-splits", 2)], ids=["trials", "class splits"])
def test_bench_stores_the_same_as_in_one_process(folder: Path, splits: tuple[Any, ...]) -> None:
    ran("bench", "mine.yaml", *splits, "--store", "here.sqlite")
    ran("bench", "mine.yaml", *splits, "--store", "there.sqlite", "--cluster", 1)
    here, there = (read_store(folder / f"{name}.sqlite") for name in ("here", "there"))
    assert len(here) == 2  # a trial and a selection, or two splits
    assert there == here


def test_fit_searches_on_a_running_cluster(folder: Path) -> None:
    from distributed import LocalCluster

    local = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    command = ("fit", "digit-pairs", "--model", "eszsl", "--grid", "gamma=0.1,10", "--no-calibrate", "--out")
    here = ran(*command, "here.unseen")
    with LocalCluster(**local) as cluster:
        there = ran(*command, "there.unseen", "--scheduler", cluster.scheduler_address)
    assert "Chosen on held-out seen classes: gamma=" in here.stderr
    assert there.stderr == here.stderr.replace("here", "there")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("bench mine.yaml --scheduler tcp://127.0.0.1:1", "scheduler='tcp://127.0.0.1:1' does not answer (OSError)"),
        ("bench mine.yaml --scheduler nonsense", "scheduler='nonsense' does not answer (ValueError)"),
        ("bench mine.yaml --jobs 2 --cluster 2", "--jobs and --cluster are different places to run: give one"),
        ("bench mine.yaml --device cpu --cluster 2", "--device and --cluster are different places to run: give one"),
        ("fit digit-pairs --out m.unseen --cluster 2", "--cluster is for a search, and nothing is searched here: give"),
        (
            "fit digit-pairs --out m.unseen --select --cluster 1 --scheduler a",
            "--cluster and --scheduler are different",
        ),
    ],
)
def test_a_place_that_cannot_be_used_is_a_sentence(folder: Path, command: str, sentence: str) -> None:
    found = run(*command.split())
    assert found.exit_code == 2, found.output
    [line] = found.stderr.splitlines()
    assert sentence in line
    assert not (folder / "m.unseen").exists()
