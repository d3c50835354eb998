"""The inverse Hessian as L-BFGS knows it, from the last few steps."""

import numpy as np
from numpy.typing import NDArray

from unseen.arrays import Array, inner, like, namespace, to_numpy


class Curvature:
    """The last steps s_k and the changes of gradient y_k they brought, and the direction these lead to.

    The two-loop recursion only ever takes inner products of these vectors and adds multiples of them. So their inner
    products are kept, the recursion runs on coefficients, and a direction costs two products with the matrix of all
    vectors: few calls, which is what counts where a call starts work on another device.

    Parameters
    ----------
    memory : int
        How many pairs are kept.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self._vectors: Array | None = None  # s in the first `memory` rows, y in the others
        self._products: NDArray[np.float64] = np.zeros((2 * memory, 2 * memory))
        self._order: list[int] = []  # slots of the pairs, oldest first

    @property
    def known(self) -> bool:
        """Whether there is any pair."""
        return bool(self._order)

    def forget(self) -> None:
        """Drop all pairs."""
        self._order.clear()

    def learn(self, step: Array, change: Array) -> None:
        """Keep a pair, unless its curvature is not positive: the next direction would be one of ascent."""
        product = inner(step, change)
        if not product > 1e-10 * (inner(step, step) * inner(change, change)) ** 0.5:
            return
        slot = self._order.pop(0) if len(self._order) == self.memory else len(self._order)
        xp = namespace(step)
        if self._vectors is None:
            shape = (2 * self.memory, step.shape[0] * step.shape[1])
            self._vectors = xp.zeros(shape, dtype=step.dtype, device=step.device)
        for row, vector in ((slot, step), (slot + self.memory, change)):
            self._vectors[row, :] = xp.reshape(vector, (-1,))
        pair = xp.stack([xp.reshape(vector, (-1,)) for vector in (step, change)], axis=1)
        products = to_numpy(self._vectors @ pair)
        for row, column in ((slot, 0), (slot + self.memory, 1)):
            self._products[row, :] = self._products[:, row] = products[:, column]
        self._order.append(slot)

    def steepest(self, gradient: Array) -> Array:
        """Return minus the gradient, scaled by the last step (Barzilai & Borwein) or to length 1 at the most."""
        if not self._order:
            return -gradient / max(1.0, inner(gradient, gradient) ** 0.5)
        return -self._scale * gradient

    @property
    def _scale(self) -> float:
        s, y = self._order[-1], self._order[-1] + self.memory
        return float(self._products[s, y] / self._products[y, y])

    def direction(self, gradient: Array) -> Array:
        """Return minus the inverse Hessian times the gradient (two-loop recursion)."""
        if not self._order:
            return self.steepest(gradient)
        xp = namespace(gradient)
        flat = xp.reshape(gradient, (-1,))
        # Every vector below is of_gradient * gradient + coefficients @ vectors.
        with_gradient = to_numpy(self._vectors @ flat)
        coefficients, of_gradient, factors = np.zeros(2 * self.memory), -1.0, []
        for s in reversed(self._order):
            y = s + self.memory
            along = of_gradient * with_gradient[s] + self._products[s] @ coefficients
            factors.append(along / self._products[s, y])
            coefficients[y] -= factors[-1]
        coefficients, of_gradient = self._scale * coefficients, self._scale * of_gradient
        for s, factor in zip(self._order, reversed(factors), strict=True):
            y = s + self.memory
            along = of_gradient * with_gradient[y] + self._products[y] @ coefficients
            coefficients[s] += factor - along / self._products[s, y]
        step = of_gradient * flat + like(coefficients, gradient) @ self._vectors
        return xp.reshape(step, gradient.shape)
