import os
import pickle
import signal
from typing import ClassVar

import joblib
import numpy as np
import pytest
import sklearn
from rich.progress import Progress
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import KFold, ParameterGrid, ShuffleSplit
from sklearn.pipeline import make_pipeline

from unseen.data import ClassTable
from unseen.features.descriptions.simplex_coder import SimplexCoder
from unseen.models import ESZSL, BilinearSVM
from unseen.models.wrappers.prepared import Prepared
from unseen.selection import ClassDisjointSearch, ClassKFold, HoldOutClasses, select
from unseen.utils.errors import InputError

GRID = {"gamma": [0.1, 10.0], "lam": [0.1, 1.0, 10.0]}


class Spy(BaseEstimator):
    """Notes everything it is given; predicts the first candidate."""

    seen: ClassVar[list] = []

    def __init__(self, effort=1):
        self.effort = effort

    def fit(self, X, y, classes):
        self.classes_ = np.unique(y)
        Spy.seen.append({"effort": self.effort, "y": set(y), "fit": classes, "rows": X})
        return self

    def predict(self, X, classes):
        Spy.seen[-1] |= {"predict": classes, "test": X}
        return np.repeat(classes.labels[:1], len(X))


class Faulty(Spy):
    """Raises `error` at effort 7."""

    def __init__(self, effort=1, error=None):
        self.effort = effort
        self.error = error

    def fit(self, X, y, classes):
        if self.effort == 7:
            raise self.error
        return super().fit(X, y, classes)


def test_nothing_of_a_held_out_class_reaches_the_fit(data):
    Spy.seen = []
    select(Spy(), {"effort": [1, 2]}, data.X_train, data.y_train, data.classes, splitter=ClassKFold(3, random_state=0))
    assert len(Spy.seen) == 6
    for note in Spy.seen:
        assert set(note["fit"]) == note["y"]
        assert not set(note["predict"]) & set(note["fit"])
        assert set(note["predict"]) | set(note["fit"]) == set(data.seen_classes)
        assert len(note["rows"]) + len(note["test"]) == len(data.X_train)
        assert note["fit"] == data.classes.select(note["fit"])


@pytest.mark.parametrize(("scoring", "score"), [("per-class", balanced_accuracy_score), ("per-image", accuracy_score)])
def test_scores_are_those_of_fits_by_hand(data, scoring, score):
    # Of some classes fewer rows, so that the two scorings differ.
    rows = np.r_[0:30, 30 : len(data.train) : 2]
    X, y = data.X_train[rows], data.y_train[rows]
    splitter = HoldOutClasses(4, n_splits=2, random_state=1)
    found = select(BilinearSVM(), {"lam": [1.0, 100.0]}, X, y, data.classes, splitter=splitter, scoring=scoring)
    for k, (train, test) in enumerate(splitter.split(X, y)):
        for at, lam in enumerate([1.0, 100.0]):
            model = BilinearSVM(lam).fit(X[train], y[train], classes=data.classes.select(np.unique(y[train])))
            predicted = model.predict(X[test], classes=data.classes.select(np.unique(y[test])))
            assert found.results[f"split{k}_test_score"][at] == score(y[test], predicted)


def test_results_are_a_table(data):
    pd = pytest.importorskip("pandas")
    found = select(ESZSL(), GRID, data.X_train, data.y_train, data.classes, splitter=ClassKFold(3, random_state=0))
    frame = pd.DataFrame(found.results)
    assert len(frame) == 6
    assert frame["param_lam"].tolist() == [0.1, 1.0, 10.0] * 2
    splits = frame[[f"split{k}_test_score" for k in range(3)]]
    np.testing.assert_allclose(frame["mean_test_score"], splits.mean(axis=1))
    np.testing.assert_allclose(frame["std_test_score"], splits.std(axis=1, ddof=0))
    assert frame["rank_test_score"][found.best_index] == 1
    assert found.best_score == frame["mean_test_score"].max()
    assert found.best_params == frame["params"][found.best_index]
    assert (frame["mean_time"] > 0).all()


def test_points_may_have_different_parameters(data):
    grid = [{"gamma": [1.0]}, {"lam": [2.0], "scaling": [None]}]
    found = select(ESZSL(), grid, data.X_train, data.y_train, data.classes, random_state=0)
    assert found.results["param_gamma"].tolist() == [1.0, None]
    assert found.results["param_lam"].tolist() == [None, 2.0]


@pytest.mark.parametrize(
    "estimator", [ESZSL(), Prepared(ESZSL(), features=PCA(4)), BilinearSVM()], ids=lambda e: type(e).__name__
)
def test_processes_change_nothing(data, estimator):
    name = "model__lam" if isinstance(estimator, Prepared) else "lam"
    one, two = (
        select(estimator, {name: [0.1, 1.0, 10.0]}, data.X_train, data.y_train, data.classes, n_jobs=n, random_state=3)
        for n in (1, 2)
    )
    for column in one.results:
        if column not in ("mean_time", "params"):
            np.testing.assert_array_equal(one.results[column], two.results[column])


