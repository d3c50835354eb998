"""EXEM against its equations: one regression after another, and distances to every exemplar."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist
from sklearn.model_selection import ParameterGrid
from sklearn.svm import NuSVR

from unseen.data import ClassTable, ZeroShotDataset
from unseen.models import EXEM, SynC
from unseen.models.exemplars import exem
from unseen.models.exemplars.exemplar_regression import ExemplarRegression
from unseen.utils.errors import InputError


def fit(data: ZeroShotDataset, **parameters: Any) -> EXEM:
    return EXEM(**parameters).fit(data.X_train, data.y_train, classes=data.classes)


def predict_exemplars(data: ZeroShotDataset, psi: Any, *, C: float, nu: float, gamma: float) -> Any:
    """Regress the mean rows of the seen classes one dimension at a time, and predict those of psi."""
    means = np.array([data.X_train[data.y_train == label].mean(axis=0) for label in data.seen_classes])
    seen, unit = data.seen_table.vectors, np.median(pdist(data.seen_table.vectors))
    columns = []
    for column in means.T:
        machine = NuSVR(kernel="precomputed", C=C, nu=nu)
        machine.fit(np.exp(-gamma * cdist(seen, seen) ** 2 / unit**2), column / column.std())
        columns.append(machine.predict(np.exp(-gamma * cdist(psi, seen) ** 2 / unit**2)) * column.std())
    return np.array(columns).T


PARAMETERS = {"C": 2.0, "nu": 0.4, "gamma": 0.7}


@pytest.mark.parametrize("decision", ["1nn", "1nns"])
def test_the_nearest_exemplar_wins(decision: str, data: ZeroShotDataset) -> None:
    model = fit(data, decision=decision, scaling=None, **PARAMETERS)
    exemplars = predict_exemplars(data, data.unseen_table.vectors, **PARAMETERS)
    deviations = np.mean([data.X_train[data.y_train == label].std(axis=0) for label in data.seen_classes], axis=0)
    unit = deviations if decision == "1nns" else 1.0
    distances = cdist(data.X_test_unseen / unit, exemplars / unit, "sqeuclidean")
    scores = model.decision_function(data.X_test_unseen, classes=data.unseen_classes)
    # Equal up to what all classes of a row share.
    expected = -distances / 2
    expected += (scores - expected).mean(axis=1, keepdims=True)
    np.testing.assert_allclose(scores, expected, atol=1e-2 * np.abs(expected).max())
    predicted = model.predict(data.X_test_unseen, classes=data.unseen_classes)
    assert (predicted == data.unseen_classes[distances.argmin(axis=1)]).mean() > 0.98


def test_sync_takes_exemplars_for_descriptions(data: ZeroShotDataset) -> None:
    model = fit(data, decision="sync", loss="ovo", lam=0.1, scaling=None, **PARAMETERS)
    exemplars = ClassTable(model.regression_.predict(data.classes.vectors), data.classes.labels)
    sync = SynC(0.1, loss="ovo", fast=True, scaling=None).fit(data.X_train, data.y_train, classes=exemplars)
    np.testing.assert_allclose(
        model.decision_function(data.X_test_unseen, classes=data.unseen_classes),
        sync.decision_function(data.X_test_unseen, classes=data.unseen_classes),
        atol=1e-9,
    )


def test_sync_recognises_and_explains(data: ZeroShotDataset) -> None:
    model = fit(data, decision="sync")
    X, y = data.X_test_unseen, data.y_test_unseen
    assert (model.predict(X, classes=data.unseen_classes) == y).mean() > 0.5
    parts = model.contributions(X, y)
    scores = model.decision_function(X, classes=data.unseen_classes)
    expected = scores[np.arange(len(y)), data.unseen_table.index_of(y)]
    np.testing.assert_allclose(parts.sum(axis=1), expected, atol=1e-8)


@pytest.mark.parametrize("decision", ["1nn", "sync"])
def test_an_attribute_brings_what_the_score_gains_by_it(decision: str, data: ZeroShotDataset) -> None:
    model = fit(data, decision=decision, scaling=None)
    X, start = data.X_test_unseen[:1], data.seen_table.vectors.mean(axis=0)
    # Of a class that differs from the average in one attribute, this alone explains the difference of the scores.
    moved = start + np.eye(len(start))[3]
    table = ClassTable([start, moved], ["average", "moved"])
    [[before, after]] = model.decision_function(X, classes=table)
    [parts] = model.contributions(X, ["moved"], classes=table)
    assert parts[3] - np.delete(parts, 3).mean() == pytest.approx(after - before, abs=1e-6)


def test_a_grid_agrees_with_single_fits(data: ZeroShotDataset) -> None:
    grid = [
        *ParameterGrid({"C": [1.0, 8.0], "decision": ["1nn", "1nns"], "gamma": [0.5], "nu": [0.5, 1.0]}),
        *ParameterGrid({"C": [2.0, 8.0], "decision": ["sync"], "kappa": [0.5, 2.0], "lam": [0.1]}),
    ]
    models = EXEM().fit_grid(data.X_train, data.y_train, data.classes, grid)
    for point, model in zip(grid, models, strict=True):
        single = fit(data, **point)
        assert model.get_params() == single.get_params()
        found, expected = (
            fitted.decision_function(data.X_test_unseen, data.unseen_classes) for fitted in (model, single)
        )
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_regression_is_fitted_once_for_all_of_sync(data: ZeroShotDataset, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = []

    class Counted(ExemplarRegression):
        @classmethod
        def fit(cls, *args: Any, **parameters: float) -> Any:
            fitted.append(parameters["C"])
            return ExemplarRegression.fit(*args, **parameters)

    monkeypatch.setattr(exem, "ExemplarRegression", Counted)
    grid = list(ParameterGrid({"C": [1.0, 2.0], "kappa": [0.5, 1.0, 2.0]}))
    list(EXEM(decision="sync").fit_grid(data.X_train, data.y_train, data.classes, grid))
    assert fitted == [1.0, 2.0]


def test_classes_of_one_row_each(data: ZeroShotDataset) -> None:
    first = np.unique(data.y_train, return_index=True)[1]
    model = EXEM(decision="1nns").fit(data.X_train[first], data.y_train[first], classes=data.classes)
    np.testing.assert_array_equal(model.deviations_, 1.0)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"C": 0.0}, "C must be a finite number above 0, got 0.0"),
        ({"nu": 1.5}, "nu=1.5 is not a share: give a number above 0 and at most 1"),
        ({"gamma": -1.0}, "gamma must be a finite number above 0, got -1.0"),
        ({"decision": "nearest"}, "decision='nearest' is not known: choose one of '1nn', '1nns', 'sync'"),
        ({"loss": "hinge"}, "loss='hinge' is not known: choose one of 'ovo', 'cs', 'struct'"),
    ],
)
def test_parameters_that_are_refused(parameters: dict[str, Any], sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        fit(data, **parameters)
