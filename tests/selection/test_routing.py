"""`score`, alone and inside scikit-learn's own search, of whatever takes a class table."""

import warnings
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from unseen.data import ZeroShotDataset, digit_pairs
from unseen.models import ESZSL, JFA, Calibrated, Prepared
from unseen.selection import ClassDisjointSearch, ClassKFold
from unseen.transduction import PST

ESTIMATORS = [
    ESZSL(),
    Prepared(ESZSL(), features=PCA(8, random_state=0)),
    Calibrated(ESZSL(), random_state=0),
    ClassDisjointSearch(ESZSL(), {"lam": [0.1, 1.0]}, random_state=0),
    ClassDisjointSearch(make_pipeline(PCA(8, random_state=0), ESZSL()), {"eszsl__lam": [0.1, 1.0]}, random_state=0),
    PST(ESZSL()),
]


@pytest.fixture(
    scope="module", params=ESTIMATORS, ids=["model", "prepared", "calibrated", "search", "pipeline", "refined"]
)
def fitted(request: pytest.FixtureRequest, data: ZeroShotDataset) -> Any:
    return clone(request.param).fit(data.X_train, data.y_train, classes=data.classes)


def right(model: Any, X: Any, y: Any, classes: Any) -> float:
    return float(np.mean(model.predict(X, classes=classes) == y))


def test_classes_seen_in_training_are_scored_among_themselves(fitted: Any, data: ZeroShotDataset) -> None:
    expected = right(fitted, data.X_test_seen, data.y_test_seen, data.seen_classes)
    assert fitted.score(data.X_test_seen, data.y_test_seen) == expected
    few = np.isin(data.y_test_seen, data.seen_classes[:2])
    expected = right(fitted, data.X_test_seen[few], data.y_test_seen[few], data.seen_classes)
    assert fitted.score(data.X_test_seen[few], data.y_test_seen[few]) == expected


def test_unseen_classes_are_scored_among_those_of_y(fitted: Any, data: ZeroShotDataset) -> None:
    score = fitted.score(data.X_test_unseen, data.y_test_unseen)
    assert score == right(fitted, data.X_test_unseen, data.y_test_unseen, data.unseen_classes) > 0.5
    two = np.isin(data.y_test_unseen, data.unseen_classes[:2])
    X, y = data.X_test_unseen[two], data.y_test_unseen[two]
    assert fitted.score(X, y.tolist()) == right(fitted, X, y, data.unseen_classes[:2])


def test_seen_and_unseen_classes_are_scored_together(fitted: Any, data: ZeroShotDataset) -> None:
    X = np.concatenate([data.X_test_seen, data.X_test_unseen])
    y = np.concatenate([data.y_test_seen, data.y_test_unseen])
    assert fitted.score(X, y) == right(fitted, X, y, data.classes)


def test_candidates_are_those_that_are_named(fitted: Any, data: ZeroShotDataset) -> None:
    X, y = data.X_test_unseen, data.y_test_unseen
    for classes in (data.classes, data.unseen_classes, data.unseen_table):
        assert fitted.score(X, y, classes=classes) == right(fitted, X, y, classes)


def test_rows_have_weights(fitted: Any, data: ZeroShotDataset) -> None:
    pd = pytest.importorskip("pandas")
    X, y = data.X_test_unseen, data.y_test_unseen
    weights = np.random.default_rng(0).uniform(size=len(y))
    y = np.where(weights < 0.5, y[::-1], y)  # so that some answers are wrong
    expected = accuracy_score(y, fitted.predict(X, classes=data.unseen_classes), sample_weight=weights)
    assert fitted.score(X, y, sample_weight=pd.Series(weights)) == expected != fitted.score(X, y)


def test_a_warning_where_no_row_can_be_right(fitted: Any, data: ZeroShotDataset) -> None:
    X, y = data.X_test_unseen, data.y_test_unseen
    with pytest.warns(
        UserWarning, match=r"no label of y \('class 12', .*\) is among the candidates \('class 00', .*\)"
    ):
        assert fitted.score(X, y, classes=data.seen_classes) == 0.0
    with pytest.warns(UserWarning, match="no label of y .*: name the candidates with classes="):
        assert fitted.score(X, np.full(len(X), "okapi")) == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        some = fitted.score(X, np.where(y == y[0], "okapi", y))
    assert 0 < some < 1


def test_scoring_before_fit() -> None:
    for estimator in ESTIMATORS:
        with pytest.raises(NotFittedError):
            clone(estimator).score([[0.0], [1.0]], ["a", "b"])


@pytest.mark.parametrize("routing", [True, False])
def test_grid_search_of_scikit_learn_chooses_as_the_class_disjoint_search(routing: bool) -> None:
    data, splitter = digit_pairs(random_state=0), ClassKFold(3, random_state=0)
    given = {"X": data.X_train, "y": data.y_train, "classes": data.classes}
    own = ClassDisjointSearch(JFA(), {"lam": [100.0, 0.01, 1.0]}, splitter=splitter, scoring="per-image").fit(**given)
    with sklearn.config_context(enable_metadata_routing=routing):
        search = GridSearchCV(JFA(), {"lam": [100.0, 0.01, 1.0]}, cv=splitter).fit(**given)
        assert search.score(data.X_test_unseen, data.y_test_unseen) > 0.9
    assert search.best_params_ == own.best_params_ == {"lam": 1.0}
    for k in range(3):
        name = f"split{k}_test_score"
        np.testing.assert_array_equal(search.cv_results_[name], own.cv_results_[name])


def test_grid_search_of_a_pipeline(data: ZeroShotDataset) -> None:
    pipeline, splitter = make_pipeline(PCA(8, random_state=0), ESZSL()), ClassKFold(3, random_state=0)
    search = GridSearchCV(pipeline, {"eszsl__gamma": [1e4, 1.0]}, cv=splitter)
    search.fit(data.X_train, data.y_train, eszsl__classes=data.classes)
    assert search.cv_results_["mean_test_score"].min() > 0
    assert search.best_params_ == {"eszsl__gamma": 1.0}


def test_weights_and_candidates_are_routed_to_score_where_it_asks_for_them(data: ZeroShotDataset) -> None:
    X, y = data.X_test_unseen, data.y_test_unseen
    weights = np.arange(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = ESZSL().set_score_request(classes=True, sample_weight=True)
        pipeline = make_pipeline(PCA(8, random_state=0), model).fit(data.X_train, data.y_train, classes=data.classes)
        score = pipeline.score(X, y, classes=data.classes, sample_weight=weights)
        predicted = pipeline.predict(X, classes=data.classes)
    assert score == accuracy_score(y, predicted, sample_weight=weights)


def test_the_table_of_a_cross_validation_does_not_reach_score(data: ZeroShotDataset) -> None:
    splitter = ClassKFold(3, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_val_score(ESZSL(), data.X_train, data.y_train, cv=splitter, params={"classes": data.classes})
    for (train, test), score in zip(splitter.split(data.X_train, data.y_train), scores, strict=True):
        model = ESZSL().fit(data.X_train[train], data.y_train[train], classes=data.classes)
        held_out = np.unique(data.y_train[test])
        assert score == right(model, data.X_train[test], data.y_train[test], held_out)