def test_search_fits_the_best_on_all_classes(data):
    search = ClassDisjointSearch(ESZSL(), GRID, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    expected = ESZSL(**search.best_params_).fit(data.X_train, data.y_train, classes=data.classes)
    X, candidates = data.X_test_unseen, data.unseen_classes
    np.testing.assert_allclose(search.best_estimator_.V_, expected.V_)
    for method in ("predict", "decision_function", "predict_proba"):
        np.testing.assert_array_equal(
            getattr(search, method)(X, classes=candidates), getattr(expected, method)(X, classes=candidates)
        )
        np.testing.assert_array_equal(getattr(search, method)(X), getattr(expected, method)(X))
    assert search.classes_.tolist() == data.seen_classes.tolist()
    assert search.n_features_in_ == 10
    assert search.score(data.X_test_seen, data.y_test_seen) > 0.5
    copy = pickle.loads(pickle.dumps(search))
    np.testing.assert_array_equal(copy.predict(X, classes=candidates), search.predict(X, classes=candidates))


def test_search_is_a_good_nest(data):
    search = ClassDisjointSearch(Prepared(ESZSL()), {"model__lam": [1.0]})
    assert search.get_params()["estimator__model__gamma"] == 1.0
    assert clone(search).set_params(estimator__model__gamma=3.0).estimator.model.gamma == 3.0


def test_without_refit_there_are_only_results(data):
    search = ClassDisjointSearch(ESZSL(), GRID, refit=False).fit(data.X_train, data.y_train, classes=data.classes)
    assert search.best_params_
    assert not hasattr(search, "classes_")
    with pytest.raises(AttributeError, match="refit=False, so there is no model to ask"):
        search.predict(data.X_test_unseen)


def test_search_must_be_fitted(data):
    with pytest.raises(NotFittedError):
        ClassDisjointSearch(ESZSL(), GRID).predict(data.X_test_unseen)


def test_preparation_is_made_anew_for_each_split(data):
    class Noting(SimplexCoder):
        fitted: ClassVar[list] = []

        def fit(self, X, y=None):
            Noting.fitted.append(X)
            return super().fit(X, y)

    splitter = ClassKFold(3, random_state=0)
    model = Prepared(ESZSL(), descriptions=Noting())
    grid = {"descriptions__gamma": [0.1, 1.0], "model__lam": [0.1, 1.0, 10.0]}
    select(model, grid, data.X_train, data.y_train, data.classes, splitter=splitter)
    expected = [
        np.unique(data.y_train[train]) for train, _ in splitter.split(data.X_train, data.y_train) for _ in range(2)
    ]
    # Once for each split and gamma, not for each of the 18 fits, and of the training classes only.
    assert len(Noting.fitted) == 6
    for vectors, seen in zip(Noting.fitted, expected, strict=True):
        np.testing.assert_array_equal(vectors, data.classes.select(seen).vectors)


@pytest.mark.parametrize("routing", [True, False])
def test_works_through_pipelines(data, routing):
    with sklearn.config_context(enable_metadata_routing=routing):
        model = BilinearSVM()
        if routing:
            model = model.set_fit_request(classes=True).set_predict_request(classes=True)
        search = ClassDisjointSearch(make_pipeline(PCA(), model), {"pca__n_components": [2, 8]}, random_state=0)
        search.fit(data.X_train, data.y_train, classes=data.classes)
        accuracy = np.mean(search.predict(data.X_test_unseen, classes=data.unseen_classes) == data.y_test_unseen)
    assert search.best_params_ == {"pca__n_components": 8}
    assert accuracy > 0.5


def test_asks_for_the_class_table_inside_a_pipeline(data):
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(PCA(5), ClassDisjointSearch(ESZSL(), GRID, random_state=0))
        pipeline.fit(data.X_train, data.y_train, classes=data.classes)
        scores = pipeline.decision_function(data.X_test_unseen, classes=data.unseen_classes)
    assert scores.shape == (len(data.test_unseen), 4)


def test_records_and_chooses_as_told(data):
    found = select(
        ESZSL(),
        {"lam": [0.1, 1.0, 10.0]},
        data.X_train,
        data.y_train,
        data.classes,
        record=lambda model: {"norm": float(np.linalg.norm(model.V_))},
        choose=lambda results: int(np.argmin(results["mean_norm"])),
    )
    assert found.best_params == {"lam": 10.0}
    assert (np.diff(found.results["mean_norm"]) < 0).all()


def test_own_scoring(data):
    found = select(
        ESZSL(),
        GRID,
        data.X_train,
        data.y_train,
        data.classes,
        scoring=lambda true, predicted: -np.mean(true != predicted),
    )
    assert found.best_score <= 0


def test_other_forms_of_the_input(data):
    pd, torch = pytest.importorskip("pandas"), pytest.importorskip("torch")
    frame = pd.DataFrame(data.classes.vectors).assign(name=data.classes.labels)[["name", *range(8)]].rename(columns=str)
    mapping = dict(zip(data.classes.labels.tolist(), data.classes.vectors, strict=True))
    splits = list(HoldOutClasses(random_state=0).split(data.X_train, data.y_train))
    scores = [
        select(ESZSL(), GRID, X, y, classes, splitter=splits).results["mean_test_score"]
        for X in (data.X_train, data.X_train.tolist(), torch.asarray(data.X_train))
        for y in (data.y_train, data.y_train.tolist())
        for classes in (data.classes, frame, mapping)
    ]
    for score in scores[1:]:
        np.testing.assert_allclose(score, scores[0])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_names_the_parameters(data, n_jobs):
    faulty = Faulty(error=InputError("this is too much effort"))
    with pytest.raises(InputError, match=r"the search stopped at effort=7 \(split \d of 3\): this is too much effort"):
        select(faulty, {"effort": [1, 7]}, data.X_train, data.y_train, data.classes, n_jobs=n_jobs)


class Dying(Spy):
    """Kills the process that fits it."""

    def fit(self, X, y, classes):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_dies_is_a_sentence(data):
    with (
        joblib.parallel_config("loky", n_jobs=2),
        pytest.raises(InputError, match=r"a worker process of the search died, .*: run again with fewer n_jobs"),
    ):
        select(Dying(), {"effort": [1, 7]}, data.X_train, data.y_train, data.classes)


@pytest.mark.parametrize(("asked", "started"), [(100_000, 6), (2, 2), (-1, -1)])
def test_no_more_processes_than_fits_or_cores(data, asked, started, monkeypatch):
    told, parallel = [], joblib.Parallel
    monkeypatch.setattr("unseen.utils.workers.count_cores", lambda: 64)
    monkeypatch.setattr(joblib, "Parallel", lambda n_jobs, **options: told.append(n_jobs) or parallel(1, **options))
    select(Spy(), {"effort": [1, 2]}, data.X_train, data.y_train, data.classes, n_jobs=asked)
    assert told == [started]


def test_an_error_that_is_no_bad_input_stays_what_it_is(data):
    with pytest.raises(MemoryError) as caught:
        select(Faulty(error=MemoryError()), {"effort": [7]}, data.X_train, data.y_train, data.classes)
    assert caught.value.__notes__ == ["The search stopped at effort=7 (split 1 of 3)."]


def test_an_error_in_a_shared_fit_names_the_parameters(data):
    with pytest.raises(
        InputError, match=r"stopped at model__gamma=-1 .*: gamma must be a finite number above 0, got -1"
    ):
        select(Prepared(ESZSL()), {"model__gamma": [1.0, -1]}, data.X_train, data.y_train, data.classes)


@pytest.mark.filterwarnings("ignore:.*still being processed:UserWarning")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupted_search_leaves_the_last_result(data, n_jobs, monkeypatch):
    search = ClassDisjointSearch(ESZSL(), GRID, n_jobs=n_jobs, verbose=True)
    search.fit(data.X_train, data.y_train, classes=data.classes)
    best, results = search.best_estimator_, search.cv_results_

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "update", interrupted)
        with pytest.raises(KeyboardInterrupt):
            search.fit(data.X_train, data.y_train, classes=data.classes)
    assert search.best_estimator_ is best
    assert search.cv_results_ is results
    search.fit(data.X_train, data.y_train, classes=data.classes)
    assert search.cv_results_ is not results


