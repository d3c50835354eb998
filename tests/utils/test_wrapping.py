"""What every wrapper shares, on each of them; and looking through nests of them."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.evaluation.protocol import name_of
from unseen.models import ESZSL, Calibrated, Prepared
from unseen.models.wrappers.calibrated import calibration_of
from unseen.models.wrappers.preparation import Preparation
from unseen.selection import ClassDisjointSearch
from unseen.transduction import PST, SPZSR
from unseen.utils.wrapping import Wrapper, is_transductive, iterate_layers, list_refinements, unwrap

WRAPPERS: list[Wrapper] = [
    Prepared(ESZSL()),
    Calibrated(ESZSL(), random_state=0),
    ClassDisjointSearch(ESZSL(), {"lam": [1.0]}, random_state=0),
    PST(ESZSL()),
]


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return make_zero_shot(n_seen=8, n_unseen=4, n_features=6, n_attributes=5, n_per_class=8, random_state=0)


@pytest.fixture(params=WRAPPERS, ids=lambda wrapper: type(wrapper).__name__)
def wrapper(request: pytest.FixtureRequest) -> Wrapper:
    return clone(request.param)


def fitted(model: Any, data: ZeroShotDataset) -> Any:
    return model.fit(data.X_train, data.y_train, classes=data.classes)


class Noting(ClassifierMixin, BaseEstimator):
    """Answers with the names of the arguments it was given, as a pipeline without `classes` would see them."""

    def predict(self, X: Any, **given: Any) -> list[str]:
        return sorted(given)


class Plain(Wrapper):
    """A wrapper that changes nothing."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Any, y: Any, classes: Any = None) -> "Plain":
        self.model_ = clone(self.model).fit(X, y, classes=classes)
        return self


def test_every_kind_of_wrapper_is_tested() -> None:
    kinds = {kind for kind in Wrapper.__subclasses__() if kind.__module__.startswith("unseen.")}
    missing = {kind for kind in kinds if not any(isinstance(wrapper, kind) for wrapper in WRAPPERS)}
    assert not missing, f"add these wrappers to WRAPPERS: {missing}"


def test_inside_is_the_given_estimator_before_fit_and_the_fitted_one_after(
    wrapper: Wrapper, data: ZeroShotDataset
) -> None:
    given = wrapper.inner
    assert repr(given) == "ESZSL()"
    assert not hasattr(given, "V_")
    inside = fitted(wrapper, data).inner
    assert inside is not given
    assert hasattr(inside, "V_")
    assert not hasattr(given, "V_")


def test_what_is_known_of_the_model_is_known_of_the_wrapper(wrapper: Wrapper, data: ZeroShotDataset) -> None:
    for name in ("classes_", "table_", "n_features_in_"):
        assert not hasattr(wrapper, name), name
    fitted(wrapper, data)
    np.testing.assert_array_equal(wrapper.classes_, data.seen_classes)
    assert wrapper.table_ == data.classes
    assert wrapper.n_features_in_ == 6


def test_asking_before_fit_is_refused(wrapper: Wrapper, data: ZeroShotDataset) -> None:
    for method in ("predict", "predict_proba", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(wrapper, method)(data.X_test_unseen)


def test_answers_are_passed_on(data: ZeroShotDataset) -> None:
    model, bare = fitted(Plain(ESZSL()), data), fitted(ESZSL(), data)
    for method in ("predict", "predict_proba", "decision_function"):
        for classes in (None, data.unseen_table, list(data.unseen_classes)):
            answers = [getattr(each, method)(data.X_test_unseen, classes=classes) for each in (model, bare)]
            np.testing.assert_array_equal(*answers)


def test_candidates_are_passed_on_only_where_some_are_named() -> None:
    model = Plain(None)
    model.model_ = Noting()
    assert model.predict([]).tolist() == []
    assert model.predict([], classes=["okapi"]).tolist() == ["classes"]


@pytest.mark.parametrize(
    ("model", "kinds"),
    [
        (ESZSL(), ["ESZSL"]),
        (Calibrated(Prepared(ESZSL())), ["Calibrated", "Prepared", "ESZSL"]),
        (ClassDisjointSearch(PST(ESZSL()), {}), ["ClassDisjointSearch", "PST", "ESZSL"]),
        (PST(FrozenEstimator(Prepared(ESZSL()))), ["PST", "FrozenEstimator", "Prepared", "ESZSL"]),
        (Prepared(make_pipeline(PCA(), ESZSL())), ["Prepared", "Pipeline", "ESZSL"]),
        (GridSearchCV(Prepared(ESZSL()), {}), ["GridSearchCV", "Prepared", "ESZSL"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_layers_lead_to_the_core(model: Any, kinds: list[str]) -> None:
    assert [type(layer).__name__ for layer in iterate_layers(model)] == kinds
    assert isinstance(unwrap(model), ESZSL)
    assert name_of(model) == ("ESZSL + PST" if "PST" in kinds else "ESZSL")


def test_layers_of_a_fitted_model_are_fitted(data: ZeroShotDataset) -> None:
    search = ClassDisjointSearch(Prepared(ESZSL()), {"model__lam": [3.0]}, random_state=0)
    core = unwrap(fitted(search, data))
    assert core is search.best_estimator_.model_
    assert core.lam == 3.0


def test_refinements_are_found_at_any_depth() -> None:
    nest = Calibrated(SPZSR(PST(ESZSL())))
    assert [type(layer) for layer in list_refinements(nest)] == [SPZSR, PST]
    assert is_transductive(nest)
    assert is_transductive(make_pipeline(PCA(), PST(ESZSL())))
    assert not is_transductive(Calibrated(Prepared(ESZSL())))
    assert name_of(nest) == "ESZSL + PST + SPZSR"


def test_preparations_of_all_layers_follow_each_other(data: ZeroShotDataset) -> None:
    inside = Prepared(make_pipeline(PCA(3), ESZSL()), features=PCA(4), descriptions=PCA(3))
    model = fitted(Prepared(inside, features=PCA(5), descriptions=PCA(4)), data)
    preparation = Preparation.of(model)
    assert [step.n_components for step in preparation.features] == [5, 4, 3]
    assert [step.n_components for step in preparation.descriptions] == [4, 3]
    core = unwrap(model)
    rows, table = preparation.prepare_rows(data.X_test_unseen), preparation.prepare_table(data.unseen_table)
    np.testing.assert_array_equal(
        core.predict(rows, classes=table), model.predict(data.X_test_unseen, classes=data.unseen_table)
    )


def test_the_outer_calibration_counts_but_not_one_below_a_refinement() -> None:
    inner = Calibrated(ESZSL())
    outer = Calibrated(Prepared(inner))
    assert calibration_of(outer) is outer
    assert calibration_of(Prepared(inner)) is inner
    assert calibration_of(PST(inner)) is None
    assert calibration_of(ESZSL()) is None
