"""Every model among scikit-learn's own tools."""

import pickle

import numpy as np
import pytest
import sklearn
from model_parameters import with_scaling
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from unseen.data import ZeroShotDataset
from unseen.models import ESZSL, RKT, SAE, Blend, GaussianJFA, Mahajan, Yu, ZeroShotClassifier


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")  # the checks feed odd data on purpose
def test_passes_all_checks_of_scikit_learn(estimator: ZeroShotClassifier) -> None:
    pytest.importorskip("pandas")  # one of the checks is skipped without it
    results = check_estimator(estimator, on_skip=None)
    # The one check that may be skipped is of SciPy's experimental array API mode; tests/models/test_backends.py
    # tests other arrays without it.
    assert {r["check_name"] for r in results if r["status"] != "passed"} <= {"check_array_api_input"}


def test_parameters_survive_a_copy(estimator: ZeroShotClassifier, fitted: ZeroShotClassifier) -> None:
    assert repr(clone(fitted).get_params()) == repr(estimator.get_params())
    assert not hasattr(clone(fitted), "table_")
    changed = with_scaling(estimator, None).get_params()
    scalings = [value for name, value in changed.items() if name.split("__")[-1] == "scaling"]
    assert set(scalings) == {None}


def test_a_fitted_model_survives_pickling(fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    copy = pickle.loads(pickle.dumps(fitted))
    one, two = (model.decision_function(data.X_test_unseen, data.unseen_classes) for model in (fitted, copy))
    np.testing.assert_array_equal(one, two)


def test_class_tables_flow_through_a_pipeline(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    X, candidates = data.X_test_unseen, data.unseen_table
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), PCA(14, random_state=0), clone(estimator))
        pipeline.fit(data.X_train, data.y_train, classes=data.classes)
        predicted = pipeline.predict(X, classes=candidates)
        scores = pipeline.decision_function(X, classes=candidates)
        probabilities = pipeline.predict_proba(X, classes=candidates)
    assert np.mean(predicted == data.y_test_unseen) > 5 / len(data.unseen_classes)
    np.testing.assert_array_equal(candidates.labels[scores.argmax(axis=1)], predicted)
    np.testing.assert_array_equal(candidates.labels[probabilities.argmax(axis=1)], predicted)


def test_class_tables_flow_through_cross_validation(estimator: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), clone(estimator))
        scores = cross_val_score(pipeline, data.X_train, data.y_train, cv=2, params={"classes": data.classes})
    assert scores.mean() > 0.5


def test_iterations_are_counted(fitted: ZeroShotClassifier) -> None:
    # closed forms, and a model of models
    if isinstance(fitted, ESZSL | GaussianJFA | Mahajan | RKT | SAE | Yu | Blend):
        assert not hasattr(fitted, "n_iter_")
    else:
        assert type(fitted.n_iter_) is int
        assert fitted.n_iter_ >= 1
    assert not hasattr(clone(fitted), "n_iter_")


def test_unseen_classes_are_scored_among_themselves(fitted: ZeroShotClassifier, data: ZeroShotDataset) -> None:
    predicted = fitted.predict(data.X_test_unseen, classes=data.unseen_classes)
    assert fitted.score(data.X_test_unseen, data.y_test_unseen) == np.mean(predicted == data.y_test_unseen) > 0
