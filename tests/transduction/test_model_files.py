"""Every refinement survives its model file, bit for bit, around any model and inside other wrappers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import again, assert_same
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator

import unseen
from unseen.confidence import answers
from unseen.data import ZeroShotDataset
from unseen.evaluation import evaluate
from unseen.evaluation.protocol import evaluate_fitted
from unseen.features import SimplexCoder, UnitNorm
from unseen.files import read_model_file
from unseen.models import ESZSL, JFA, Calibrated, Prepared
from unseen.report import explain
from unseen.selection import ClassDisjointSearch
from unseen.transduction import SPZSR, TransductiveClassifier
from unseen.utils.errors import InputError
from unseen.utils.wrapping import unwrap

AROUND = {
    "JFA": JFA(),
    "prepared": Prepared(ESZSL(), features=PCA(8, random_state=0), descriptions=SimplexCoder(0.1)),
    "calibrated": Calibrated(Prepared(ESZSL(), features=PCA(8, random_state=0)), random_state=0),
}


def fitted_around(refinement: TransductiveClassifier, model: Any, data: ZeroShotDataset) -> Any:
    refined = clone(refinement).set_params(model=model)
    return refined.fit(data.X_train, data.y_train, classes=data.classes)


def test_every_refinement_survives_its_file(
    fitted: TransductiveClassifier, data: ZeroShotDataset, tmp_path: Path
) -> None:
    loaded = again(fitted, tmp_path)
    # How many rounds the last batch took is not part of the model.
    assert set(vars(loaded)) == set(vars(fitted)) - {"n_rounds_"}
    assert_same(fitted, loaded, data)


@pytest.mark.parametrize("model", AROUND.values(), ids=AROUND.keys())
def test_around_any_model(
    refinement: TransductiveClassifier, model: Any, data: ZeroShotDataset, tmp_path: Path
) -> None:
    refined = fitted_around(refinement, model, data)
    assert_same(refined, again(refined, tmp_path), data)


@pytest.mark.parametrize("wrap", [lambda m: Calibrated(m, random_state=0), lambda m: Prepared(m, features=PCA(8))],
                         ids=["calibrated", "prepared"])  # fmt: skip
def test_inside_other_wrappers(
    refinement: TransductiveClassifier, wrap: Any, data: ZeroShotDataset, tmp_path: Path
) -> None:
    wrapped = wrap(clone(refinement)).fit(data.X_train, data.y_train, classes=data.classes)
    assert_same(wrapped, again(wrapped, tmp_path), data)


def test_a_preparation_of_its_own_and_a_frozen_model(
    refinement: TransductiveClassifier, data: ZeroShotDataset, tmp_path: Path
) -> None:
    model = ESZSL().fit(data.X_train[::2], data.y_train[::2], classes=data.classes)
    refined = fitted_around(clone(refinement).set_params(features=UnitNorm()), FrozenEstimator(model), data)
    assert_same(refined, again(refined, tmp_path), data)


@pytest.mark.filterwarnings("ignore:SPZSR was not fitted:UserWarning")
def test_a_refinement_of_a_fitted_model_that_learned_nothing_itself(data: ZeroShotDataset, tmp_path: Path) -> None:
    model = ESZSL().fit(data.X_train, data.y_train, classes=data.classes)
    refined = SPZSR(model, n_runs=2)
    assert_same(refined, again(refined, tmp_path), data)


def test_a_model_loaded_from_a_file_can_be_refined(
    refinement: TransductiveClassifier, data: ZeroShotDataset, tmp_path: Path
) -> None:
    model = JFA().fit(data.X_train, data.y_train, classes=data.classes)
    one, two = (fitted_around(refinement, FrozenEstimator(each), data) for each in (model, again(model, tmp_path)))
    np.testing.assert_array_equal(*(each.predict_proba(data.X_test_unseen, data.unseen_table) for each in (one, two)))


def test_a_search_over_a_refinement_leaves_its_choice(data: ZeroShotDataset, tmp_path: Path) -> None:
    search = ClassDisjointSearch(SPZSR(ESZSL(), n_runs=2), {"pull": [1.0, 10.0]}, random_state=0)
    search.fit(data.X_train, data.y_train, classes=data.classes)
    unseen.save(search, tmp_path / "s.unseen")
    file = read_model_file(tmp_path / "s.unseen")
    assert_same(search.best_estimator_, file.model, data)
    assert file.selection is not None
    assert file.selection["grid"] == [{"pull": 1.0}, {"pull": 10.0}]


def test_what_the_model_inside_chose_is_recorded(data: ZeroShotDataset, tmp_path: Path) -> None:
    refined = SPZSR(JFA("auto", random_state=0), n_runs=2).fit(data.X_train, data.y_train, classes=data.classes)
    unseen.save(refined, tmp_path / "auto.unseen")
    selection = read_model_file(tmp_path / "auto.unseen").selection
    assert selection is not None
    assert selection["chosen"] == refined.model_.selection_.best_index


@pytest.mark.parametrize("wrap", [lambda model: model, Calibrated], ids=["alone", "calibrated"])
def test_one_from_a_file_is_evaluated_asked_and_explained(
    wrap: Any, refinement: TransductiveClassifier, data: ZeroShotDataset, tmp_path: Path
) -> None:
    model = wrap(clone(refinement)).fit(data.X_train, data.y_train, classes=data.seen_table)
    loaded = again(model, tmp_path)
    expected = np.mean(model.predict(data.X_test_unseen, classes=data.unseen_table) == data.y_test_unseen)
    measured = evaluate_fitted(loaded, data, "transductive")
    assert measured.mean("per-image accuracy") == pytest.approx(expected)
    assert measured.name == f"ESZSL + {type(refinement).__name__}"
    anew = evaluate(loaded, data, "transductive-generalized", trials=1)
    assert len(anew.candidates.labels) == len(data.classes)
    x, label = data.X_test_unseen[0], data.unseen_classes[0]
    ours, inside = (explain(each, x, label, data.unseen_table) for each in (loaded, unwrap(model)))
    assert (ours.model, ours.kind) == ("ESZSL", "contribution")
    np.testing.assert_array_equal(ours.effect, inside.effect)


def test_answers_are_those_to_the_whole_batch(
    fitted: TransductiveClassifier, data: ZeroShotDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unseen.utils.arrays.BLOCK_BYTES", 4096)  # so that other models are asked in parts
    expected = fitted.predict_proba(data.X_test_unseen, classes=data.unseen_table)
    done: list[int] = []
    found = answers(fitted, data.X_test_unseen, data.unseen_table, on_rows=done.append)
    np.testing.assert_array_equal(found.probabilities[:, 0], expected.max(axis=1))
    assert done == [len(data.X_test_unseen)]


def test_what_a_file_cannot_hold_is_refused(data: ZeroShotDataset, tmp_path: Path) -> None:
    path = tmp_path / "m.unseen"
    with pytest.raises(InputError, match="not a fitted model"):
        unseen.save(SPZSR(ESZSL()), path)
    inside = ClassDisjointSearch(ESZSL(), {"lam": [1.0]}, random_state=0)
    refined = SPZSR(inside, n_runs=2).fit(data.X_train, data.y_train, classes=data.classes)
    with pytest.raises(InputError, match=r"model\.model is ClassDisjointSearch.*a model file cannot hold"):
        unseen.save(refined, path)
    assert not list(tmp_path.iterdir())