def test_progress_is_for_terminals_only(data, capfd, monkeypatch):
    def run():
        select(ESZSL(), GRID, data.X_train, data.y_train, data.classes, verbose=True)
        return capfd.readouterr()

    assert run() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "class-disjoint search" in run().err


def test_whoever_asks_is_told_how_many_fits_are_done(data):
    told = []
    select(ESZSL(), GRID, data.X_train, data.y_train, data.classes, on_fits=lambda *now: told.append(now))
    fits = 3 * len(ParameterGrid(GRID))
    assert told[-1] == (fits, fits)
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"classes": None}, "classes is None, but held-out classes are known only by their descriptions"),
        ({"classes": ["class 00"]}, "classes is a list"),
        ({"classes": ClassTable.one_hot(["class 00"])}, "y has labels that the class table does not describe"),
        (
            {"scoring": "per-pixel"},
            r"scoring='per-pixel' is not known \(did you mean .per-image.\?\): choose one of .* or give a function",
        ),
        ({"scoring": lambda true, predicted: np.nan}, "scoring gave nan, which cannot be compared"),
        ({"splitter": ShuffleSplit(1, random_state=0)}, "splitter puts .* on both sides of split 1: hold out whole"),
        ({"splitter": KFold(12)}, "splitter leaves 11 training and 1 held-out classes in split 1"),
        ({"grid": {"gama": [1]}}, "Invalid parameter 'gama'"),
    ],
)
def test_bad_input_gets_a_sentence(data, changes, sentence):
    given = {"estimator": ESZSL(), "grid": GRID, "X": data.X_train, "y": data.y_train, "classes": data.classes}
    with pytest.raises(InputError, match=sentence):
        select(**(given | changes))
