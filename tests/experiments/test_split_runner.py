"""Experiments on random class splits: stored, resumed, and compared."""

import json
from unittest import mock

import pytest

import unseen
from unseen.evaluation import running
from unseen.experiments import SplitReport, TrialStore, build_dataset, load_experiment, run_class_splits, run_experiment

EXPERIMENT = """
title: A small experiment
dataset: {name: synthetic, options: {random_state: 0, n_seen: 7, n_unseen: 3, n_per_class: 8, noise: 2.0}}
model: {name: %s}
trials: 1
"""
SELECTED = (
    EXPERIMENT
    + """
selection:
  repeat: once
  grid: {gamma: [0.1, 10.0]}
  splitter: {name: HoldOutClasses, parameters: {held_out: 2, n_splits: 1}}
"""
)


@pytest.fixture
def store(tmp_path):
    with TrialStore(tmp_path / "trials.sqlite") as opened:
        yield opened


def load(folder, text, name="mine"):
    (folder / f"{name}.yaml").write_text(text)
    return load_experiment(str(folder / f"{name}.yaml"))


def numbers(outcome):
    return [(trial.seed, trial.predictions, trial.metrics) for trial in outcome.result.trials]


def test_an_interrupted_run_goes_on_and_gives_the_same(tmp_path, store):
    experiment = load(tmp_path, EXPERIMENT % "BilinearSVM")
    data = build_dataset(experiment, None)
    with TrialStore(tmp_path / "whole.sqlite") as other:
        whole = run_class_splits(experiment, data, other, class_splits=4)
    real, calls = running.run_trial, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments)

    with mock.patch.object(running, "run_trial", interrupted), pytest.raises(KeyboardInterrupt):
        run_class_splits(experiment, data, store, class_splits=4)
    told = []
    again = run_class_splits(experiment, data, store, class_splits=4, watch=told.append)
    assert (whole.ran, again.ran) == (4, 2)
    assert numbers(again) == numbers(whole)
    assert [(now.done, now.total) for now in told] == [(0, 4), (2, 4), (3, 4), (4, 4)]
    more = run_class_splits(experiment, data, store, class_splits=5)
    assert more.ran == 1
    assert numbers(more)[:4] == numbers(whole)
    assert run_class_splits(experiment, data, store, class_splits=2).ran == 0


def test_other_seeds_sizes_and_plain_trials_are_kept_apart(tmp_path, store):
    experiment = load(tmp_path, EXPERIMENT % "ESZSL")
    data = build_dataset(experiment, None)
    run_experiment(experiment, data, store)
    first = run_class_splits(experiment, data, store, class_splits=2)
    other = run_class_splits(experiment, data, store, class_splits=2, split_seed=1)
    assert (first.ran, first.foreign, other.ran, other.foreign) == (2, 0, 2, 0)
    assert set(first.result.seeds).isdisjoint(other.result.seeds)
    assert run_experiment(experiment, data, store).foreign == 0
    smaller = run_class_splits(experiment, data, store, class_splits=2, n_unseen=2)
    assert (smaller.ran, smaller.foreign, smaller.result.n_unseen) == (2, 2, 2)
    with mock.patch.object(unseen, "__version__", "99.0"):
        assert run_class_splits(experiment, data, store, class_splits=2).ran == 2


def test_parameters_are_selected_in_each_split(tmp_path, store):
    experiment = load(tmp_path, SELECTED % "ESZSL")
    outcome = run_class_splits(experiment, build_dataset(experiment, None), store, class_splits=2)
    assert all(set(trial.parameters) == {"gamma"} for trial in outcome.result.trials)


def test_the_report_compares_experiments_on_the_same_splits(tmp_path, store):
    results = []
    for name, model in (("ridge", "ESZSL"), ("margin", "SJE"), ("alone", "ESZSL")):
        text = EXPERIMENT % model
        experiment = load(tmp_path, text.replace("n_seen: 7", "n_seen: 8") if name == "alone" else text, name)
        data = build_dataset(experiment, None)
        results.append(run_class_splits(experiment, data, store, class_splits=3).result)
    report = SplitReport(results, against="margin")
    assert [[one.name for one in group] for group in report.groups] == [["ridge", "margin"], ["alone"]]
    [comparison] = report.comparisons
    assert comparison.baseline.name == "margin"
    text = report.render("text")
    assert "minus margin" in text
    assert "Mean seconds of a fit, with the selection of its parameters: ridge 0." in text
    assert "alone on synthetic" in text
    assert len(report.render("csv").split("\n\n")) == 3
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain["comparisons"][0]["differences"][0]["tests"]["t"]["interval"]["over"] == "splits"
    assert len(plain["results"][2]["trials"]) == 3
