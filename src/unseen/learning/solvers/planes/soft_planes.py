"""Find planes below the convex part of the paper's loss that average over the classes near each row's maximum.

For any weights G_iy >= 0 whose rows sum to one, sum_i max_y [Delta(y_i, y) + f(x_i, y; W)] is at least
sum_iy G_iy [Delta(y_i, y) + f(x_i, y; W)], and as f is convex in W, at least the tangent of that sum. With all the
weight on one maximum per row this is the usual cutting plane. It says nothing about classes that come second, so many
such planes are needed where many rows have close rivals. The weights of a soft maximum name the rivals of all rows in
one plane, which then lies a little below the maximum even where it was computed: the lower the temperature, the less.
"""

from dataclasses import dataclass

import numpy as np

from unseen.learning.losses import LARGEST, Maximum
from unseen.learning.objective import LatentSVM
from unseen.learning.solvers.planes.cutting_plane import Oracle, touching
from unseen.utils.arrays import Array, as_float, namespace, to_float64

# The temperature of the first plane, in units of the margin, and the smallest.
FIRST_TEMPERATURE, LAST_TEMPERATURE = 0.01, 1e-6


def make_oracle(objective: LatentSVM) -> Oracle:
    """Return planes of soft maxima for the paper's maximum, and planes that touch the convex part for other losses."""
    return SoftPlanes(objective) if isinstance(objective.loss, Maximum) else touching(objective.convex_part)


@dataclass
class SoftPlanes:
    """The convex part at W and a plane below it, at a temperature that falls when planes have to be nearer."""

    objective: LatentSVM
    temperature: float = FIRST_TEMPERATURE

    def __call__(self, W: Array, error: float) -> tuple[float, float, Array]:
        """Return the convex part at W, and the height at W and the slope of a plane that is nowhere above it."""
        heights, slope = self.objective.convex_part(W, self._measure)
        risk, height = (float(value) for value in np.asarray(heights))
        if risk - height > error:
            # The distance is about proportional to the temperature, or falls faster.
            share = max(0.1, 0.5 * error / (risk - height))
            self.temperature = max(LAST_TEMPERATURE, share * self.temperature)
        return risk, height, slope

    def _measure(self, scores: Array, y: Array, weights: Array | None) -> tuple[float, Array]:
        """Return the two summed values of a block of rows, of the maximum and of the plane, and G."""
        xp = namespace(scores)
        below, constant = self.objective.margin.augment(scores, y)
        top = xp.max(below, axis=1, keepdims=True)
        below = below - top
        G = xp.exp(xp.maximum(below / self.temperature, -LARGEST))
        G /= xp.sum(G, axis=1, keepdims=True)
        highest, lowered = to_float64(top[:, 0] + constant), to_float64(xp.sum(below * G, axis=1))
        if weights is not None:
            highest, lowered = highest * to_float64(weights), lowered * to_float64(weights)
            G = G * xp.astype(weights, G.dtype, copy=False)[:, None]
        risk = as_float(xp.sum(highest))
        # An array, so that blocks of rows add up both values.
        values: float = np.array([risk, risk + as_float(xp.sum(lowered))])  # type: ignore[assignment]
        return values, G
