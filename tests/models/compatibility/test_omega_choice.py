import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen import load_dataset
from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.models import JFA
from unseen.models.compatibility.omega_choice import GRID, N_TRIED, START, choose, list_candidates
from unseen.utils.errors import InputError


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return make_zero_shot(n_seen=14, n_unseen=4, random_state=0)


@settings(max_examples=20, deadline=None)
@given(strength=st.floats(0.01, 200.0))
def test_candidates_are_of_the_papers_grid_and_leave_room_for_such_a_matrix(strength):
    omegas = list_candidates(strength)
    assert len(set(omegas)) == len(omegas) == N_TRIED
    for w1, w2, w3, w4 in omegas:
        assert {w1, w2, w3, w4} <= set(GRID)
        ab = (w1 + w3) * (w2 + w4)
        sigma = strength * ab / (w1 * w2)
        assert sigma**2 < ab


def test_most_candidates_have_the_eigenvalues_that_the_paper_recommends():
    def eigenvalues(omega, strength):
        w1, w2, w3, w4 = omega
        a, b = w1 + w3, w2 + w4
        sigma = strength * a * b / (w1 * w2)
        return np.linalg.eigvalsh([[a, -sigma], [-sigma, b]])

    spectra = [eigenvalues(omega, 3.0) for omega in list_candidates(3.0)]
    assert sum(0 < low <= 1 and 1e3 < high <= 1e4 for low, high in spectra) == 3 * N_TRIED // 4


def results(by_split, smallest, largest):
    """Make results of (splits, points)."""
    scores = np.array(by_split)
    return {f"split{k}_test_score": row for k, row in enumerate(scores)} | {
        "mean_test_score": scores.mean(axis=0),
        "mean_smallest": np.array(smallest),
        "mean_largest": np.array(largest),
    }


def test_recommended_eigenvalues_decide_between_equals():
    assert choose(results([[0.62, 0.57], [0.58, 0.60], [0.60, 0.61]], [10.0, 0.5], [1e3, 2e3])) == 1


def test_a_better_omega_wins_whatever_its_eigenvalues():
    assert choose(results([[0.62, 0.61], [0.58, 0.57], [0.70, 0.69]], [10.0, 0.5], [1e3, 2e3])) == 0


def test_an_indefinite_H_is_never_chosen_while_there_is_another():
    assert choose(results([[0.9, 0.4]] * 3, [-np.inf, 5.0], [2e3, 5e2])) == 1
    assert choose(results([[0.4, 0.9]] * 3, [-np.inf, -np.inf], [2e3, 5e2])) == 1


def test_auto_chooses_on_seen_classes_and_keeps_what_it_tried(data):
    model = JFA("auto", random_state=0).fit(data.X_train, data.y_train, classes=data.seen_table)
    assert model.omega_ == model.selection_.best_params["omega"]
    assert model.similarity_.omega == model.omega_
    assert model.similarity_.is_positive_definite
    assert len(model.selection_.results["params"]) == N_TRIED + 1
    by_hand = JFA(model.omega_).fit(data.X_train, data.y_train, classes=data.seen_table)
    np.testing.assert_array_equal(
        model.predict(data.X_test_unseen, classes=data.unseen_table),
        by_hand.predict(data.X_test_unseen, classes=data.unseen_table),
    )


def test_auto_stops_hopeless_omegas_and_always_finishes_the_default(data):
    quick, full = (
        JFA("auto", halving=halving, random_state=0).fit(data.X_train, data.y_train, classes=data.seen_table)
        for halving in (True, False)
    )
    tried = quick.selection_.results
    assert tried["params"][0] == {"omega": START}
    assert tried["round"][0] == 2
    assert len(quick.selection_.finished) == 3
    assert len(full.selection_.finished) == N_TRIED + 1
    for at in quick.selection_.finished:
        assert tried["mean_test_score"][at] == full.selection_.results["mean_test_score"][at]


def test_descriptions_of_unseen_classes_do_not_touch_the_choice(data):
    few = JFA("auto", random_state=0).fit(data.X_train, data.y_train, classes=data.seen_table)
    all_ = JFA("auto", random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    assert few.omega_ == all_.omega_
    np.testing.assert_array_equal(few.selection_.results["mean_test_score"], all_.selection_.results["mean_test_score"])


def test_the_free_way_still_prefers_a_definite_H(data):
    model = JFA("auto", weights="free", random_state=0).fit(data.X_train, data.y_train, classes=data.seen_table)
    assert model.similarity_.is_positive_definite


def test_bad_choices_get_a_sentence(data):
    with pytest.raises(
        InputError, match="omega='best' is not known: choose one of 'auto', 'learn', or give four numbers"
    ):
        JFA("best").fit(data.X_train, data.y_train, classes=data.classes)
    with pytest.raises(InputError, match="omega='auto' chooses on held-out classes"):
        JFA("auto").fit(data.X_train, data.y_train)
    few = load_dataset("digit-pairs")
    keep = np.isin(few.y_train, few.seen_classes[:3])
    with pytest.raises(InputError, match="leave at least 2 classes"):
        JFA("auto").fit(few.X_train[keep], few.y_train[keep], classes=few.classes)
