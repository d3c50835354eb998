"""What every model does alike: the protocol of `ZeroShotClassifier`, on each model of `conftest.ESTIMATORS`."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_parameters import with_scaling
from sklearn.base import clone

import unseen.models
from unseen.data import ClassTable, ZeroShotDataset
from unseen.models import ZeroShotClassifier


def test_every_exported_model_is_tested(estimators: list[ZeroShotClassifier]) -> None:
    exported = {
        kind
        for kind in vars(unseen.models).values()
        if isinstance(kind, type) and issubclass(kind, ZeroShotClassifier) and not inspect.isabstract(kind)
    }
    missing = exported - {type(estimator) for estimator in estimators} - {ZeroShotClassifier}
    assert not missing, f"add these models to ESTIMATORS in tests/models/conftest.py: {missing}"


def accuracy(model: ZeroShotClassifier, X: Any, data: ZeroShotDataset, classes: Any = None) -> float:
    """Accuracy on the unseen classes, among themselves."""
    candidates = data.unseen_classes if classes is None else classes
    return float(np.mean(model.predict(X, classes=candidates) == data.y_test_unseen))


# Learning


def test_recognises_unseen_classes(fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    assert accuracy(fitted, data.X_test_unseen, data) > 5 / len(data.unseen_classes)


def test_is_an_ordinary_classifier_without_a_table(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    model = clone(estimator).fit(data.X_train, data.y_train)
    assert model.score(data.X_test_seen, data.y_test_seen) > 0.8
    assert model.decision_function(data.X_test_seen).shape == (len(data.X_test_seen), len(data.seen_classes))


def test_the_same_seed_gives_the_same_model_bit_for_bit(
    estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    again = clone(estimator).fit(data.X_train, data.y_train, classes=data.classes)
    scores = [model.decision_function(data.X_test_unseen, data.classes) for model in (fitted, again)]
    np.testing.assert_array_equal(*scores)


def test_fit_forgets_earlier_data(
    estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    model = clone(estimator).fit(data.X_train[:, :5], data.y_train)
    model.fit(data.X_train, data.y_train, classes=data.classes)
    np.testing.assert_array_equal(
        model.predict(data.X_test_unseen, data.unseen_classes), fitted.predict(data.X_test_unseen, data.unseen_classes)
    )


@pytest.mark.parametrize("rescale", [lambda X: X * 1e3 + 5, lambda X: X * 1e-3], ids=["x 1000 + 5", "/ 1000"])
def test_features_may_have_any_scale(
    rescale: Callable[[Any], Any], estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    model = clone(estimator).fit(rescale(data.X_train), data.y_train, classes=data.classes)
    expected = accuracy(fitted, data.X_test_unseen, data)
    assert accuracy(model, rescale(data.X_test_unseen), data) == pytest.approx(expected, abs=0.03)


def test_descriptions_may_have_any_scale(
    estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    table = ClassTable(data.classes.vectors * 50 + 3, data.classes.labels)
    model = clone(estimator).fit(data.X_train, data.y_train, classes=table)
    expected = accuracy(fitted, data.X_test_unseen, data)
    assert accuracy(model, data.X_test_unseen, data) == pytest.approx(expected, abs=0.03)


def test_unscaled_data_are_taken_as_they_are(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    model = with_scaling(estimator, None).fit(data.X_train, data.y_train, classes=data.classes)
    assert model.score(data.X_test_seen, data.y_test_seen) > 5 / len(data.seen_classes)


def test_single_precision_and_memory_maps(
    estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset, tmp_path: Path
) -> None:
    np.save(tmp_path / "X.npy", data.X_train.astype(np.float32))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = clone(estimator).fit(X, data.y_train, classes=data.classes)
    single = data.X_test_unseen.astype(np.float32)
    expected = accuracy(fitted, data.X_test_unseen, data)
    assert accuracy(model, single, data) == pytest.approx(expected, abs=0.03)
    assert model.decision_function(single, data.unseen_classes).dtype == np.float32


# Candidates


@pytest.mark.parametrize("n_candidates", [1, 2, 26])
def test_any_number_of_candidates(n_candidates: int, fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    candidates = data.classes.labels[-n_candidates:]
    predicted = fitted.predict(data.X_test_unseen, classes=candidates)
    scores = fitted.decision_function(data.X_test_unseen, classes=candidates)
    probabilities = fitted.predict_proba(data.X_test_unseen, classes=candidates)
    assert scores.shape == probabilities.shape == (len(data.X_test_unseen), n_candidates)
    assert set(predicted) <= set(candidates)
    np.testing.assert_array_equal(candidates[scores.argmax(axis=1)], predicted)
    np.testing.assert_array_equal(candidates[probabilities.argmax(axis=1)], predicted)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


def test_the_seen_classes_are_the_default_candidates(fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    scores = fitted.decision_function(data.X_test_seen)
    np.testing.assert_array_equal(fitted.classes_, data.seen_classes)
    np.testing.assert_array_equal(scores, fitted.decision_function(data.X_test_seen, classes=data.seen_classes))
    np.testing.assert_array_equal(fitted.predict(data.X_test_seen), fitted.classes_[scores.argmax(axis=1)])


def test_the_order_of_candidates_does_not_matter(fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    order = np.random.default_rng(0).permutation(len(data.unseen_classes))
    one, two = data.unseen_classes, data.unseen_classes[order]
    X = data.X_test_unseen
    np.testing.assert_array_equal(fitted.predict(X, classes=one), fitted.predict(X, classes=two))
    np.testing.assert_allclose(
        fitted.decision_function(X, classes=one)[:, order], fitted.decision_function(X, classes=two), rtol=1e-9
    )


def test_the_same_labels_may_be_described_anew(fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    X, table = data.X_test_unseen, data.unseen_table
    turned = ClassTable(table.vectors[::-1], table.labels)
    before = fitted.decision_function(X, classes=table)
    np.testing.assert_allclose(fitted.decision_function(X, classes=turned), before[:, ::-1], rtol=1e-9)
    np.testing.assert_array_equal(fitted.decision_function(X, classes=table), before)


def test_two_seen_classes_have_one_score(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    two = np.isin(data.y_train, data.seen_classes[:2])
    model = clone(estimator).fit(data.X_train[two], data.y_train[two], classes=data.classes)
    score = model.decision_function(data.X_test_seen)
    assert score.shape == (len(data.X_test_seen),)
    assert model.decision_function(data.X_test_seen, classes=data.seen_classes[:2]).shape == (len(score), 2)
    np.testing.assert_array_equal(model.predict(data.X_test_seen), model.classes_[(score > 0).astype(int)])
    assert model.predict_proba(data.X_test_seen).shape == (len(score), 2)


def frame(table: ClassTable) -> dict[str, Any]:
    columns = {f"attribute {at}": column for at, column in enumerate(table.vectors.T)}
    return {"label": table.labels, **columns}


@pytest.mark.parametrize(
    "form",
    [
        lambda table: table,
        lambda table: dict(zip(table.labels, table.vectors, strict=True)),
        lambda table: pytest.importorskip("pandas").DataFrame(frame(table)),
        lambda table: pytest.importorskip("polars").DataFrame(frame(table)),
    ],
    ids=["ClassTable", "mapping", "pandas", "polars"],
)
def test_descriptions_in_any_form(
    form: Callable[[ClassTable], Any], estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    X, candidates = data.X_test_unseen, form(data.unseen_table)
    expected = fitted.predict(X, classes=data.unseen_classes)
    np.testing.assert_array_equal(fitted.predict(X, classes=candidates), expected)
    model = clone(estimator).fit(data.X_train, data.y_train, classes=form(data.classes))
    np.testing.assert_array_equal(model.predict(X, classes=candidates), expected)
    np.testing.assert_array_equal(model.predict(X, classes=list(data.unseen_classes)), expected)


def test_integer_labels(estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    # From 100 up, so that a label taken for a position would be noticed.
    number_of = {label: 100 + at for at, label in enumerate(data.classes)}
    table = ClassTable(data.classes.vectors, list(number_of.values()))
    model = clone(estimator).fit(data.X_train, [number_of[label] for label in data.y_train], classes=table)
    candidates = [number_of[label] for label in data.unseen_classes]
    predicted = model.predict(data.X_test_unseen, classes=candidates)
    expected = fitted.predict(data.X_test_unseen, classes=data.unseen_classes)
    assert predicted.dtype.kind == "i"
    np.testing.assert_array_equal(predicted, [number_of[label] for label in expected])


def test_classes_never_described_to_fit_can_be_candidates(
    estimator: ZeroShotClassifier, fitted: ZeroShotClassifier, data: ZeroShotDataset
) -> None:
    model = clone(estimator).fit(data.X_train, data.y_train, classes=data.seen_table)
    np.testing.assert_array_equal(
        model.predict(data.X_test_unseen, classes=data.unseen_table),
        fitted.predict(data.X_test_unseen, classes=data.unseen_table),
    )
