"""What is measured of a solution."""

import numpy as np
import pytest
from sweeping import NO_SPREAD, SETTINGS, random_weights

from unseen.similarity import Omega
from unseen.sweep.batched_objective import ProblemNumbers
from unseen.sweep.problems import problem_coordinates
from unseen.sweep.results import merge_error


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_of_merging_holds(objective, seed):
    """Any setting within the spread has, at the same What, an objective within the bound."""
    rng = np.random.default_rng(seed)
    spread = rng.uniform(0, 0.05, size=3)  # shares
    setting = SETTINGS[rng.integers(len(SETTINGS))]
    log_kappa, log_beta, log_mu, _ = problem_coordinates(setting[None])[0]
    signs = rng.choice([-1, 1], size=3)
    kappa, beta, mu = 10 ** np.array([log_kappa, log_beta, log_mu]) * (1 + signs * spread)
    # A setting with these numbers: w4 = 0 gives w2 = beta = b; a then follows from lambda, w1 from kappa.
    lam = setting[4]
    a = mu / lam / beta
    w1 = kappa * np.sqrt(a * beta) / beta
    other = np.array([w1, beta, a - w1, 0.0, lam])
    of_first = ProblemNumbers.of(SETTINGS[:1], objective.data.train.psi)
    at = random_weights(objective, 0.8, seed)[0] / float(of_first.limit[0])
    values = []
    for one in (setting, other):
        numbers = ProblemNumbers.of(one[None], objective.data.train.psi)
        values.append(float(objective.evaluate(numbers, (at * float(numbers.limit[0]))[None])[0][0]))
    limit = Omega(*setting[:4]).limit
    bound = merge_error(objective, setting, at * limit, spread)
    assert abs(values[0] - values[1]) <= bound * (1 + 1e-3) + 1e-4 * abs(values[0])
    assert merge_error(objective, setting, at * limit, NO_SPREAD) == 0
