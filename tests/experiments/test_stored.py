"""What a store holds is read from it without running anything."""

from pathlib import Path
from unittest import mock

import pytest
from stored_experiments import fill_store

from unseen.evaluation import EvaluationResult, SplitResult, running
from unseen.experiments import (
    StoredRun,
    TrialStore,
    build_dataset,
    load_experiment,
    read_store,
    run_class_splits,
    run_experiment,
)
from unseen.experiments.stored import shipped_experiments
from unseen.utils.errors import InputError


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill_store(tmp_path_factory.mktemp("stored"))


@pytest.fixture(scope="module")
def runs(path: Path) -> list[StoredRun]:
    with mock.patch.object(running, "run_trial", side_effect=AssertionError("something was run")):
        return read_store(path)


def find(runs: list[StoredRun], name: str) -> list[StoredRun]:
    return [run for run in runs if run.name == name]


def test_results_are_those_of_running(runs: list[StoredRun], path: Path) -> None:
    experiment = load_experiment("digit-pairs-jfa")
    data = build_dataset(experiment, None)
    [stored] = find(runs, "digit-pairs-jfa")
    assert stored.outcome is not None
    assert isinstance(stored.outcome.result, EvaluationResult)
    with TrialStore(path) as store:
        again = run_experiment(experiment, data, store, trials=2).result
        splits = run_class_splits(experiment, data, store, class_splits=3, n_unseen=20)
    assert (again.name, splits.ran) == ("JFA", 0)
    for metric in again.metrics:
        assert stored.outcome.result.interval(metric) == again.interval(metric)
    [over_splits] = find(runs, "digit-pairs-jfa, class splits of seed 0")
    assert over_splits.outcome is not None
    assert isinstance(over_splits.outcome.result, SplitResult)
    assert over_splits.outcome.result.n_unseen == 20
    assert over_splits.outcome.result.to_dict() == splits.result.to_dict()


def test_runs_are_in_the_order_in_which_they_ended(runs: list[StoredRun]) -> None:
    assert [run.finished for run in runs] == sorted(run.finished for run in runs)
    assert runs[0].name == "own"


def test_an_older_version_is_recognised_and_other_data_are_not(runs: list[StoredRun]) -> None:
    found = {(run.version, run.outcome is not None): run for run in find(runs, "digit-pairs-eszsl")}
    assert len(found) == 3
    assert "other data" in found["0.0.1", False].reason
    assert len(found["0.0.1", False].trials) == 1


def test_what_the_package_does_not_know_is_kept_with_the_reason(runs: list[StoredRun]) -> None:
    [own] = find(runs, "own")
    assert own.outcome is None
    assert "no experiment of this name" in own.reason


def test_missing_data_are_said_to_be_missing(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path))
    name = next(name for name in shipped_experiments() if name.startswith("cub-"))
    with TrialStore(path) as full, TrialStore(tmp_path / "other.sqlite") as store:
        trial = full.trials(full.runs()[0].key)[0]
        store.add_trial("key", 0, trial, experiment=name, version="1")
    [run] = read_store(tmp_path / "other.sqlite")
    assert (run.outcome, run.reason) == (None, "its data are not found")


def test_a_name_in_a_store_makes_nobody_read_a_file(tmp_path: Path, path: Path) -> None:
    with TrialStore(path) as full, TrialStore(tmp_path / "evil.sqlite") as store:
        trial = full.trials(full.runs()[0].key)[0]
        store.add_trial("key", 0, trial, experiment=str(path.parent / "own.yaml"), version="1")
    [run] = read_store(tmp_path / "evil.sqlite")
    assert "no experiment of this name" in run.reason


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_store(tmp_path / "none.sqlite")
    assert not (tmp_path / "none.sqlite").exists()
