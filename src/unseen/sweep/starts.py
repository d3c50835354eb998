"""Warm starts: the bilinear limit, from which the problems near it are a small step away.

In V = kappa What the score is phi^T V R psi + 1/2 psi^T (beta (R - I)) psi with R - I = V^T V / kappa^2 + ..., and the
regulariser is nu/2 ||V||^2, nu = mu / kappa^2 = lambda ((1 + w3/w1)(1 + w4/w2))^2. Where R is nearly I and the last
term is small, all problems of one nu share the optimum of one convex problem up to a small change. Elsewhere the
objective has several optima, and a start decides which one is found: there, descents start from zeros as the
estimator's do.
"""

from dataclasses import dataclass

import numpy as np

from unseen.learning.solvers.smooth import Evaluate, Project, Smooth
from unseen.similarity import Omega
from unseen.sweep.batched_objective import Numbers, Stack
from unseen.sweep.problems import MERGE, Floats, coordinates
from unseen.utils.arrays import Array, like, namespace

# A start is used where R differs from I by less than this (spectral norm), and the class-only term by less than this.
NEAR = 0.05

# Beyond this nu, in units of the gradient of the loss at zero, one step from zeros is all there is to learn.
FAR_REGULARISED = 6.0


@dataclass(frozen=True, eq=False)
class Starts:
    """Optima of the bilinear limit.

    Attributes
    ----------
    log_nu : ndarray of shape (k,)
    V : array of shape (k, d_t, d_s)
    """

    log_nu: Floats
    V: Array

    def find(self, stack: Stack, setting: Floats) -> Array | None:
        """Return a start for a setting, None where the bilinear limit is not near enough."""
        place = coordinates(setting[None, :])[0]
        log_kappa, log_beta, log_mu, _ = place
        at = np.flatnonzero(np.abs(self.log_nu - (log_mu - 2 * log_kappa)) <= MERGE)
        if not at.size or not stack.material.unit_length:
            return None
        xp, V = namespace(self.V), self.V[int(at[0]), :, :]
        kappa, beta = 10.0**log_kappa, 10.0**log_beta
        # Bounded by the Frobenius norm, and at the descriptions, where it acts: cheap, and exact enough.
        moved = V @ like(stack.material.train.psi, V).T
        offset = 0.5 * beta / kappa**2 * float(xp.max(xp.sum(moved * moved, axis=0)))
        if float(xp.sum(V * V)) / kappa**2 > NEAR or offset > NEAR:
            return None
        omega = Omega(*setting[:4])
        return V * float(omega.product / (omega.w1 * omega.w2))


def bilinear_starts(stack: Stack, settings: Floats, solver: Smooth) -> Starts:
    """Solve the bilinear limit for every nu that near-bilinear settings (k, 5) have, each from the one before it."""
    place = coordinates(settings)
    log_nu = place[:, 2] - 2 * place[:, 0]
    log_alpha = 2 * place[:, 0] - place[:, 1]
    hopeful = (log_nu < FAR_REGULARISED) & (log_alpha > 1) & (2 * place[:, 0] > 1)
    found = np.unique(np.round(log_nu[hopeful] / MERGE))[::-1] * MERGE
    model = stack.material.train.psi
    xp = namespace(model)
    W = xp.zeros(stack.shape, dtype=model.dtype, device=model.device)
    optima = []
    for value in found:
        W = _bilinear_optimum(stack, 10.0**value, W, solver)
        optima.append(W)
    V = xp.stack(optima) if optima else xp.zeros((0, *stack.shape), dtype=model.dtype, device=model.device)
    return Starts(found, V)


def _bilinear_optimum(stack: Stack, nu: float, start: Array, solver: Smooth) -> Array:
    # With w3 = w4 = 0 and huge w1 = w2, R = I in double precision, and W = V.
    setting = np.array([1e10, 1e10, 0.0, 0.0, nu])
    numbers = Numbers.of(setting[None, :], start)
    questions, answer = solver.descend(start), None
    while True:
        try:
            question = questions.send(answer)
        except StopIteration as end:
            W: Array = end.value.W
            return W
        if isinstance(question, Evaluate):
            values, gradients = stack.evaluate(numbers, question.W[None, :, :])
            answer = float(values[0]), gradients[0, :, :]
        elif isinstance(question, Project):
            answer = question.W
