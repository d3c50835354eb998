"""Problems in which nothing moves, told before a row is read.

A W that is better than zero pays mu/2 ||What||^2 out of what the loss gains. What the loss can gain is bounded by how
far scores can move while ||What|| <= rho:

    2 kappa rho / (1 - rho^2) sum_i |phi_i| + n beta/2 rho^2 / (1 - rho^2)

for descriptions of length 1. The two bounds tighten each other, and where the regulariser is strong, or kappa and beta
are small, they end near zero: no positive-definite solution moves, and the step -gradient / lambda is as good as any.
"""

import math

from unseen.learning.solvers.base import Solution
from unseen.similarity import Omega
from unseen.similarity.adaptive import BOUNDARY_MARGIN
from unseen.sweep.batched_objective import Numbers, Stack
from unseen.sweep.problems import Floats
from unseen.utils.arrays import Array

# A gain below this share of the objective is none; the solver itself stops at ten times as much.
NO_GAIN = 1e-6


def largest_gain(stack: Stack, setting: Floats) -> float:
    """Bound by how much any W with H positive definite can lower the objective below its value at zero."""
    *weights, lam = (float(part) for part in setting)
    omega, n = Omega(*weights), stack.material.train.phi.shape[0]
    gain = stack.value_at_zero
    for _ in range(50):
        rho = min(1 - BOUNDARY_MARGIN, math.sqrt(2 * gain / omega.mu(lam)))
        room = 2 * omega.kappa * rho * stack.total_length + 0.5 * n * omega.beta * rho**2
        gain = min(gain, room / (1 - rho**2))
    return gain


def settled(stack: Stack, setting: Floats) -> Solution | None:
    """Return the solution where nothing moves, None where learning may bring something."""
    known = stack.at_zero(setting)
    if known is None or largest_gain(stack, setting) > NO_GAIN * stack.value_at_zero:
        return None
    value, gradient = known
    W: Array = -gradient / float(setting[4])
    if not stack.in_core(Numbers.of(setting[None, :], W), W[None, :, :])[0]:
        return None
    return Solution(W, value, [value], True)
