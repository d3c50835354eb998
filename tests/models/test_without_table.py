"""Models that are given no class table: ordinary classifiers, with everything that a model can do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import unseen
from unseen.data import ClassTable, ZeroShotDataset
from unseen.features import SimplexCoder
from unseen.files.export import ClassIndex, export_onnx
from unseen.models import ALE, DAP, JFA, SJE, BilinearSVM, ConSE, Prepared, ZeroShotClassifier
from unseen.report import explain
from unseen.utils.arrays import to_numpy

FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
ORDINARY = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


@pytest.fixture(scope="module")
def alone(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> ZeroShotClassifier:
    """The model fitted without a table; tests only read it."""
    return clone(estimator).fit(data.X_train, data.y_train)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits, load_breast_cancer])
@pytest.mark.parametrize("model", [JFA(), BilinearSVM(), ConSE()], ids=lambda model: type(model).__name__)
def test_is_as_good_as_logistic_regression(model: ZeroShotClassifier, load: Callable[..., Any]) -> None:
    X, y = load(return_X_y=True)
    accuracy, ordinary = (cross_val_score(kind, X, y, cv=FOLDS).mean() for kind in (model, ORDINARY))
    assert accuracy > ordinary - 0.02


@pytest.mark.parametrize("model", [SJE(random_state=0), ALE(random_state=0)], ids=["SJE", "ALE"])
def test_stochastic_steps_learn_offsets_too(model: ZeroShotClassifier) -> None:
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(model, X, y, cv=FOLDS).mean() > 0.94


def test_a_table_that_only_tells_classes_apart_changes_nothing_of_what_it_was(data: ZeroShotDataset) -> None:
    table = ClassTable.one_hot(data.seen_classes)
    described = JFA().fit(data.X_train, data.y_train, classes=table)
    assert described.similarity_.W.shape == (16, 14)
    assert JFA().fit(data.X_train, data.y_train).similarity_.W.shape == (17, 14)
    assert JFA(scaling=None).fit(data.X_train, data.y_train).similarity_.W.shape == (16, 14)


def test_models_with_offsets_of_their_own_get_no_others(data: ZeroShotDataset) -> None:
    for model in (ConSE(), DAP(random_state=0)):
        assert model.fit(data.X_train, data.y_train).weights_.shape[0] == 16


def test_rows_that_are_scaled_when_they_are_read(
    alone: ZeroShotClassifier, data: ZeroShotDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unseen.models.base.SCALED_COPY_BYTES", 0)
    lazy = clone(alone).fit(data.X_train, data.y_train)
    np.testing.assert_array_equal(lazy.predict(data.X_test_seen), alone.predict(data.X_test_seen))


def test_fits_and_predicts_in_the_library_of_the_features(
    xp: Any, alone: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    model = clone(alone).fit(xp.asarray(data.X_train), data.y_train)
    scores, expected = model.decision_function(xp.asarray(data.X_test_seen)), alone.decision_function(data.X_test_seen)
    np.testing.assert_allclose(to_numpy(scores), expected, rtol=0, atol=1e-6 * np.abs(expected).max())
    other = alone.decision_function(xp.asarray(data.X_test_seen))
    np.testing.assert_allclose(to_numpy(other), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_survives_its_file(alone: ZeroShotClassifier, data: ZeroShotDataset, tmp_path: Path) -> None:
    unseen.save(alone, tmp_path / "m.unseen")
    loaded = unseen.load(tmp_path / "m.unseen")
    np.testing.assert_array_equal(loaded.decision_function(data.X_test_seen), alone.decision_function(data.X_test_seen))


def test_contributions_sum_to_the_score(alone: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    parts = alone.contributions(data.X_test_seen, data.y_test_seen)
    scores = alone.decision_function(data.X_test_seen)
    expected = scores[np.arange(len(scores)), alone.table_.index_of(data.y_test_seen)]
    np.testing.assert_allclose(parts.sum(axis=1), expected, rtol=1e-8, atol=1e-8)


def test_is_the_same_inside_a_preparation(alone: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    prepared = Prepared(clone(alone)).fit(data.X_train, data.y_train)
    np.testing.assert_array_equal(
        prepared.decision_function(data.X_test_seen), alone.decision_function(data.X_test_seen)
    )
    np.testing.assert_array_equal(
        prepared.predict(data.X_test_seen, classes=data.seen_classes[:3]),
        alone.predict(data.X_test_seen, classes=data.seen_classes[:3]),
    )
    coded = Prepared(clone(alone), features=PCA(8), descriptions=SimplexCoder(0.1)).fit(data.X_train, data.y_train)
    assert coded.score(data.X_test_seen, data.y_test_seen) > 0.5


def test_adapts_and_explains_in_the_units_of_the_features(data: ZeroShotDataset) -> None:
    model = JFA().fit(data.X_train, data.y_train)
    adapted = model.adapt(data.X_test_seen, data.y_test_seen)
    assert adapted.z_t.shape == data.X_test_seen.shape
    assert np.corrcoef(adapted.z_t.ravel(), data.X_test_seen.ravel())[0, 1] > 0.9
    found = explain(model, data.X_test_seen[0], data.y_test_seen[0])
    np.testing.assert_allclose(found.adapted, adapted.z_s[0])


def test_an_index_of_its_classes(data: ZeroShotDataset) -> None:
    pytest.importorskip("faiss")
    for features in (None, PCA(4)):  # more features than attributes, and fewer
        model = Prepared(JFA(), features=features).fit(data.X_train, data.y_train)
        found = ClassIndex(model, model.table_).search(data.X_test_seen)
        np.testing.assert_array_equal(found.labels[:, 0], model.predict(data.X_test_seen))


def test_an_onnx_graph(data: ZeroShotDataset, tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    model = JFA().fit(data.X_train, data.y_train)
    export_onnx(model, tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    X = data.X_test_seen.astype(np.float32)
    [scores] = session.run(["scores"], {"features": X, "classes": model.table_.vectors.astype(np.float32)})
    np.testing.assert_allclose(scores, model.decision_function(X.astype(np.float64)), rtol=1e-5, atol=1e-5)
