"""Learn W and omega together, with H positive definite throughout (Eq. eqn:hard-to-solve).

The paper did not solve this problem because of its constraint. The exact condition sigma_max(W)^2 < omega_13 omega_24
makes it easy: with W = sqrt(omega_13 omega_24) W' the constraint is sigma_max(W') < 1 for every omega. So two steps
alternate: W is learned for a fixed omega inside the positive-definite region, then omega for a fixed W' without
constraint.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from unseen.learning.objective import LatentSVM
from unseen.learning.solvers.base import Solution, Solver, Watcher
from unseen.learning.training import learn
from unseen.similarity import AdaptiveSimilarity, Omega
from unseen.utils.arrays import Array, as_float, inner, namespace

# Omega stays within the paper's grid, so that it cannot diverge; beyond the grid only rounding changes.
SMALLEST, LARGEST = 1e-5, 1e5

# Start of learning: far from the boundary, and with all four weights in use.
START = Omega(1000.0, 10.0, 1.0, 1.0)

# Steps on omega in one turn. More would not help, because the next turn on W changes the best omega.
STEPS_ON_OMEGA = 10


@dataclass(frozen=True)
class JointSolution:
    """The learned weights and omega; the history of Eq. eqn:hard-to-solve never rises."""

    solution: Solution
    omega: Omega


def learn_with_omega(
    objective: LatentSVM,
    solver: Solver,
    *,
    omega_lam: float,
    rng: np.random.Generator,
    max_rounds: int = 20,
    tol: float = 1e-4,
    watch: Watcher = lambda step, W, value: None,
) -> JointSolution:
    """Minimise lam/2 ||W||^2 + omega_lam/2 ||omega||^2 + sum of slacks over W and omega.

    Parameters
    ----------
    objective : LatentSVM
        Objective with an `AdaptiveSimilarity`. Learning starts from its omega and W = 0.
    solver : Solver
        Solver for W.
    omega_lam : float
        Weight of ||omega||^2 / 2 (the paper's lambda_2).
    rng : numpy.random.Generator
        Random numbers for a stochastic solver.
    max_rounds, tol
        Learning stops after `max_rounds` rounds, or when a round lowers the value by less than `tol` times its size.
    watch : callable
        Called after every turn.
    """
    assert isinstance(objective.similarity, AdaptiveSimilarity)
    similarity = objective.similarity.with_weights(objective.zeros())
    value = _Joint(objective, similarity, omega_lam).value(similarity.omega)
    history, converged, certificate = [value], False, {}
    for round_ in range(max_rounds):
        solution = learn(replace(objective, similarity=similarity), solver, init=similarity.W, rng=rng)
        learned = similarity.with_weights(solution.W)
        joint, before = _Joint(objective, learned, omega_lam), value
        reached = joint.value(similarity.omega)
        # A solver that does not descend monotonically, such as the stochastic one, may end higher than it began.
        if reached <= value:
            similarity, certificate, before = learned, solution.certificate, reached
        else:
            joint = _Joint(objective, similarity, omega_lam)
        similarity, new_value = joint.improve(before)
        history.append(new_value)
        watch(round_, similarity.W, new_value)
        converged = value - new_value <= tol * abs(new_value)
        value = new_value
        if converged:
            break
    return JointSolution(Solution(similarity.W, value, history, converged, certificate), similarity.omega)


class _Joint:
    """The objective as a function of omega, with W scaled to stay inside the positive-definite region."""

    def __init__(self, objective: LatentSVM, similarity: AdaptiveSimilarity, omega_lam: float) -> None:
        self.objective = objective
        self.start = similarity
        self.omega_lam = omega_lam
        self.direction: Array = similarity.W / similarity.omega.limit  # W'

    def value(self, omega: Omega) -> float:
        return self.value_and_gradient(np.log(np.maximum(omega, SMALLEST)))[0]

    def move_to(self, omega: Omega) -> AdaptiveSimilarity:
        return AdaptiveSimilarity(omega).with_weights(omega.limit * self.direction)

    def value_and_gradient(self, log_omega: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the objective at exp(log_omega) and its gradient with respect to log_omega."""
        omega = Omega(*map(float, np.exp(log_omega)))
        similarity = self.move_to(omega)
        loss, sums = self.objective.loss_and_sums(similarity)
        lam, squared = self.objective.lam, as_float(namespace(self.direction).sum(self.direction**2))
        weights = np.array(omega)
        value = 0.5 * lam * omega.limit**2 * squared + 0.5 * self.omega_lam * float(weights @ weights) + as_float(loss)
        # omega changes the scores directly, and through W = sqrt(omega_13 omega_24) W'.
        through_W = inner(similarity.finish_gradient(sums, self.objective.psi), self.direction)
        of_product = np.array([omega.w24, omega.w13, omega.w24, omega.w13])
        slope = np.array(similarity.omega_gradient(sums, self.objective.psi))
        slope = slope + (0.5 * lam * squared + through_W / (2 * omega.limit)) * of_product + self.omega_lam * weights
        return value, slope * weights

    def improve(self, before: float) -> tuple[AdaptiveSimilarity, float]:
        """Return similarity and value after a few steps on omega, or unchanged if the steps do not help."""
        start = np.log(np.maximum(self.start.omega, SMALLEST))
        found = minimize(
            self.value_and_gradient,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[(np.log(SMALLEST), np.log(LARGEST))] * 4,
            options={"maxiter": STEPS_ON_OMEGA},
        )
        if found.fun >= before:
            return self.start, before
        return self.move_to(Omega(*map(float, np.exp(found.x)))), float(found.fun)
