"""From data to a fitted model, as a notebook does it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unseen
from unseen.data import TrainingRows, ZeroShotDataset, load_training
from unseen.features import UnitNorm
from unseen.files import read_model_file
from unseen.models import ESZSL, JFA, Calibrated, GaussianJFA
from unseen.transduction import PST
from unseen.utils.errors import InputError
from unseen.utils.progress import Progress
from unseen.utils.wrapping import unwrap
from unseen.workflows import Fitted, describe_model, fit, make_model, open_model, search
from unseen.workflows.describing import format_facts
from unseen.workflows.searching import find_grid


def test_data_may_be_named_or_loaded(data: ZeroShotDataset, npz: Path, fitted: Fitted) -> None:
    expected = fitted.model.decision_function(data.X_test_unseen, classes=data.unseen_table)
    for given in (npz, str(npz), load_training(npz)):
        other = fit(given, "eszsl")
        assert other.n_rows == fitted.n_rows == len(data.train)
        np.testing.assert_array_equal(other.model.decision_function(data.X_test_unseen, data.unseen_table), expected)
    assert fit(npz, "eszsl", split="none", calibrate=False).n_rows == len(data.X)
    assert fit(npz, "eszsl", calibrate=False).data == "small"


def test_a_calibrated_model_says_what_to_expect(fitted: Fitted) -> None:
    assert isinstance(fitted.model, Calibrated)
    assert fitted.expected_accuracy == fitted.model.curve_.accuracy[0]
    assert fitted.held_out is not None
    assert fitted.held_out.low < fitted.expected_accuracy < fitted.held_out.high
    assert fitted.held_out.n_candidates == 2


def test_one_row_per_class_promises_nothing(data: ZeroShotDataset) -> None:
    first = np.unique(data.y_train, return_index=True)[1]
    few = fit(TrainingRows(data.X_train[first], data.y_train[first], data.classes, "few"), "eszsl")
    assert few.expected is not None
    assert few.expected_accuracy is None


def test_without_calibration_nothing_is_promised(data: ZeroShotDataset) -> None:
    plain = fit(data, ESZSL(gamma=10), calibrate=False)
    assert isinstance(plain.model, ESZSL)
    assert plain.model.gamma == 10
    assert plain.expected is None
    assert plain.expected_accuracy is None


def test_parameters_are_chosen_from_a_grid(data: ZeroShotDataset, told: list[Progress]) -> None:
    found = fit(data, "eszsl", unit_norm=True, select={"gamma": [0.1, 10.0]}, calibrate=False, on_progress=told.append)
    assert found.search is not None
    assert [point["model__gamma"] for point in found.search.results["params"]] == [0.1, 10.0]
    assert found.model.model_.gamma == found.search.best_params["model__gamma"]
    assert told[-1] == Progress("learning from 80 rows")
    assert [now for now in told if now.total][-1] == Progress("searching on held-out seen classes", 6, 6)


def test_the_small_grid_of_the_model_by_default(data: ZeroShotDataset) -> None:
    found = fit(data, "sje", select=True, calibrate=False).search
    assert found is not None
    assert [point["step"] for point in found.results["params"]] == list(find_grid(make_model("sje"))["step"])


def test_a_grid_reaches_through_all_wrappers(data: ZeroShotDataset) -> None:
    rows = TrainingRows(data.X_train, data.y_train, data.classes, "small")
    model = make_model("eszsl", unit_norm=True, refine="pst")
    found = search(model, rows, {"gamma": [1.0, 2.0], "alpha": [0.1]})
    assert set(found.best_params) == {"model__model__gamma", "alpha"}


def test_a_refined_model(data: ZeroShotDataset, tmp_path: Path) -> None:
    refined = fit(data, "eszsl", refine="pst")
    assert isinstance(refined.model.model_, PST)
    assert refined.expected_accuracy is not None
    refined.save(tmp_path / "m.unseen")
    again = unseen.load(tmp_path / "m.unseen").predict(data.X_test_unseen, classes=data.unseen_table)
    assert again.tolist() == refined.model.predict(data.X_test_unseen, classes=data.unseen_table).tolist()


def test_what_is_saved_tells_how_it_was_made(data: ZeroShotDataset, tmp_path: Path) -> None:
    found = fit(data, "eszsl", select={"gamma": [0.1, 10.0]}, calibrate=False)
    found.save(tmp_path / "m.unseen")
    selection = read_model_file(tmp_path / "m.unseen").selection
    assert selection is not None
    assert selection["grid"][selection["chosen"]] == found.search.best_params
    with pytest.raises(InputError, match="exists already"):
        found.save(tmp_path / "m.unseen")
    found.save(tmp_path / "m.unseen", force=True)


def test_models_in_every_form_can_be_asked(fitted: Fitted, tmp_path: Path) -> None:
    fitted.save(tmp_path / "m.unseen")
    file = open_model(tmp_path / "m.unseen")
    for model in (fitted, fitted.model, file):
        assert open_model(model).model.classes_.tolist() == file.model.classes_.tolist()
    with pytest.raises(InputError, match="not a fitted model"):
        open_model(ESZSL())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"split": "random:0"}, "'split' is for data given by name or path"),
        ({"classes": "c.csv"}, "'classes' is for data given by name or path"),
        ({"settings": {"gama": 1}}, "has no parameter 'gama'"),
        ({"select": {"gama": [1]}}, "grid has a point that the estimator does not take"),
        ({"effort": "some"}, "effort='some' is not known"),
        ({"effort": "quick", "select": True}, "effort='quick' chooses a preparation .* give one of them"),
    ],
)
def test_bad_input_gets_a_sentence(data: ZeroShotDataset, arguments, sentence) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(data, "eszsl", **arguments)


def test_a_slip_shows_before_the_data_are_read(told: list[Progress]) -> None:
    with pytest.raises(InputError, match="model='eszl'"):
        fit("nowhere.npz", "eszl", on_progress=told.append)
    assert told == []


def test_without_a_model_everything_is_chosen(data: ZeroShotDataset, tmp_path: Path, told: list[Progress]) -> None:
    fitted = fit(data, effort="quick", calibrate=False, on_progress=told.append)
    assert fitted.choice is not None
    assert isinstance(unwrap(fitted.model), GaussianJFA)
    assert any("choosing features" in progress.doing for progress in told)
    fitted.save(tmp_path / "chosen.unseen")
    for model in (fitted, tmp_path / "chosen.unseen"):
        facts = describe_model(model)
        assert facts["choice"] == open_model(tmp_path / "chosen.unseen").choice
        assert facts["choice"]["said"] == fitted.choice.say()
        assert format_facts(facts)["choice"].startswith("effort quick. Features: ")


def test_what_is_given_beats_what_is_chosen(data: ZeroShotDataset) -> None:
    named = fit(data, "eszsl", calibrate=False)
    assert named.choice is None
    prepared = fit(data, "eszsl", effort="quick", settings={"gamma": 10.0}, calibrate=False)
    assert prepared.choice is not None
    assert unwrap(prepared.model).gamma == 10.0
    features = fit(data, "auto", effort="quick", unit_norm=True, calibrate=False)
    assert [decision.about for decision in features.choice.decisions] == ["descriptions", "model"]
    assert isinstance(features.model.features, UnitNorm)


@pytest.mark.parametrize("arguments", [{"settings": {"lam": 3.0}}, {"select": {"lam": [1.0, 3.0]}}])
def test_parameters_without_a_model_are_those_of_jfa(data: ZeroShotDataset, arguments: dict[str, Any]) -> None:
    fitted = fit(data, calibrate=False, **arguments)
    assert isinstance(unwrap(fitted.model), JFA)
    assert fitted.choice is None


def test_the_chosen_model_is_refined_and_calibrated(data: ZeroShotDataset) -> None:
    fitted = fit(data, effort="quick", refine="pst")
    assert describe_model(fitted)["refinement"]
    assert fitted.held_out is not None
