"""The MAP problem of SP-ZSR against brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from unseen.transduction.gaussians import GaussianMAP, falling_temperatures
from unseen.transduction.start import match_clusters


def problem_of(seed, n=5, m=3, d=2, size_prior=2.0, pull=1.5):
    random = np.random.default_rng(seed)
    Z, S, mu0 = random.normal(size=(n, d)), random.normal(size=(n, m)), random.normal(size=(m, d))
    problem = GaussianMAP(mu0, pull * random.uniform(0.5, 2, size=(m, d)), prior_weight=1.3, size_prior=size_prior)
    return problem, Z, S, random.dirichlet(np.ones(m), size=n)


@given(st.integers(0, 10**6), st.floats(0.2, 20))
def test_the_objective_never_falls(seed, temperature):
    problem, Z, S, R = problem_of(seed)
    mu, shares = problem.mu0, np.log(np.full(3, 1 / 3))
    values = [problem.value(Z, S, R, mu, shares, temperature)]
    for _ in range(4):
        mu = problem.means(Z, R)
        values.append(problem.value(Z, S, R, mu, shares, temperature))
        shares = problem.log_shares(R)
        values.append(problem.value(Z, S, R, mu, shares, temperature))
        R = problem.assignments(Z, S, mu, shares, temperature)
        values.append(problem.value(Z, S, R, mu, shares, temperature))
    assert np.diff(values).min() > -1e-9 * max(1, np.abs(values).max())


@pytest.mark.parametrize("seed", range(5))
def test_cold_assignments_are_the_best_of_all_labellings(seed):
    problem, Z, S, R = problem_of(seed, n=4)
    mu, shares, cold = problem.means(Z, R), problem.log_shares(R), 1e-3

    def energy(labels):
        one_hot = np.eye(3)[list(labels)]
        return problem.value(Z, S, one_hot, mu, shares, cold)

    best = max(itertools.product(range(3), repeat=4), key=energy)
    assert tuple(problem.assignments(Z, S, mu, shares, cold).argmax(axis=1)) == best


@pytest.mark.parametrize("seed", range(3))
def test_means_are_what_an_optimiser_finds(seed):
    problem, Z, S, R = problem_of(seed)
    shares = problem.log_shares(R)
    # The value leaves out |z|², which does not depend on the means.
    found = minimize(lambda flat: -problem.value(Z, S, R, flat.reshape(3, 2), shares, 2.0), np.zeros(6), tol=1e-12).x
    np.testing.assert_allclose(problem.means(Z, R), found.reshape(3, 2), atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_shares_are_what_an_optimiser_finds(seed):
    problem, Z, S, R = problem_of(seed)

    def loss(logits):
        log_shares = logits - np.log(np.exp(logits).sum())
        return -problem.value(Z, S, R, problem.mu0, log_shares, 2.0)

    logits = minimize(loss, np.zeros(3), tol=1e-12).x
    expected = np.exp(logits) / np.exp(logits).sum()
    np.testing.assert_allclose(np.exp(problem.log_shares(R)), expected, atol=1e-5)


def test_a_class_without_rows_and_pull_keeps_its_predicted_mean():
    problem, Z, _, _ = problem_of(0, pull=0.0)
    R = np.eye(3)[[0, 0, 1, 1, 1]]
    np.testing.assert_allclose(problem.means(Z, R)[2], problem.mu0[2])
    np.testing.assert_allclose(problem.means(Z, R)[0], Z[:2].mean(axis=0))


@given(st.floats(0.1, 5), st.floats(0.1, 100), st.integers(1, 40))
def test_temperatures_fall_to_the_end(end, start, n_steps):
    temperatures = falling_temperatures(start, end, n_steps)
    assert len(temperatures) == n_steps
    assert np.diff(temperatures).max(initial=0) <= 1e-9
    if n_steps > 1:
        assert temperatures[-1] == pytest.approx(end)


def test_clusters_are_matched_to_classes_by_the_best_sum_of_scores():
    random = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), 10)
    Z = 20 * np.eye(3)[truth] + random.normal(size=(30, 3))
    S = random.normal(size=(30, 3)) + 0.8 * np.eye(3)[truth]
    # k-means with random seeds may merge two clusters; from one of ten seeds it does not.
    best = max((match_clusters(Z, S, np.random.RandomState(seed)) for seed in range(10)), key=lambda R: (R * S).sum())
    np.testing.assert_array_equal(best.argmax(axis=1), truth)
    rows_of = {tuple(R) for R in best}
    assert len(rows_of) == 3


def test_fewer_rows_than_classes_are_matched_too():
    random = np.random.default_rng(0)
    R = match_clusters(random.normal(size=(3, 2)), random.normal(size=(3, 9)), np.random.RandomState(0))
    np.testing.assert_array_equal(R.sum(axis=1), 1)
