"""The four properties that the paper states of the adaptive similarity (Section 2.3), one test or more for each."""

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.similarity import AdaptiveSimilarity, Ball, Box, Omega, Simplex

OMEGA = (1.0, 2.0, 0.5, 0.2)
D_T, D_S = 4, 3
few = settings(max_examples=20, deadline=None, derandomize=True)
seeds = st.integers(0, 10**6)


def example(seed, rate, n=6):
    """Random pairs, and a W with sigma_max(W)² = rate * omega_13 * omega_24."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(D_T, D_S))
    W *= np.sqrt(rate) * Omega(*OMEGA).limit / np.linalg.norm(W, 2)
    return rng, W, rng.normal(size=(n, D_T)), rng.normal(size=(n, D_S))


def smallest_eigenvalue(W):
    return np.linalg.eigvalsh(reference.matrix_H(W, OMEGA))[0]


# Property 1 (prop:go): a unique global optimum where H is positive definite


@few
@given(seed=seeds, rate=st.floats(0.0, 0.99))
def test_property_1_every_other_point_is_worse_by_its_distance(seed, rate):
    rng, W, phi, psi = example(seed, rate)
    similarity = AdaptiveSimilarity(OMEGA).with_weights(W)
    z = np.hstack(similarity.adapt(phi, psi))
    best = reference.value_at(W, OMEGA, phi, psi, z[:, :D_T], z[:, D_T:])
    for size in (1e-2, 1.0, 100.0):
        move = size * rng.normal(size=z.shape)
        other = reference.value_at(W, OMEGA, phi, psi, (z + move)[:, :D_T], (z + move)[:, D_T:])
        bound = smallest_eigenvalue(W) / 2 * np.sum(move**2, axis=1)
        assert np.all(best - other >= bound * (1 - 1e-6) - 1e-9 * (1 + size**2))


@few
@given(seed=seeds, rate=st.floats(0.0, 0.95))
def test_property_1_holds_inside_closed_convex_sets(seed, rate):
    rng, W, phi, psi = example(seed, rate)
    result = AdaptiveSimilarity(OMEGA).with_weights(W).adapt_within(phi, psi, Ball(0.7), Simplex())
    assert result.optimality == "global"
    z_t, z_s = Ball(0.7).project(rng.normal(size=phi.shape)), Simplex().project(rng.normal(size=psi.shape))
    distance = np.sum((z_t - result.z_t) ** 2, axis=1) + np.sum((z_s - result.z_s) ** 2, axis=1)
    other = reference.value_at(W, OMEGA, phi, psi, z_t, z_s)
    assert np.all(result.value - other >= smallest_eigenvalue(W) / 2 * distance - 1e-6)


# Property 2 (prop:global): alternating optimisation finds it from any start


@few
@given(seed=seeds, rate=st.floats(0.05, 0.9))
def test_property_2_plain_alternation_contracts_to_the_closed_form(seed, rate):
    rng, W, phi, psi = example(seed, rate)
    w1, w2, w3, w4 = OMEGA
    z_t, z_s = AdaptiveSimilarity(OMEGA).with_weights(W).adapt(phi, psi)
    current = 10 * rng.normal(size=psi.shape)
    for _ in range(25):
        error = np.linalg.norm(current - z_s, axis=1)
        moved = (w1 * phi + current @ W.T) / (w1 + w3)
        current = (w2 * psi + moved @ W) / (w2 + w4)
        assert np.all(np.linalg.norm(current - z_s, axis=1) <= rate * error + 1e-12)
        assert np.all(np.linalg.norm(moved - z_t, axis=1) <= np.linalg.norm(W, 2) / (w1 + w3) * error + 1e-12)


@few
@given(seed=seeds, rate=st.floats(0.0, 0.99))
def test_property_2_every_start_ends_at_the_closed_form(seed, rate):
    rng, W, phi, psi = example(seed, rate)
    similarity = AdaptiveSimilarity(OMEGA).with_weights(W)
    best = np.diag(similarity.scores(phi, psi, exact=True))
    for start in (psi, 0 * psi, 10 * rng.normal(size=psi.shape)):
        result = similarity.adapt_within(phi, psi, start=start)
        assert result.converged.all()
        np.testing.assert_allclose(result.value, best, rtol=1e-9, atol=1e-9)


# Property 3 (prop:local): convergence to local optima for any H, given convex sets


@pytest.mark.parametrize("sets", [(Ball(0.7), Simplex()), (Box(-0.3, 0.5), Ball(0.7))], ids=repr)
@few
@given(seed=seeds, rate=st.floats(1.01, 20.0))
def test_property_3_the_end_is_the_best_in_each_block(sets, seed, rate):
    rng, W, phi, psi = example(seed, rate)
    result = AdaptiveSimilarity(OMEGA).with_weights(W).adapt_within(phi, psi, *sets, start=rng.normal(size=psi.shape))
    assert result.optimality == "local"
    assert result.converged.all()
    for _ in range(20):
        z_t, z_s = (s.project(rng.normal(size=v.shape)) for s, v in zip(sets, (phi, psi), strict=True))
        for other in ((z_t, result.z_s), (result.z_t, z_s)):
            assert np.all(reference.value_at(W, OMEGA, phi, psi, *other) <= result.value + 1e-6)


def test_property_3_local_optima_may_differ_and_global_ones_may_not():
    # One axis carries all: z_t = z_s = +1 and -1 are both local optima when moving is cheap, only one otherwise.
    phi, psi = np.array([[0.01]]), np.array([[0.01]])
    ends = {}
    for omega in ((0.1, 0.1, 0.0, 0.0), (2.0, 2.0, 0.0, 0.0)):
        similarity = AdaptiveSimilarity(omega).with_weights(np.array([[1.0]]))
        runs = [similarity.adapt_within(phi, psi, Ball(1.0), Ball(1.0), start=np.array([[s]])) for s in (-1.0, 1.0)]
        ends[similarity.optimality] = [float(run.z_s[0, 0]) for run in runs]
    assert ends["local"] == pytest.approx([-1.0, 1.0])
    assert ends["global"][0] == pytest.approx(ends["global"][1], abs=1e-6)


# Property 4 (prop:2): the bilinear limit


@few
@given(seed=seeds)
def test_property_4_the_bilinear_limit_is_approached_at_the_rate_one_over_omega(seed):
    _, W, phi, psi = example(seed, 1.0)
    bilinear = AdaptiveSimilarity(OMEGA).with_weights(W).bilinear_limit().scores(phi, psi)
    # The first-order term: what displacing is worth, less what w3 = w4 = 1/t take from the lengths.
    pushed = np.sum((phi @ W) ** 2, axis=1)[:, None] + np.sum((psi @ W.T) ** 2, axis=1)[None, :]
    lengths = np.sum(phi**2, axis=1)[:, None] + np.sum(psi**2, axis=1)[None, :]
    first_order = (pushed - lengths) / 2
    for t in (1e2, 1e4):
        exact = AdaptiveSimilarity((t, t, 1 / t, 1 / t)).with_weights(W).scores(phi, psi, exact=True)
        scale = (1 + np.abs(first_order).max()) * (1 + np.linalg.norm(W, 2) ** 2)
        np.testing.assert_allclose(t * (exact - bilinear), first_order, atol=100 * scale / t + 1e-8 * t)


def test_property_4_holds_for_unequal_omega_and_for_adapted_features():
    _, W, phi, psi = example(0, 1.0)
    similarity = AdaptiveSimilarity((1e7, 1e8, 1e-8, 1e-7)).with_weights(W)
    np.testing.assert_allclose(similarity.scores(phi, psi), phi @ W @ psi.T, atol=1e-5)
    z_t, z_s = similarity.adapt(phi, psi)
    np.testing.assert_allclose(z_t, phi, atol=1e-5)
    np.testing.assert_allclose(z_s, psi, atol=1e-5)
