from unittest import mock

import numpy as np
import pytest

import unseen
from unseen.evaluation import evaluate
from unseen.experiments import (
    BenchReport,
    DataMissing,
    TrialStore,
    build_dataset,
    build_model,
    build_search,
    key_of,
    load_experiment,
    run_experiment,
    runner,
)
from unseen.models import Prepared
from unseen.selection import ClassDisjointSearch
from unseen.transduction import SPZSR
from unseen.utils.errors import InputError

EXPERIMENT = """
title: A small experiment
dataset: {name: synthetic, options: {random_state: 0, n_seen: 6, n_unseen: 3}}
model: {name: BilinearSVM, parameters: {init: random, solver: stochastic}}
trials: 3
seed: 4
published:
  - {method: Mine, metric: per-image accuracy, mean: 10, std: 1.0, source: my notebook, note: on paper}
"""


@pytest.fixture
def experiment(tmp_path):
    return load(tmp_path, EXPERIMENT)


def load(folder, text):
    path = folder / "mine.yaml"
    path.write_text(text)
    return load_experiment(str(path))


@pytest.fixture
def store(tmp_path):
    with TrialStore(tmp_path / "trials.sqlite") as opened:
        yield opened


def test_outcome_is_that_of_evaluate(experiment, store):
    data = build_dataset(experiment, None)
    outcome = run_experiment(experiment, data, store)
    expected = evaluate(build_model(experiment), data, trials=3, random_state=4)
    np.testing.assert_array_equal(outcome.result.values("per-image accuracy"), expected.values("per-image accuracy"))
    assert (outcome.ran, outcome.foreign) == (3, 0)


def test_only_missing_trials_are_run(experiment, store):
    data = build_dataset(experiment, None)
    run_experiment(experiment, data, store, trials=2)
    with mock.patch.object(runner, "run_trial", wraps=runner.run_trial) as run:
        outcome = run_experiment(experiment, data, store, trials=4)
        assert run.call_count == outcome.ran == 2
        again = run_experiment(experiment, data, store, trials=3)
        assert run.call_count == 2
    assert len(again.result.trials) == 3
    assert again.ran == 0


def test_trials_before_an_interruption_are_kept(experiment, store):
    data = build_dataset(experiment, None)
    real = runner.run_trial

    def interrupted(*arguments):
        if len(store.finished(key_of(experiment, data.fingerprint()))) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    with mock.patch.object(runner, "run_trial", interrupted), pytest.raises(KeyboardInterrupt):
        run_experiment(experiment, data, store)
    assert run_experiment(experiment, data, store).ran == 1


def test_trials_of_another_version_data_or_content_are_not_mixed(experiment, store, tmp_path):
    data = build_dataset(experiment, None)
    run_experiment(experiment, data, store, trials=2)
    other_seed = load(tmp_path, EXPERIMENT.replace("seed: 4", "seed: 5"))
    assert run_experiment(other_seed, data, store, trials=1).ran == 1
    other_data = load(tmp_path, EXPERIMENT.replace("random_state: 0", "random_state: 1"))
    outcome = run_experiment(other_data, build_dataset(other_data, None), store, trials=1)
    assert (outcome.ran, outcome.foreign) == (1, 3)
    with mock.patch.object(unseen, "__version__", "99.0"):
        assert run_experiment(experiment, data, store, trials=1).ran == 1


def test_progress_is_told(experiment, store):
    told = []
    run_experiment(experiment, build_dataset(experiment, None), store, watch=told.append)
    assert [(p.done, p.total, p.doing) for p in told] == [
        (0, 3, "trial 1"),
        (1, 3, "trial 2"),
        (2, 3, "trial 3"),
        (3, 3, "done"),
    ]


def test_a_model_without_randomness_has_one_trial(store, tmp_path):
    text = EXPERIMENT.replace("BilinearSVM, parameters: {init: random, solver: stochastic}", "ESZSL")
    experiment = load(tmp_path, text)
    outcome = run_experiment(experiment, build_dataset(experiment, None), store)
    assert len(outcome.result.trials) == 1
    assert "one trial, because the model has no random_state" in BenchReport([outcome]).to_text()


SELECTED = """
title: Parameters chosen on seen classes
dataset: {name: synthetic, options: {random_state: 0, n_seen: 8, n_unseen: 3, noise: 2.0}}
preparation: {features: [UnitNorm, {PCA: {n_components: 10}}], descriptions: [{SimplexCoder: {gamma: 0.1}}]}
model: {name: BilinearSVM, parameters: {init: random, solver: stochastic}}
selection:
  grid: {lam: [0.1, 1.0], features__pca__n_components: [5, 20]}
  splitter: {name: HoldOutClasses, parameters: {held_out: 2, n_splits: 2}}
  repeat: %s
trials: 2
"""


def test_parameters_selected_once_serve_all_trials_and_are_not_selected_again(store, tmp_path):
    experiment = load(tmp_path, SELECTED % "once")
    data = build_dataset(experiment, None)
    run_experiment(experiment, data, store, trials=1)
    key = key_of(experiment, data.fingerprint())
    chosen = store.selection(key)
    assert set(chosen) == {"model__lam", "features__pca__n_components"}
    with mock.patch.object(ClassDisjointSearch, "fit", side_effect=AssertionError):
        outcome = run_experiment(experiment, data, store, trials=2)
    assert outcome.ran == 1
    assert f"lam={chosen['model__lam']}" in outcome.result.model or chosen["model__lam"] == 1.0
    assert outcome.result.name == "BilinearSVM"


