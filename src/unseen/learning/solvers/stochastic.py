"""Minimise the objective by projected stochastic subgradient steps, for large or memory-mapped data."""

import math
from dataclasses import dataclass

import numpy as np

from unseen.learning.objective import LatentSVM
from unseen.learning.solvers.base import Solution, Watcher, require_positive
from unseen.similarity.sets.weights import WeightSet
from unseen.utils.arrays import Array, namespace

# Adam's usual decay rates of the running means of the gradient and of its square.
DECAY, SQUARE_DECAY = 0.9, 0.999


@dataclass(frozen=True)
class Stochastic:
    """Adam steps on mini-batches, each projected onto the weight set, with the last iterates averaged.

    It works with every loss and similarity. Rows are read one mini-batch at a time, so features may be memory-mapped.

    Parameters
    ----------
    epochs : int
        Number of passes over the rows.
    batch_size : int
        Number of rows of a mini-batch.
    step : float
        Learning rate: the typical change of an entry of W in the first steps. It decays to 0 like a cosine.
    """

    epochs: int = 20
    batch_size: int = 256
    step: float = 0.1

    def __post_init__(self) -> None:
        require_positive(epochs=self.epochs, batch_size=self.batch_size, step=self.step)

    def check(self, objective: LatentSVM, weight_set: WeightSet) -> None:
        """Accept every objective."""

    def solve(
        self, objective: LatentSVM, start: Array, weight_set: WeightSet, rng: np.random.Generator, watch: Watcher
    ) -> Solution:
        """Descend from `start`, with rows in random order; the history has the exact objective after every epoch."""
        xp = namespace(start)
        W, value = start, objective.evaluate(start)[0]
        best, best_value, history = W, value, [value]
        watch(0, W, value)
        mean, square = xp.zeros_like(W), xp.zeros_like(W)
        n_batches = math.ceil(objective.n_rows / self.batch_size)
        total, t = self.epochs * n_batches, 0
        for epoch in range(1, self.epochs + 1):
            average = xp.zeros_like(W)
            for indices in _draw_batches(objective, n_batches, rng):
                t += 1
                gradient = self._estimate_gradient(objective, W, indices)
                mean = DECAY * mean + (1 - DECAY) * gradient
                square = SQUARE_DECAY * square + (1 - SQUARE_DECAY) * gradient**2
                scale = xp.sqrt(square / (1 - SQUARE_DECAY**t)) + 1e-12
                rate = self.step * 0.5 * (1 + math.cos(math.pi * (t - 1) / total))
                W = W - rate * (mean / (1 - DECAY**t)) / scale
                if not weight_set.contains(W):
                    W = weight_set.project(W)
                average = average + W / n_batches
            # The set is convex, so it contains the mean of the iterates of an epoch, which is much less noisy.
            value, _ = objective.evaluate(average)
            if value < best_value:
                best, best_value = average, value
            history.append(value)
            watch(epoch, average, value)
        return Solution(best, best_value, history, True)

    @staticmethod
    def _estimate_gradient(objective: LatentSVM, W: Array, indices: Array) -> Array:
        """Return an unbiased estimate of the gradient of the objective divided by the number of rows."""
        _, gradient = objective.evaluate_batch(W, indices)
        return gradient / indices.shape[0] + objective.lam / objective.n_rows * W


def _draw_batches(objective: LatentSVM, n_batches: int, rng: np.random.Generator) -> list[Array]:
    """Cut a random order of the rows into batches, each sorted so that a disk is read in one direction."""
    xp = namespace(objective.y)
    order = rng.permutation(objective.n_rows)
    device = objective.y.device
    return [xp.asarray(np.sort(part), device=device) for part in np.array_split(order, n_batches)]
