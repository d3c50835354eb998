"""Spare a sweep steps of descents: optima at W = 0, and warm starts.

**Optima at W = 0.** A W that is better than zero pays mu/2 ||What||^2 out of what the loss gains. What the loss can
gain is bounded by how far scores can move while ||What|| <= rho:

    2 kappa rho / (1 - rho^2) sum_i |phi_i| + n beta/2 rho^2 / (1 - rho^2)

for descriptions of length 1. The two bounds tighten each other, and where the regulariser is strong, or kappa and beta
are small, they end near zero: no positive-definite W is better, and the step -gradient / lambda is as good as any.

**Warm starts.** In V = kappa What the score is phi^T V R psi + 1/2 psi^T (beta (R - I)) psi with
R - I = V^T V / kappa^2 + ..., and the regulariser is nu/2 ||V||^2, where
nu = mu / kappa^2 = lambda ((1 + w3/w1)(1 + w4/w2))^2. Where R is nearly I and the last term is small, all problems of
one nu share the optimum of one convex problem, the bilinear limit, up to a small change. Elsewhere the objective has
several optima, and a start decides which one is found: there, descents start from zeros as the estimator's do.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from unseen.learning.solvers.base import Solution
from unseen.learning.solvers.descent.questions import Evaluate, Project, Question, answer_all
from unseen.learning.solvers.smooth import Smooth
from unseen.similarity import Omega
from unseen.similarity.adaptive import BOUNDARY_MARGIN
from unseen.sweep.batched_objective import BatchedObjective, ProblemNumbers
from unseen.sweep.problems import MERGE, problem_coordinates
from unseen.sweep.settings import Floats
from unseen.utils.arrays import Array, convert_like, namespace
from unseen.utils.progress import Counter, OnProgress, ignore

# A gain below this share of the objective is none; the solver itself stops at ten times as much.
NO_GAIN = 1e-6

# A start is used where R differs from I by less than this (spectral norm), and the class-only term by less than this.
NEAR = 0.05

# Beyond this log10 of nu, in units of the gradient of the loss at zero, one step from zeros is all there is to learn.
FAR_REGULARISED = 6.0


# Optima at W = 0


def largest_gain(objective: BatchedObjective, setting: Floats) -> float:
    """Bound by how much any W with H positive definite can lower the objective below its value at zero."""
    *weights, lam = (float(part) for part in setting)
    omega, n = Omega(*weights), objective.data.train.phi.shape[0]
    gain = objective.value_at_zero
    for _ in range(50):
        rho = min(1 - BOUNDARY_MARGIN, math.sqrt(2 * gain / omega.mu(lam)))
        room = 2 * omega.kappa * rho * objective.total_length + 0.5 * n * omega.beta * rho**2
        gain = min(gain, room / (1 - rho**2))
    return gain


def solution_near_zero(objective: BatchedObjective, setting: Floats) -> Solution | None:
    """Detect settings whose optimum is W = 0 without reading the data.

    Returns
    -------
    Solution or None
        The step -gradient / lambda, which is W = 0 but for a change too small to matter; None where learning may bring
        something.
    """
    known = objective.at_zero(setting)
    if known is None or largest_gain(objective, setting) > NO_GAIN * objective.value_at_zero:
        return None
    value, gradient = known
    W: Array = -gradient / float(setting[4])
    if not objective.is_in_core(ProblemNumbers.of(setting[None, :], W), W[None, :, :])[0]:
        return None
    return Solution(W, value, [value], True)


# Warm starts


@dataclass(frozen=True, eq=False)
class WarmStarts:
    """Optima of the bilinear limit.

    Attributes
    ----------
    log_nu : ndarray of shape (k,)
    V : array of shape (k, d_t, d_s)
    """

    log_nu: Floats
    V: Array

    def map(self, function: Callable[[Array], Array]) -> Self:
        """Return the same with the optima replaced, e.g. moved to a device."""
        return type(self)(self.log_nu, function(self.V))

    def find(self, objective: BatchedObjective, setting: Floats) -> Array | None:
        """Return a start for a setting, None where the bilinear limit is not near enough."""
        log_kappa, log_beta, _, _ = problem_coordinates(setting[None, :])[0]
        at = np.flatnonzero(np.abs(self.log_nu - log10_nu(setting[None, :])) <= MERGE)
        if not at.size or not objective.data.unit_length:
            return None
        xp, V = namespace(self.V), self.V[int(at[0]), :, :]
        kappa, beta = 10.0**log_kappa, 10.0**log_beta
        # Bounded by the Frobenius norm, and at the descriptions, where it acts: cheap, and exact enough.
        moved = V @ convert_like(objective.data.train.psi, V).T
        offset = 0.5 * beta / kappa**2 * float(xp.max(xp.sum(moved * moved, axis=0)))
        if float(xp.sum(V * V)) / kappa**2 > NEAR or offset > NEAR:
            return None
        omega = Omega(*setting[:4])
        return V * float(omega.product / (omega.w1 * omega.w2))


def log10_nu(settings: Floats) -> Floats:
    """Return log10 of nu = mu / kappa^2, the weight of the regulariser in V, of settings (n, 5): shape (n,)."""
    log_kappa, _, log_mu, _ = problem_coordinates(settings).T
    return np.asarray(log_mu - 2 * log_kappa)


def find_warm_starts(
    objective: BatchedObjective, settings: Floats, solver: Smooth, on_progress: OnProgress = ignore
) -> WarmStarts:
    """Solve the bilinear limit for every nu that near-bilinear settings (k, 5) have, each from the one before it."""
    log_kappa, log_beta, _, _ = problem_coordinates(settings).T
    log_nu = log10_nu(settings)
    hopeful = (log_nu < FAR_REGULARISED) & (2 * log_kappa - log_beta > 1) & (2 * log_kappa > 1)
    found = np.unique(np.round(log_nu[hopeful] / MERGE))[::-1] * MERGE
    model = objective.data.train.psi
    xp = namespace(model)
    W = xp.zeros(objective.shape, dtype=model.dtype, device=model.device)
    optima = []
    count = Counter("warm starts", len(found), on_progress)
    for value in found:
        W = _bilinear_optimum(objective, 10.0**value, W, solver)
        optima.append(W)
        count()
    V = xp.stack(optima) if optima else xp.zeros((0, *objective.shape), dtype=model.dtype, device=model.device)
    return WarmStarts(found, V)


def _bilinear_optimum(objective: BatchedObjective, nu: float, start: Array, solver: Smooth) -> Array:
    # With w3 = w4 = 0 and huge w1 = w2, R = I in double precision, and W = V.
    setting = np.array([1e10, 1e10, 0.0, 0.0, nu])
    numbers = ProblemNumbers.of(setting[None, :], start)

    def answer(question: Question) -> Any:
        if isinstance(question, Evaluate):
            values, gradients = objective.evaluate(numbers, question.W[None, :, :])
            return float(values[0]), gradients[0, :, :]
        assert isinstance(question, Project)  # nothing constrains W, so that it has no coordinates
        return question.W

    return answer_all(solver.descend(start, preconditioner=objective.precondition(setting)), answer).W