def test_parameters_selected_in_each_trial_are_noted(store, tmp_path):
    experiment = load(tmp_path, SELECTED % "each trial")
    outcome = run_experiment(experiment, build_dataset(experiment, None), store)
    assert all(
        set(trial.parameters) == {"model__lam", "features__pca__n_components"} for trial in outcome.result.trials
    )
    assert "chosen in" in BenchReport([outcome]).to_text()
    assert outcome.result.name == "BilinearSVM"


@pytest.mark.parametrize("repeat", ["once", "each trial"])
def test_preparations_are_chosen_too(store, tmp_path, repeat):
    text = (SELECTED % repeat).replace(
        "grid: {lam: [0.1, 1.0], ", "grid: {lam: [0.1], descriptions: [[], [{KernelMap: {width: 2.0}}, UnitNorm]], "
    )
    experiment = load(tmp_path, text)
    data = build_dataset(experiment, None)
    outcome = run_experiment(experiment, data, store)
    if repeat == "each trial":
        assert {str(trial.parameters["descriptions"])[:8] for trial in outcome.result.trials} <= {"None", "Pipeline"}
        return
    chosen = store.selection(key_of(experiment, data.fingerprint()))
    assert chosen["descriptions"] in (0, 1)
    assert ("KernelMap" in outcome.result.model) == (chosen["descriptions"] == 1)
    assert "SimplexCoder" not in outcome.result.model
    with mock.patch.object(ClassDisjointSearch, "fit", side_effect=AssertionError):
        assert run_experiment(experiment, data, store).result.model == outcome.result.model


def test_a_model_without_preparation_can_have_one_chosen(tmp_path):
    text = (SELECTED % "once").replace("preparation:", "#")
    text = text.replace("features__pca__n_components: [5, 20]", "descriptions: [[], [Whitening]]")
    experiment = load(tmp_path, text)
    model = build_model(experiment)
    assert (model.features, model.descriptions) == (None, None)
    assert repr(build_search(experiment, model, jobs=1).grid["descriptions"]) == "[None, Whitening()]"


def test_selection_sees_seen_classes_only(store, tmp_path):
    experiment = load(tmp_path, SELECTED % "once")
    data = build_dataset(experiment, None)
    interrupted = mock.patch.object(ClassDisjointSearch, "fit", autospec=True, side_effect=KeyboardInterrupt)
    with interrupted as fit, pytest.raises(KeyboardInterrupt):
        run_experiment(experiment, data, store)
    _, X, y = fit.call_args.args
    assert len(X) == len(data.train)
    assert set(y) == set(fit.call_args.kwargs["classes"]) == set(data.seen_classes)


def test_a_misspelt_parameter_of_the_grid_gets_a_sentence(tmp_path):
    experiment = load(tmp_path, (SELECTED % "once").replace("lam:", "lamb:"))
    with pytest.raises(InputError, match=r"grid has no parameter 'lamb' \(did you mean 'lam'\?\)"):
        build_search(experiment, build_model(experiment), jobs=1)


def test_report_sets_ours_beside_the_published(experiment, store):
    outcome = run_experiment(experiment, build_dataset(experiment, None), store)
    row = BenchReport([outcome]).table().rows[0]
    ours = outcome.result.measure("per-image accuracy")
    assert row[:4] == ("mine", "per-image accuracy", ours, 3)
    assert row[5:] == (f"{ours.mean - 10:+.2f}", "no", "Mine [1]")
    text = BenchReport([outcome]).to_text()
    assert "[1] my notebook; on paper" in text
    assert "Within the spread: " in text
    [plain] = BenchReport([outcome]).to_dict()
    assert plain["published"][0]["within_the_spread"] is False


def test_missing_data_get_a_sentence(tmp_path, monkeypatch):
    text = "title: x\ndataset: {path: CUB_vgg_fc7.npz, split: proposed}\nmodel: {name: ESZSL}\n"
    with pytest.raises(DataMissing, match=r"mine needs CUB_vgg_fc7\.npz, which is not in .*--data .*UNSEEN_DATA"):
        build_dataset(load(tmp_path, text), tmp_path)
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path / "elsewhere"))
    with pytest.raises(InputError, match="elsewhere"):
        build_dataset(load(tmp_path, text), None)


def test_the_report_tests_experiments_on_the_same_data_against_each_other(tmp_path, store):
    text = EXPERIMENT.replace("trials: 3", "trials: 1")
    models = ("name: ESZSL}", "name: SJE}")
    outcomes = []
    for number, model in enumerate(models):
        (tmp_path / f"{number}.yaml").write_text(
            text.replace("name: BilinearSVM, parameters: {init: random, solver: stochastic}}", model)
        )
        mine = load_experiment(str(tmp_path / f"{number}.yaml"))
        outcomes.append(run_experiment(mine, build_dataset(mine, None), store))
    other = load(tmp_path, text.replace("n_unseen: 3", "n_unseen: 4"))
    outcomes.append(run_experiment(other, build_dataset(other, None), store))
    [test] = BenchReport(outcomes).paired_tests()
    assert test.names == ("0", "1")
    assert str(test) in BenchReport(outcomes).to_text()


def test_a_refinement_wraps_the_prepared_model(tmp_path):
    text = EXPERIMENT.replace(
        "trials: 3", "trials: 1\nsetting: transductive\nrefinement: {name: SPZSR, parameters: {n_runs: 2}}"
    )
    model = build_model(load(tmp_path, text.replace("published:", "preparation: {features: [UnitNorm]}\npublished:")))
    assert isinstance(model, SPZSR)
    assert model.n_runs == 2
    assert isinstance(model.model, Prepared)
    with pytest.raises(InputError, match=r"refinement='SPZRS' is not known .did you mean 'SPZSR'"):
        build_model(load(tmp_path, text.replace("SPZSR", "SPZRS")))
