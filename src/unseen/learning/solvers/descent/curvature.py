"""Approximate the inverse Hessian from the last few steps, as L-BFGS does."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unseen.learning.solvers.descent.questions import Asking, Look, look_at
from unseen.utils.arrays import Array, convert_like, namespace, sum_products

# Returns the length of a step, as an array without dimensions.
Measure = Callable[[Array], Array]


class Curvature:
    """The last steps s_k and gradient changes y_k, and the quasi-Newton direction computed from them.

    The two-loop recursion only takes inner products of these vectors and adds multiples of them. So their inner
    products are stored, and the recursion runs on coefficients. A direction then costs two products with the matrix of
    all vectors, and one look at numbers: few calls and few waits, which matters on a GPU.

    Parameters
    ----------
    memory : int
        Number of pairs (s_k, y_k) that are stored.
    first : float, optional
        The first step per gradient, if the scale of the curvature is known beforehand.
    """

    def __init__(self, memory: int, first: float | None = None) -> None:
        self.memory = memory
        self._first = first
        self._measure: Measure | None = None  # of the length of a step, where a length of `_reach` is safe
        self._reach = 1.0
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

    def know_safe_length(self, length: float, measure: Measure) -> None:
        """Learn that a first step of this length is safe; `measure` returns the length of a step."""
        self._reach, self._measure = length, measure

    def learn(self, step: Array, change: Array) -> Asking[bool]:
        """Store a pair if its curvature is positive; otherwise the next direction could be one of ascent.

        Return whether longer steps are worth trying: the slope did not weaken along this step, and a safe length is
        known.
        """
        xp = namespace(step)
        pair = xp.stack([xp.reshape(vector, (-1,)) for vector in (step, change)])
        if self._vectors is None:
            self._vectors = xp.zeros((2 * self.memory, pair.shape[1]), dtype=step.dtype, device=step.device)
        products = yield Look(xp.concat([pair @ self._vectors.T, pair @ pair.T], axis=1))
        own = products[:, -2:]
        if not own[0, 1] > 1e-10 * (own[0, 0] * own[1, 1]) ** 0.5:
            self._reach *= 2
            return self._measure is not None
        slot = self._order.pop(0) if len(self._order) == self.memory else len(self._order)
        rows = [slot, slot + self.memory]
        for row, vector, with_others in zip(rows, (pair[0, :], pair[1, :]), products[:, :-2], strict=True):
            self._vectors[row, :] = vector
            self._products[row, :] = self._products[:, row] = with_others
        self._products[np.ix_(rows, rows)] = own
        self._order.append(slot)
        return False

    def steepest(self, gradient: Array) -> Asking[Array]:
        """Return minus the gradient, scaled by the last step (Barzilai & Borwein).

        The first step is as long as is known to be safe, and each step is twice as long as the last until positive
        curvature is found. Without that knowledge its length is at most 1.
        """
        if self._order:
            return -self._scale * gradient
        if self._measure is not None:
            length = yield from look_at(self._measure(gradient))
            return -gradient * (self._reach / (length or 1.0))
        if self._first:
            return -gradient * self._first
        square = yield from look_at(sum_products(gradient, gradient))
        return -gradient / max(1.0, square**0.5)

    @property
    def _scale(self) -> float:
        s, y = self._order[-1], self._order[-1] + self.memory
        return float(self._products[s, y] / self._products[y, y])

    def direction(self, gradient: Array) -> Asking[Array]:
        """Return minus the inverse Hessian times the gradient (two-loop recursion)."""
        if not self._order:
            return (yield from self.steepest(gradient))
        xp = namespace(gradient)
        flat = xp.reshape(gradient, (-1,))
        # Every vector below is of_gradient * gradient + coefficients @ vectors.
        with_gradient = yield Look(self._vectors @ flat)
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
