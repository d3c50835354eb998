"""Weights of rows and of classes: a row of weight 2 is the row twice, for every model that weighs rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from model_parameters import with_scaling
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import unseen
from unseen.data import ClassTable, ZeroShotDataset
from unseen.features import UnitNorm
from unseen.learning import Smooth
from unseen.models import (
    ALE,
    CMT,
    DAP,
    ESZSL,
    EXEM,
    JFA,
    RKT,
    SAE,
    SJE,
    BilinearSVM,
    Blend,
    Calibrated,
    ConSE,
    DirectJFA,
    GaussianJFA,
    Mahajan,
    Prepared,
    Qiao,
    StructuralSVM,
    SynC,
    Yu,
    ZeroShotClassifier,
)
from unseen.models.weights import WeighsRows
from unseen.selection import ClassDisjointSearch
from unseen.transduction import PST, SMS, SPZSR, TMVHLP, UDA, GaussianEM
from unseen.utils.arrays import to_numpy
from unseen.utils.errors import InputError

TIGHT = Smooth(max_iter=1000, tol=1e-10)

# Every test that asks for `weighing` runs once for each of these.
WEIGHING: list[WeighsRows] = [
    BilinearSVM(solver=TIGHT),
    Blend([ESZSL(), ConSE()], random_state=0),
    CMT(hidden=30, max_iter=50, random_state=0),
    ConSE(),
    DirectJFA(omega=(1.0, 1.0, 0.0, 0.0), solver=TIGHT),
    ESZSL(),
    EXEM(tol=1e-8),
    GaussianJFA(width=1.0, ridge=0.1, within_shrinkage=1.0, between_shrinkage=0.5, kernel="rbf"),
    JFA(solver=TIGHT),
    Mahajan(),
    Qiao(random_state=0),
    RKT(n_virtual=10, random_state=0),
    SAE(),
    StructuralSVM(solver=TIGHT),
    SynC(lam=0.1, fast=True, max_iter=1000, tol=1e-10),
    Yu(),
]


@pytest.fixture(params=WEIGHING, ids=lambda model: type(model).__name__)
def weighing(request: pytest.FixtureRequest) -> WeighsRows:
    return clone(request.param)


@pytest.fixture(scope="module")
def times(data: ZeroShotDataset) -> Any:
    """How often each training row counts: 0 to 3 times, and each class at least once."""
    times = np.random.default_rng(0).integers(0, 4, size=len(data.y_train))
    times[np.unique(data.y_train, return_index=True)[1]] = 1
    return times


def assert_same(weighted: Any, repeated: Any, data: ZeroShotDataset, rtol: float = 1e-4) -> None:
    one, two = (model.decision_function(data.X_test_unseen, classes=data.classes) for model in (weighted, repeated))
    np.testing.assert_allclose(one, two, rtol=0, atol=rtol * np.abs(two).max())


def repeat(model: Any, data: ZeroShotDataset, times: Any) -> Any:
    return model.fit(np.repeat(data.X_train, times, axis=0), np.repeat(data.y_train, times), classes=data.classes)


def test_every_model_weighs_rows_or_says_that_it_does_not(
    estimators: list[ZeroShotClassifier], data: ZeroShotDataset
) -> None:
    weighing = {type(model) for model in WEIGHING}
    for model in estimators:
        if type(model) not in weighing:
            with pytest.raises(InputError, match=r"sample_weight cannot be given to .*: repeat rows instead"):
                clone(model).fit(data.X_train, data.y_train, sample_weight=np.ones(len(data.y_train)))


@pytest.mark.parametrize("scaling", ["auto", None])
def test_whole_weights_are_repeated_rows(scaling: Any, weighing: WeighsRows, data: ZeroShotDataset, times: Any) -> None:
    given = {"X": data.X_train, "y": data.y_train, "classes": data.classes}
    weighing = with_scaling(weighing, scaling)
    weighted = clone(weighing).fit(**given, sample_weight=times)
    assert_same(weighted, repeat(clone(weighing), data, times), data)
    plain = clone(weighing).fit(**given)
    with pytest.raises(AssertionError):
        assert_same(weighted, plain, data, rtol=1e-3)
    assert_same(clone(weighing).fit(**given, sample_weight=np.ones(len(times))), plain, data)


@pytest.mark.parametrize(
    "model",
    [
        JFA(loss="maximum"),
        JFA("learn"),
        JFA(solver="stochastic", random_state=0),
        JFA(class_weight="balanced", solver=TIGHT),
        BilinearSVM(loss="ranking"),
    ],
    ids=["cutting planes", "omega learned", "stochastic", "balanced", "ranking"],
)
def test_other_ways_to_learn(model: Any, data: ZeroShotDataset, times: Any) -> None:
    weighted = clone(model).fit(data.X_train, data.y_train, classes=data.classes, sample_weight=times)
    repeated = repeat(clone(model), data, times)
    # Solvers that stop early, or draw rows at random, get near the same minimum only.
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=0.03)


def test_omega_is_chosen_by_weight(data: ZeroShotDataset, times: Any) -> None:
    few = np.isin(data.y_train, data.seen_classes[:5])
    X, y, times = data.X_train[few][:, :4], data.y_train[few], times[few]
    model = JFA("auto", random_state=0)
    weighted = clone(model).fit(X, y, classes=data.classes, sample_weight=times)
    repeated = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times), classes=data.classes)
    scores = [fitted.selection_.results["mean_test_score"] for fitted in (weighted, repeated)]
    np.testing.assert_allclose(*scores, atol=0.02)
    assert weighted.omega_ == repeated.omega_


def test_without_a_table(weighing: WeighsRows, data: ZeroShotDataset, times: Any) -> None:
    weighted = clone(weighing).fit(data.X_train, data.y_train, sample_weight=times)
    repeated = clone(weighing).fit(np.repeat(data.X_train, times, axis=0), np.repeat(data.y_train, times))
    np.testing.assert_array_equal(weighted.predict(data.X_test_seen), repeated.predict(data.X_test_seen))


def test_other_libraries_weigh_alike(xp: Any, weighing: WeighsRows, data: ZeroShotDataset, times: Any) -> None:
    given = {"y": data.y_train, "classes": data.classes}
    expected = clone(weighing).fit(data.X_train, sample_weight=times, **given)
    model = clone(weighing).fit(xp.asarray(data.X_train), sample_weight=xp.asarray(times), **given)
    found = to_numpy(model.decision_function(xp.asarray(data.X_test_unseen), classes=data.unseen_table))
    wanted = expected.decision_function(data.X_test_unseen, classes=data.unseen_table)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("model", [JFA(solver=TIGHT), JFA(loss="maximum"), ESZSL()], ids=["JFA", "CCCP", "ESZSL"])
def test_dask_arrays_weigh_alike(model: Any, data: ZeroShotDataset, times: Any) -> None:
    da = pytest.importorskip("dask.array")
    given = {"y": data.y_train, "classes": data.classes, "sample_weight": times}
    expected = clone(model).fit(data.X_train, **given)
    assert_same(clone(model).fit(da.from_array(data.X_train, chunks=(33, 7)), **given), expected, data, rtol=1e-3)


def test_rows_that_are_scaled_when_they_are_read(
    data: ZeroShotDataset, times: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"X": data.X_train, "y": data.y_train, "classes": data.classes, "sample_weight": times}
    expected = JFA(solver=TIGHT).fit(**given)
    monkeypatch.setattr("unseen.models.base.SCALED_COPY_BYTES", 0)
    monkeypatch.setattr("unseen.utils.arrays.BLOCK_BYTES", 8 * 16 * 11)
    assert_same(JFA(solver=TIGHT).fit(**given), expected, data)


# What it chooses by itself it chooses on rows that are drawn, which are others if some are given twice.
FIXED_GAUSSIAN = GaussianJFA("rbf", width=1.0, ridge=0.1, within_shrinkage=1.0, between_shrinkage=0.5)

WRAPPED = {
    "prepared": Prepared(ESZSL(), features=make_pipeline(StandardScaler(), UnitNorm())),
    # Which rows are held out for the penalty is drawn among the rows as they are given.
    "calibrated": Calibrated(ESZSL(), penalise_seen=False, random_state=0),
    "search": ClassDisjointSearch(Prepared(ESZSL()), {"model__lam": [0.01, 1.0, 100.0]}, random_state=0),
    "GaussianEM": GaussianEM(ESZSL(), gaussian=FIXED_GAUSSIAN),
    "PST": PST(ESZSL()),
    "SMS": SMS(ESZSL()),
    "SPZSR": SPZSR(ESZSL(), n_runs=2, random_state=0),
    "TMVHLP": TMVHLP(ESZSL()),
    "UDA": UDA(ESZSL()),
}


@pytest.mark.parametrize("model", WRAPPED.values(), ids=WRAPPED.keys())
def test_weights_reach_the_model_inside(model: Any, data: ZeroShotDataset, times: Any) -> None:
    given = {"X": data.X_train, "y": data.y_train, "classes": data.classes}
    weighted = clone(model).fit(**given, sample_weight=pytest.importorskip("pandas").Series(times))
    repeated = repeat(clone(model), data, times)
    assert_same(weighted, repeated, data)
    if isinstance(model, Calibrated):
        assert weighted.temperature_ == pytest.approx(repeated.temperature_)
        np.testing.assert_allclose(weighted.curve_.coverage, repeated.curve_.coverage)
        np.testing.assert_allclose(weighted.curve_.accuracy, repeated.curve_.accuracy)
        assert weighted.temperature_ != pytest.approx(clone(model).fit(**given).temperature_)
    if isinstance(model, ClassDisjointSearch):
        for name in ("mean_test_score", "std_test_score"):
            np.testing.assert_allclose(weighted.cv_results_[name], repeated.cv_results_[name])


def test_weights_reach_the_last_step_of_a_pipeline(data: ZeroShotDataset, times: Any) -> None:
    pipeline = make_pipeline(UnitNorm(), ESZSL())
    search = ClassDisjointSearch(pipeline, {"eszsl__lam": [0.01, 1.0, 100.0]}, random_state=0)
    weighted = clone(search).fit(data.X_train, data.y_train, classes=data.classes, sample_weight=times)
    repeated = repeat(clone(search), data, times)
    np.testing.assert_allclose(weighted.best_estimator_[-1].V_, repeated.best_estimator_[-1].V_)
    np.testing.assert_allclose(weighted.cv_results_["mean_test_score"], repeated.cv_results_["mean_test_score"])


def test_a_search_of_refinements_weighs_rows(data: ZeroShotDataset, times: Any) -> None:
    model = ClassDisjointSearch(UDA(ESZSL()), {"lam_sparse": [0.1, 1.0], "model__lam": [1.0]}, random_state=0)
    weighted = clone(model).fit(data.X_train, data.y_train, classes=data.classes, sample_weight=times)
    repeated = repeat(clone(model), data, times)
    assert weighted.best_params_ == repeated.best_params_
    assert_same(weighted, repeated, data)


@pytest.mark.parametrize("inside", [SJE(), ALE(), DAP()], ids=["SJE", "ALE", "DAP"])
def test_a_model_that_counts_rows_once_says_so_inside_a_wrapper(inside: Any, data: ZeroShotDataset) -> None:
    weights = np.ones(len(data.y_train))
    for model in (Prepared(inside), PST(inside), ClassDisjointSearch(inside, {"scaling": [None]})):
        with pytest.raises(InputError, match=f"sample_weight cannot be given to {type(inside).__name__}"):
            model.fit(data.X_train, data.y_train, classes=data.classes, sample_weight=weights)
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        inside.fit(data.X_train, data.y_train, weights=weights)


def test_weights_are_routed_through_a_pipeline(data: ZeroShotDataset, times: Any) -> None:
    given = {"X": data.X_train, "y": data.y_train, "classes": data.classes}
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=True)
        model = ESZSL().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(scaler, model).fit(**given, sample_weight=times)
        prepared = Prepared(model, features=make_pipeline(scaler)).fit(**given, sample_weight=times)
        deaf = Prepared(model, features=make_pipeline(PCA(8))).fit(**given, sample_weight=times)
    by_hand = StandardScaler().fit(data.X_train, sample_weight=times)
    expected = ESZSL().fit(by_hand.transform(data.X_train), data.y_train, classes=data.classes, sample_weight=times)
    np.testing.assert_allclose(pipeline[-1].V_, expected.V_)
    np.testing.assert_allclose(prepared.model_.V_, expected.V_)
    np.testing.assert_allclose(deaf.features_[0].mean_, data.X_train.mean(axis=0))


def test_bad_weights_get_a_sentence(data: ZeroShotDataset) -> None:
    n = len(data.y_train)
    negative, missing = np.ones(n), np.ones(n)
    negative[3], missing[4] = -1.0, np.nan
    for weights, sentence in (
        (np.ones(n - 1), r"sample_weight has shape \(139,\) for 140 rows of X"),
        (np.ones((n, 2)), r"sample_weight has shape \(140, 2\)"),
        (negative, r"sample_weight holds -1\.0: every weight must be finite and at least 0"),
        (missing, "sample_weight holds nan"),
        (np.full(n, "much"), "sample_weight must hold real numbers, got dtype"),
        (np.zeros(n), "sample_weight is zero for all rows"),
        (data.y_train != "class 05", "sample_weight is zero for every row of the class 'class 05': leave its rows out"),
    ):
        for model in (JFA(), Calibrated(ESZSL()), ClassDisjointSearch(ESZSL(), {}), UDA(ESZSL())):
            with pytest.raises(InputError, match=sentence):
                model.fit(data.X_train, data.y_train, classes=data.classes, sample_weight=weights)


# Classes


def test_classes_are_balanced_or_weighed_as_told(data: ZeroShotDataset, times: Any) -> None:
    given = {"y": np.repeat(data.y_train, times), "classes": data.classes}
    labels, position, counts = np.unique(given["y"], return_inverse=True, return_counts=True)
    assert len(set(counts)) > 1
    weights = counts.mean() / counts
    X = np.repeat(data.X_train, times, axis=0)
    balanced = JFA(class_weight="balanced", solver=TIGHT).fit(X, **given)
    named = JFA(class_weight=dict(zip(labels, weights, strict=True)), solver=TIGHT).fit(X, **given)
    assert_same(named, balanced, data)
    by_row = JFA(solver=TIGHT, scaling=None)
    scaled = ClassTable(balanced._description_scaling.apply(data.classes.vectors), data.classes.labels)
    by_row.fit(balanced._feature_scaling.apply(X), given["y"], classes=scaled, sample_weight=weights[position])
    W = balanced.similarity_.W
    np.testing.assert_allclose(by_row.similarity_.W, W, atol=1e-6 * np.abs(W).max())


def test_a_class_that_counts_more_wins_more_often(data: ZeroShotDataset) -> None:
    heavy = JFA(class_weight={"class 03": 1e4, "never met": 7.0}).fit(data.X_train, data.y_train)
    plain = JFA().fit(data.X_train, data.y_train)
    rows = np.random.default_rng(0).normal(size=(500, 16)) * data.X_train.std()
    assert np.mean(heavy.predict(rows) == "class 03") > np.mean(plain.predict(rows) == "class 03") + 0.05


def test_class_weights_survive_a_file(data: ZeroShotDataset, tmp_path: Path) -> None:
    y = np.unique(data.y_train, return_inverse=True)[1]
    for weights in ({3: 2.0, 5: 0.5}, "balanced"):
        model = BilinearSVM(class_weight=weights).fit(data.X_train, y)
        unseen.save(model, tmp_path / "m.unseen", force=True)
        assert unseen.load(tmp_path / "m.unseen").class_weight == weights


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ("even", "class_weight='even' is not known: choose None, 'balanced' or a mapping"),
        (True, "class_weight=True is not known"),
        ({"class 03": 0}, r"class_weight\['class 03'\] must be a finite number above 0"),
    ],
)
def test_bad_class_weights_get_a_sentence(choice: Any, sentence: str, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match=sentence):
        JFA(class_weight=choice).fit(data.X_train, data.y_train, classes=data.classes)
