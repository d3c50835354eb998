"""Evaluation over random class splits: what each split is, and what is made of all of them."""

import os
import signal

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator

from unseen.data import ZeroShotDataset, make_zero_shot, resplit
from unseen.evaluation import SETTINGS, Generalized, SplitResult, evaluate
from unseen.evaluation.running import run_trial
from unseen.evaluation.seeding import trial_seed
from unseen.evaluation.settings.inductive import make_setting
from unseen.models import ESZSL, BilinearSVM
from unseen.selection import ClassDisjointSearch, HoldOutClasses
from unseen.transduction import SPZSR
from unseen.utils.errors import InputError

DATA = make_zero_shot(
    n_seen=8,
    n_unseen=4,
    n_features=20,
    n_per_class=8,
    n_test_per_class=6,
    noise=1.5,
    attribute_noise=0.5,
    random_state=0,
)
METRIC = "mean per-class accuracy"


def same_numbers(one: SplitResult, two: SplitResult) -> bool:
    return [trial.predictions for trial in one.trials] == [trial.predictions for trial in two.trials]


class Recorder(BaseEstimator):
    """Answers the first class, and notes what it was fitted on."""

    shown: list = []  # noqa: RUF012 (shared on purpose: estimators are copied)

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, classes=None):
        self.shown.append((self.random_state, set(y), set(classes)))
        return self

    def predict(self, X, classes=None):
        return [next(iter(classes))] * len(X)


def test_each_split_is_one_trial_on_the_dataset_split_anew():
    model = BilinearSVM(init="random", solver="stochastic")
    result = evaluate(model, DATA, class_splits=3, random_state=5)
    for number in range(3):
        seed = trial_seed(5, number)
        data = resplit(DATA, seed)
        alone = run_trial(model, data, make_setting("standard"), seed)
        assert result.trials[number].metrics == alone.metrics
        assert result.split(number).candidates.labels.tolist() == data.unseen_classes.tolist()
        assert result.split(number).mean(METRIC) == result.values(METRIC)[number]
    assert len({tuple(candidates.labels) for candidates in result.candidates}) == 3


def test_a_model_is_shown_the_seen_classes_of_each_split_only():
    Recorder.shown.clear()
    result = evaluate(Recorder(), DATA, class_splits=4, n_unseen=5)
    assert (result.n_seen, result.n_unseen) == (7, 5)
    for (seed, taught, described), candidates in zip(Recorder.shown, result.candidates, strict=True):
        assert taught == described == set(DATA.classes) - set(candidates.labels)
        assert seed in result.seeds


def test_mean_standard_error_and_interval():
    result = evaluate(ESZSL(), DATA, class_splits=5)
    values = result.values(METRIC)
    assert np.ptp(values) > 0
    assert result.standard_error(METRIC) == pytest.approx(stats.sem(values))
    interval = result.interval(METRIC, level=0.9)
    expected = stats.t.interval(0.9, 4, values.mean(), stats.sem(values))
    assert (interval.low, interval.high) == pytest.approx(expected)
    row = next(row for row in result.table().rows if row[0] == METRIC)
    assert row[2] == pytest.approx(100 * stats.sem(values))
    assert "5 random class splits into 8 seen and 4 unseen classes" in result.to_text()
    plain = result.to_dict()
    assert plain["metrics"][METRIC]["values"] == values.tolist()
    assert "in 5 random class splits" in repr(result)


def test_what_was_done_before_is_not_run_again():
    done = {}
    full = evaluate(ESZSL(), DATA, class_splits=4, on_trial=done.__setitem__)
    assert sorted(done) == [0, 1, 2, 3]
    more = {}
    kept = {number: done[number] for number in (0, 2)}
    again = evaluate(ESZSL(), DATA, class_splits=4, finished=kept, on_trial=more.__setitem__)
    assert sorted(more) == [1, 3]
    assert again.trials[2] is done[2]
    assert same_numbers(full, again)


def test_the_first_splits_do_not_depend_on_how_many_there_are():
    few, many = (evaluate(ESZSL(), DATA, class_splits=n) for n in (2, 4))
    assert few.seeds == many.seeds[:2]
    assert few.values(METRIC).tolist() == many.values(METRIC)[:2].tolist()


def test_processes_give_the_same_numbers():
    told = []
    model = BilinearSVM(init="random")
    alone = evaluate(model, DATA, class_splits=3)
    shared = evaluate(model, DATA, class_splits=3, n_jobs=2, on_trial=lambda number, trial: told.append(number))
    assert same_numbers(alone, shared)
    assert sorted(told) == [0, 1, 2]


def test_trials_run_on_a_dask_cluster_which_gets_the_data_once(monkeypatch):
    distributed = pytest.importorskip("distributed")
    import joblib

    sent, scatter = [], distributed.Client.scatter
    monkeypatch.setattr(
        distributed.Client, "scatter", lambda self, data, **options: sent.append(data) or scatter(self, data, **options)
    )
    alone = evaluate(ESZSL(), DATA, class_splits=3)
    local = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**local) as cluster, distributed.Client(cluster), joblib.parallel_config("dask"):
        there = evaluate(ESZSL(), DATA, class_splits=3)
    assert same_numbers(alone, there)
    assert sent == [DATA]


class Dying(Recorder):
    """Kills the process that fits it."""

    def fit(self, X, y, classes=None):
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(os.name != "posix", reason="sends SIGKILL")
def test_a_worker_that_dies_is_a_sentence():
    with pytest.raises(InputError, match=r"a worker process of an evaluation died, .*: run again with fewer n_jobs"):
        evaluate(Dying(), DATA, class_splits=2, n_jobs=2)


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_setting(setting):
    model = SPZSR(ESZSL(), n_runs=2) if setting.startswith("transductive") else ESZSL()
    result = evaluate(model, DATA, setting, class_splits=2)
    assert result.metrics == SETTINGS[setting].metrics
    assert all(0 <= result.mean(metric) <= 1 for metric in result.metrics)
    assert ("Transductive" in result.to_text()) == setting.startswith("transductive")


def test_a_search_chooses_anew_in_each_split():
    search = ClassDisjointSearch(ESZSL(), {"gamma": [0.1, 100.0]}, splitter=HoldOutClasses(held_out=3, n_splits=1))
    result = evaluate(search, DATA, class_splits=2)
    assert result.name == "ESZSL"
    assert all(set(trial.parameters) == {"gamma"} for trial in result.trials)


def test_the_generalized_setting_needs_held_out_rows():
    rows = np.concatenate([DATA.train, DATA.test_seen])
    without = ZeroShotDataset(DATA.X, DATA.y, DATA.classes, rows, [], DATA.test_unseen)
    with pytest.raises(InputError, match="dataset has no rows test_seen"):
        evaluate(ESZSL(), without, Generalized(folds=2), class_splits=2)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"class_splits": 1}, "class_splits must be a whole number of at least 2, got 1"),
        ({"class_splits": 2, "trials": 3}, "trials=3 and class_splits=2: give one of them"),
        ({"n_unseen": 3}, "n_unseen=3 is for random class splits"),
        ({"class_splits": 2, "n_unseen": 11}, "n_unseen must be a whole number of at least 1 and at most 10, got 11"),
    ],
)
def test_refusals(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        evaluate(ESZSL(), DATA, **arguments)
