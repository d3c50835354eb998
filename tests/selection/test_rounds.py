"""Searches by halving: which points go on, and that those that do are scored as in a full search."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.learning import InLeadingDirections, Smooth
from unseen.models import ESZSL, JFA, BilinearSVM, Prepared
from unseen.selection import ClassDisjointSearch, ClassKFold, select
from unseen.selection.rounds import FEWEST_HELD_OUT, FEWEST_POINTS, cut_short, find_incumbents, keep_best, plan_rounds
from unseen.utils.errors import InputError

GRID = {"lam": [0.01, 0.1, 1.0, 10.0, 100.0], "temperature": [0.1, 1.0, 10.0]}


@pytest.fixture(scope="module")
def many() -> ZeroShotDataset:
    """Enough classes for rounds of one split."""
    return make_zero_shot(
        n_seen=27, n_unseen=3, n_features=12, n_attributes=8, n_per_class=6, noise=0.6, random_state=0
    )


@pytest.fixture(scope="module")
def searched(many):
    """The search of the grid by halving and in full."""
    splitter = ClassKFold(3, random_state=0)
    return [
        select(BilinearSVM(), GRID, many.X_train, many.y_train, many.classes, splitter=splitter, halving=halving)
        for halving in (True, False)
    ]


@given(n_points=st.integers(1, 300), held_out=st.lists(st.integers(2, 60), min_size=1, max_size=6))
def test_rounds_become_smaller_and_end_with_all_splits(n_points, held_out):
    rounds = plan_rounds(n_points, held_out)
    sizes = [each.size for each in rounds]
    assert sizes[0] == n_points
    assert sizes == sorted(sizes, reverse=True)
    assert list(rounds[-1].splits) == list(range(len(held_out)))
    assert rounds[-1].steps is None
    assert len(rounds) == (1 if n_points < FEWEST_POINTS else 3)
    for each in rounds[:-1]:
        enough = sum(held_out[split] for split in each.splits) >= FEWEST_HELD_OUT
        assert enough or len(each.splits) == len(held_out)


@given(scores=st.dictionaries(st.integers(0, 50), st.floats(0, 1), min_size=3), data=st.data())
def test_the_best_and_the_incumbents_go_on(scores, data):
    size = data.draw(st.integers(1, len(scores)))
    always = data.draw(st.lists(st.sampled_from(sorted(scores)), max_size=size, unique=True))
    kept = keep_best(scores, size, always)
    assert len(kept) == size
    assert set(always) <= set(kept)
    others = [scores[at] for at in kept if at not in always]
    left_out = [scores[at] for at in scores if at not in kept]
    assert not others or not left_out or min(others) >= max(left_out)


def test_only_the_last_round_is_on_all_splits_and_is_that_of_the_full_search(searched):
    quick, full = (found.results for found in searched)
    assert "round" not in full
    assert np.bincount(quick["round"]).tolist() == [10, 2, 3]
    for split in range(3):
        name = f"split{split}_test_score"
        finished = quick["round"] == 2
        np.testing.assert_array_equal(quick[name][finished], full[name][finished])
    # Those that were left out early were tried on one split each.
    tried = np.isfinite([quick[f"split{split}_test_score"] for split in range(3)])
    assert tried.sum(axis=0).tolist() == [{0: 1, 1: 1, 2: 3}[last] for last in quick["round"]]
    assert tried[0, quick["round"] == 0].all()
    assert tried[1, quick["round"] == 1].all()


def test_ranks_put_those_of_later_rounds_first(searched):
    quick = searched[0]
    by_rank = quick.results["round"][np.argsort(quick.results["rank_test_score"], kind="stable")]
    assert by_rank.tolist() == sorted(by_rank, reverse=True)
    assert quick.results["rank_test_score"][quick.best_index] == 1
    assert quick.finished.tolist() == np.flatnonzero(quick.results["round"] == 2).tolist()


def test_what_the_estimator_has_is_tried_to_the_end(many):
    hopeless = BilinearSVM(100.0, temperature=10.0)
    assert find_incumbents(hopeless, [{"lam": 1.0}, {"lam": 100.0, "temperature": 10.0}]) == [1]
    splitter = ClassKFold(3, random_state=0)
    found = select(hopeless, GRID, many.X_train, many.y_train, many.classes, splitter=splitter)
    own = [point == {"lam": 100.0, "temperature": 10.0} for point in found.results["params"]]
    assert found.results["round"][own] == [2]
    assert found.best_params != {"lam": 100.0, "temperature": 10.0}


@pytest.mark.parametrize("prepared", [False, True])
def test_processes_change_nothing(many, prepared):
    model = Prepared(JFA(), features=PCA(6, random_state=0)) if prepared else JFA()
    grid = {f"model__{name}" if prepared else name: values for name, values in GRID.items()}
    one, two = (select(model, grid, many.X_train, many.y_train, many.classes, n_jobs=n, random_state=0) for n in (1, 2))
    assert one.best_index == two.best_index
    for column in one.results:
        if column not in ("mean_time", "params"):
            np.testing.assert_array_equal(one.results[column], two.results[column])


def test_the_chosen_point_is_chosen_among_those_of_the_last_round(many):
    given = []

    def take_last(results):
        given.append(results)
        return len(results["params"]) - 1

    found = select(
        BilinearSVM(), GRID, many.X_train, many.y_train, many.classes, choose=take_last, random_state=0,
        record=lambda model: {"lam": model.lam},
    )  # fmt: skip
    [last] = given
    assert len(last["params"]) == 3
    assert found.best_params == last["params"][-1]
    assert found.best_index == found.finished[-1]
    np.testing.assert_allclose(found.results["mean_lam"], [point["lam"] for point in found.results["params"]])


def test_progress_counts_the_fits_of_all_rounds(many):
    told = []
    select(
        BilinearSVM(), GRID, many.X_train, many.y_train, many.classes, splitter=ClassKFold(3, random_state=0),
        on_fits=lambda *numbers: told.append(numbers),
    )  # fmt: skip
    assert told[-1] == (15 + 5 + 9, 15 + 5 + 9)
    assert {total for _, total in told} == {29}


def test_others_are_searched_in_full(many):
    grid = {"gamma": [0.1, 1.0, 10.0], "lam": [0.1, 1.0, 10.0]}
    assert "round" not in select(ESZSL(), grid, many.X_train, many.y_train, many.classes).results
    of_model = {"model__lam": GRID["lam"], "model__solver": ["smooth", "stochastic"]}
    found = select(Prepared(JFA(random_state=0)), of_model, many.X_train, many.y_train, many.classes, random_state=0)
    assert "round" not in found.results
    assert len(found.finished) == 10


def test_what_can_be_cut_short():
    assert cut_short(JFA(), {"lam": 3.0}, 7)["solver"] == InLeadingDirections(Smooth(max_iter=7, tol=1e-3))
    own = cut_short(JFA(solver=Smooth(max_iter=3, tol=0.1)), {}, 7)["solver"].solver
    assert (own.max_iter, own.tol) == (3, 0.1)
    assert cut_short(Prepared(JFA()), {"model__lam": 3.0}, 7).keys() == {"model__lam", "model__solver"}
    for other in (JFA(loss="maximum"), JFA("auto"), JFA("learn"), ESZSL(), make_pipeline(PCA(3), JFA())):
        assert cut_short(other, {}, 7) is None


def test_trials_do_not_warn_that_they_were_cut_short(many):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        select(BilinearSVM(), GRID, many.X_train, many.y_train, many.classes, random_state=0)


def test_the_search_as_an_estimator_has_the_option(many):
    search = ClassDisjointSearch(BilinearSVM(), GRID, halving=False, random_state=0)
    assert "round" not in search.fit(many.X_train, many.y_train, classes=many.classes).cv_results_
    search.set_params(halving=True).fit(many.X_train, many.y_train, classes=many.classes)
    assert search.cv_results_["round"].max() == 2
    by_hand = BilinearSVM(**search.best_params_).fit(many.X_train, many.y_train, classes=many.classes)
    np.testing.assert_array_equal(search.best_estimator_.similarity_.W, by_hand.similarity_.W)
    with pytest.raises(InputError, match="halving must be True or False"):
        search.set_params(halving="yes").fit(many.X_train, many.y_train, classes=many.classes)


def test_tensors_choose_as_arrays_do(many):
    torch = pytest.importorskip("torch")
    ours, theirs = (
        select(JFA(), GRID, X, many.y_train, many.classes, random_state=0)
        for X in (many.X_train, torch.asarray(many.X_train))
    )
    assert ours.best_index == theirs.best_index
    np.testing.assert_array_equal(ours.results["round"], theirs.results["round"])
    np.testing.assert_allclose(ours.results["mean_test_score"], theirs.results["mean_test_score"])


def test_preparations_are_fitted_once_for_each_split_and_held_out_rows_prepared_once(many):
    calls = {"fit_transform": 0, "transform": 0}

    class Counting(PCA):
        def fit_transform(self, X, y=None):
            calls["fit_transform"] += 1
            return super().fit_transform(X, y)

        def transform(self, X):
            calls["transform"] += 1
            return super().transform(X)

    model = Prepared(BilinearSVM(), features=Counting(6, random_state=0))
    grid = {f"model__{name}": values for name, values in GRID.items()} | {"descriptions": [None, PCA(3)]}
    select(model, grid, many.X_train, many.y_train, many.classes, splitter=ClassKFold(3, random_state=0))
    assert calls == {"fit_transform": 3, "transform": 3}
