"""Approximate the inverse Hessian from the last few steps, as L-BFGS does."""

import numpy as np
from numpy.typing import NDArray

from unseen.utils.arrays import Array, convert_like, inner, namespace, to_numpy


class Curvature:
    """The last steps s_k and gradient changes y_k, and the quasi-Newton direction computed from them.

    The two-loop recursion only takes inner products of these vectors and adds multiples of them. So their inner
    products are stored, and the recursion runs on coefficients. A direction then costs two products with the matrix of
    all vectors: few calls, which matters on a GPU.

    Parameters
    ----------
    memory : int
        Number of pairs (s_k, y_k) that are stored.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self._reach = 1.0  # length of the step while no curvature is known
        self._unit_known = False
        self._vectors: Array | None = None  # s in the first `memory` rows, y in the others
        self._products: NDArray[np.float64] = np.zeros((2 * memory, 2 * memory))
        self._order: list[int] = []  # slots of the pairs, oldest first

    @property
    def known(self) -> bool:
        """Whether any pair is stored."""
        return bool(self._order)

    def forget(self) -> None:
        """Remove all pairs."""
        self._order.clear()

    def change_unit(self, unit: float) -> None:
        """Change to a variable whose unit is `unit` units of the old one, in which a first step of length 1 is safe."""
        self._unit_known = True
        sizes = np.repeat([1 / unit, unit], self.memory)
        self._products *= sizes[:, None] * sizes[None, :]
        if self._vectors is not None:
            self._vectors = self._vectors * convert_like(sizes, self._vectors)[:, None]

    def learn(self, step: Array, change: Array) -> bool:
        """Store a pair if its curvature is positive; otherwise the next direction could be one of ascent.

        Return whether longer steps are worth trying: the slope did not weaken along this step, and the scale of the
        variable is known.
        """
        product = inner(step, change)
        if not product > 1e-10 * (inner(step, step) * inner(change, change)) ** 0.5:
            self._reach *= 2
            return self._unit_known
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
        return False

    def steepest(self, gradient: Array) -> Array:
        """Return minus the gradient, scaled by the last step (Barzilai & Borwein) or, without one, to length at most 1.

        In a variable of known scale the first step has length 1, and each step is twice as long as the last until
        positive curvature is found.
        """
        if not self._order:
            length = inner(gradient, gradient) ** 0.5
            return -gradient * (self._reach / (length or 1.0) if self._unit_known else 1 / max(1.0, length))
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
        step = of_gradient * flat + convert_like(coefficients, gradient) @ self._vectors
        return xp.reshape(step, gradient.shape)
