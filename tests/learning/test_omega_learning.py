from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.data import ZeroShotDataset, make_zero_shot
from unseen.features import Rows
from unseen.learning import LatentSVM, Smooth, SoftMaximum
from unseen.learning.omega_learning import LARGEST, SMALLEST, START, _Joint, learn_with_omega
from unseen.models import JFA, DirectJFA
from unseen.similarity import AdaptiveSimilarity, Omega
from unseen.utils.errors import InputError


def problem(seed: int = 0, d_t: int = 6, d_s: int = 4) -> LatentSVM:
    rng = np.random.default_rng(seed)
    y = rng.integers(5, size=40)
    psi = rng.normal(size=(5, d_s))
    phi = psi[y] @ rng.normal(size=(d_s, d_t)) + rng.normal(size=(40, d_t))
    return LatentSVM(AdaptiveSimilarity(START), Rows(phi), y, psi, loss=SoftMaximum(0.5))


weights = st.floats(0.05, 50.0)


@settings(max_examples=30, deadline=None)
@given(omega=st.tuples(weights, weights, weights, weights), seed=st.integers(0, 100), wide=st.booleans())
def test_gradient_with_respect_to_omega_is_that_of_finite_differences(omega, seed, wide):
    objective = problem(seed, *((3, 6) if wide else (6, 4)))
    omega = Omega(*omega)
    W = np.random.default_rng(seed).normal(size=objective.shape)
    W *= 0.7 * omega.limit / np.linalg.norm(W, 2)
    similarity = AdaptiveSimilarity(omega).with_weights(W)
    _, sums = objective.loss_and_sums(similarity)
    found = similarity.omega_gradient(sums, objective.psi)
    for k in range(4):
        h = 1e-5 * omega[k]
        around = [
            objective.loss_and_sums(
                AdaptiveSimilarity(omega._replace(**{f"w{k + 1}": omega[k] + sign * h})).with_weights(W)
            )[0]
            for sign in (1, -1)
        ]
        assert found[k] == pytest.approx((around[0] - around[1]) / (2 * h), rel=1e-3, abs=1e-5)


@settings(max_examples=20, deadline=None)
@given(omega=st.tuples(weights, weights, weights, weights), seed=st.integers(0, 100))
def test_gradient_along_which_W_keeps_its_place(omega, seed):
    objective, omega = problem(seed), Omega(*omega)
    W = np.random.default_rng(seed).normal(size=(6, 4))
    joint = _Joint(
        objective, AdaptiveSimilarity(omega).with_weights(W * (0.8 * omega.limit / np.linalg.norm(W, 2))), 0.01
    )
    u = np.log(omega)
    _, gradient = joint.value_and_gradient(u)
    for k, step in enumerate(1e-5 * np.eye(4)):
        slope = (joint.value_and_gradient(u + step)[0] - joint.value_and_gradient(u - step)[0]) / 2e-5
        assert gradient[k] == pytest.approx(slope, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("omega_lam", [0.0, 1e-4, 1.0, 1e4])
def test_the_value_never_rises_and_H_stays_positive_definite(omega_lam):
    objective = problem()
    learned = learn_with_omega(objective, Smooth(), omega_lam=omega_lam, rng=np.random.default_rng(0))
    for before, after in pairwise(learned.solution.history):
        assert after <= before
    assert AdaptiveSimilarity(learned.omega).with_weights(learned.solution.W).is_positive_definite
    assert all(SMALLEST * 0.99 <= w <= LARGEST * 1.01 for w in learned.omega)


def test_it_is_no_worse_than_learning_W_alone():
    objective = problem()
    fixed = Smooth().solve(objective, objective.zeros(), objective.similarity.domain(), None, lambda *_: None)
    learned = learn_with_omega(objective, Smooth(), omega_lam=0.0, rng=np.random.default_rng(0))
    assert learned.solution.value <= fixed.value + 1e-6


def test_a_start_elsewhere_is_used():
    objective = problem()
    other = replace(objective, similarity=AdaptiveSimilarity((5.0, 5.0, 1.0, 1.0)))
    values = [
        learn_with_omega(each, Smooth(), omega_lam=0.1, rng=np.random.default_rng(0)).solution.history[0]
        for each in (objective, other)
    ]
    assert values[1] < values[0]  # a smaller omega costs the regulariser less


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    return make_zero_shot(n_seen=12, n_unseen=4, random_state=0)


def test_the_estimator_keeps_the_omega_it_learned(data):
    model = JFA("learn", random_state=0).fit(data.X_train, data.y_train, classes=data.seen_table)
    assert model.similarity_.omega == model.omega_ != START
    assert model.similarity_.is_positive_definite
    assert model.converged_
    assert model.history_[-1] == model.objective_
    labels = model.predict(data.X_test_unseen, classes=data.unseen_table)
    assert np.mean(labels == data.y_test_unseen) > 0.6


def test_scaling_everything_changes_no_answer(data):
    few, many = (
        JFA("learn").fit(data.X_train * scale, data.y_train, classes=data.seen_table) for scale in (1.0, 1000.0)
    )
    np.testing.assert_array_equal(
        few.predict(data.X_test_unseen, classes=data.unseen_table),
        many.predict(data.X_test_unseen * 1000.0, classes=data.unseen_table),
    )


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (JFA("learn", omega_lam=-1.0), "omega_lam"),
        (JFA("learn", weights="free"), "omega='learn' needs weights='positive-definite'"),
        (DirectJFA("learn"), "omega='learn' is not a sequence of four numbers"),
    ],
)
def test_bad_choices_get_a_sentence(model, sentence, data):
    with pytest.raises(InputError, match=sentence):
        model.fit(data.X_train, data.y_train, classes=data.seen_table)
