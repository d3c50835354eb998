"""Tests of trials on held-out seen classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from unseen.data import TrainingRows, ZeroShotDataset
from unseen.features import UnitNorm
from unseen.models import ESZSL, Prepared
from unseen.selection.folds import take_rows
from unseen.utils.errors import InputError
from unseen.utils.progress import Progress
from unseen.workflows.choice.trials import N_FOLDS, Recipe, Trials, draw_evenly
from unseen.workflows.inputs.data import load_to_learn


@pytest.fixture(scope="module")
def rows(data: ZeroShotDataset) -> TrainingRows:
    return load_to_learn(data)


class Spy(TransformerMixin, BaseEstimator):
    """Notes how many rows it is fitted on."""

    fitted_on: list[int]

    def fit(self, X: np.ndarray, y: object = None) -> "Spy":
        Spy.fitted_on.append(len(X))
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        return 2 * X


def test_answers_are_those_of_a_model_that_never_saw_the_held_out_classes(rows: TrainingRows) -> None:
    trials = Trials(rows, 1000, 2)
    features = make_pipeline(UnitNorm(), PCA(4, random_state=0))
    (runs,) = trials.rehearse([Recipe(features, None, ESZSL())], "")
    assert len(runs) == len(trials.folds) == 2 * N_FOLDS
    for fold, run in zip(trials.folds, runs, strict=True):
        assert not set(trials.y[fold.train]) & set(trials.y[fold.test])
        model = Prepared(ESZSL(), features=features)
        model.fit(take_rows(trials.X, fold.train), trials.y[fold.train], classes=fold.seen)
        expected = model.decision_function(take_rows(trials.X, fold.test), classes=fold.held_out)
        np.testing.assert_allclose(run.scores, expected, rtol=1e-6)


def test_nothing_is_done_twice(rows: TrainingRows) -> None:
    Spy.fitted_on = []
    told: list[Progress] = []
    trials = Trials(rows, 1000, 1, on_progress=told.append)
    recipes = [Recipe(features, None, ESZSL()) for features in (Spy(), make_pipeline(Spy(), UnitNorm()))]
    first = trials.rehearse(recipes, "looking")
    again = trials.rehearse(recipes, "looking again")
    assert first == again
    assert len(Spy.fitted_on) == N_FOLDS
    assert max(Spy.fitted_on) < len(rows.X)
    assert told[0] == Progress("looking", 0, 6)
    assert Progress("looking", 6, 6) in told


def test_threads_make_no_difference(rows: TrainingRows) -> None:
    recipes = [Recipe(UnitNorm(), None, ESZSL(gamma)) for gamma in (0.1, 10.0)]
    one, two = (Trials(rows, 1000, 1, jobs=jobs).rehearse(recipes, "") for jobs in (1, 2))
    for left, right in zip(one, two, strict=True):
        for a, b in zip(left, right, strict=True):
            np.testing.assert_allclose(a.scores, b.scores)


def test_drawn_rows_stand_for_the_others(rows: TrainingRows) -> None:
    trials = Trials(rows, 30, 1)
    assert trials.weights is not None
    assert len(trials.X) == 30
    assert trials.weights.sum() == pytest.approx(len(rows.X))
    assert Trials(rows, len(rows.X), 1).weights is None


def test_too_many_components_are_explained(rows: TrainingRows) -> None:
    with pytest.raises(InputError, match=r"features=PCA\(n_components=99\) cannot be fitted to the \d+ rows"):
        Trials(rows, 1000, 1).rehearse([Recipe(PCA(99), None, ESZSL())], "")


@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.integers(2, 100))
def test_rows_are_drawn_evenly(counts: list[int], most: int) -> None:
    encoded = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    drawn = draw_evenly(encoded, most, np.random.default_rng(1))
    found = np.bincount(encoded[drawn], minlength=len(counts))
    share = found.max()
    assert len(set(drawn.tolist())) == len(drawn)
    np.testing.assert_array_equal(found, np.minimum(counts, share))
    assert len(drawn) <= most or share <= 2
