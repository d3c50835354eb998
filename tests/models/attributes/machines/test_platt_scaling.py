"""Platt scaling of many machines against a general minimiser, one by one."""

import numpy as np
from scipy.optimize import minimize

from unseen.models.attributes.machines.platt_scaling import fit_platt_scaling


def compute_cross_entropy(parameters: np.ndarray, f: np.ndarray, targets: np.ndarray) -> float:
    p = 1 / (1 + np.exp(-(parameters[0] * f + parameters[1])))
    return float(-np.sum(targets * np.log(p) + (1 - targets) * np.log(1 - p)))


def test_it_minimises_the_cross_entropy() -> None:
    random = np.random.default_rng(0)
    has = random.random((80, 5)) < [0.1, 0.5, 0.9, 0.5, 0.5]
    decisions = random.normal(size=(80, 5)) * [1, 1, 1, 100, 0.01] + has * [0.5, 1, 0.2, 300, 0.0]
    a, b = fit_platt_scaling(decisions, has)
    for k in range(5):
        f, yes = decisions[:, k] / np.std(decisions[:, k]), has[:, k].sum()
        targets = np.where(has[:, k], (yes + 1) / (yes + 2), 1 / (80 - yes + 2))
        expected = minimize(compute_cross_entropy, np.zeros(2), args=(f, targets)).x
        np.testing.assert_allclose([a[k] * np.std(decisions[:, k]), b[k]], expected, atol=1e-4)


def test_what_separates_stays_finite_and_what_says_nothing_gives_the_share() -> None:
    has = np.tile(np.arange(20)[:, None] < 6, (1, 3))
    decisions = np.column_stack([np.where(has[:, 0], 5.0, -5.0), np.zeros(20), np.full(20, 7.0)])
    a, b = fit_platt_scaling(decisions, has)
    p = 1 / (1 + np.exp(-(a * decisions + b)))
    np.testing.assert_allclose(p[[0, -1], 0], [7 / 8, 1 / 16], rtol=1e-6)
    np.testing.assert_allclose(p[:, 1:], (6 * 7 / 8 + 14 / 16) / 20, rtol=1e-6)


def test_all_rows_may_say_yes() -> None:
    a, b = fit_platt_scaling(np.arange(6.0)[:, None], np.ones((6, 1), dtype=bool))
    np.testing.assert_allclose(1 / (1 + np.exp(-(a * np.arange(6) + b))), 7 / 8, atol=1e-6)
