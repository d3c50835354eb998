"""The four displacement weights of the adaptive similarity, and what follows from them alone.

With a = omega_13, b = omega_24, W = sqrt(ab) What and R = (I - What^T What)^-1 the score is

    kappa phi^T What R psi + 1/2 psi^T (beta R - w2 I) psi,   kappa = w1 w2 / sqrt(ab),   beta = w2^2 / b,

and the regulariser lambda/2 ||W||^2 is mu/2 ||What||^2 with mu = lambda ab. So (kappa, beta, w2, mu) fix the learning
problem; where all descriptions have length 1, w2 adds the same to every class and drops out.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from unseen.utils.arrays import Array, namespace
from unseen.utils.errors import InputError


class Omega(NamedTuple):
    """The vector omega of Eq. eqn:ff: what it costs to move features, and what moved features cost.

    Parameters
    ----------
    w1, w2 : float > 0
        Cost of moving z_t away from phi(x), and z_s away from psi(y).
    w3, w4 : float >= 0
        Cost of the length of z_t and of z_s.

    Examples
    --------
    >>> omega = Omega.from_sequence((2.0, 3.0, 0.0, 1.0))
    >>> omega.w13, omega.w24, omega.limit
    (2.0, 4.0, 2.8284271247461903)

    Many omegas at once, as the rows of an array of any library; every member is then an array of shape (n,):

    >>> import numpy as np
    >>> Omega.from_rows(np.array([[2.0, 3.0, 0.0, 1.0], [1.0, 1.0, 3.0, 3.0]])).w24
    array([4., 4.])
    """

    w1: float
    w2: float
    w3: float
    w4: float

    @classmethod
    def from_sequence(cls, omega: Sequence[float]) -> Self:
        """Make an `Omega` from any four numbers, refusing those that give no penalty."""
        try:
            values = [float(w) for w in omega]
        except (TypeError, ValueError) as error:
            raise InputError(f"omega={omega!r} is not a sequence of four numbers: give (w1, w2, w3, w4)") from error
        if len(values) != 4:
            raise InputError(f"omega has {len(values)} entries ({omega!r}): give four, (w1, w2, w3, w4)")
        for index, value in enumerate(values, start=1):
            _check_weight(index, value)
        return cls(*values)

    @classmethod
    def from_rows(cls, omegas: Array) -> Self:
        """Take n omegas, the first four columns of an array, as one whose members are arrays of shape (n,)."""
        return cls(*(omegas[:, k] for k in range(4)))

    # H and where it is positive definite

    @property
    def w13(self) -> float:
        """omega_1 + omega_3, the upper diagonal of H: a."""
        return self.w1 + self.w3

    @property
    def w24(self) -> float:
        """omega_2 + omega_4, the lower diagonal of H: b."""
        return self.w2 + self.w4

    @property
    def product(self) -> float:
        """omega_13 omega_24, the square of `limit`."""
        return self.w13 * self.w24

    @property
    def limit(self) -> float:
        """The value that sigma_max(W) must stay below for H to be positive definite: sqrt(omega_13 omega_24)."""
        # Of each by itself: their product may leave the range of floats.
        limit: float = _call("sqrt", self.w13) * _call("sqrt", self.w24)
        return limit

    def eigenvalues(self, sigma: Array) -> tuple[Array, Array]:
        """Return the two eigenvalues of H that a singular value of W gives, the smaller first.

        They are (a + b)/2 ± sqrt(((a - b)/2)^2 + sigma^2). All others equal a or b.

        Parameters
        ----------
        sigma : array
            Singular values of W; of many omegas, one for each.
        """
        return self._eigenvalues(sigma**2, self.product - sigma**2)

    def eigenvalues_at(self, share: Array) -> tuple[Array, Array]:
        """Return the same for singular values as shares of `limit`: the smaller is positive exactly below 1.

        >>> Omega(2.0, 2.0, 0.0, 0.0).eigenvalues_at(0.5)
        (1.0, 3.0)
        """
        return self._eigenvalues(self.product * share**2, self.product * (1 - share**2))

    def _eigenvalues(self, square: Array, gap: Array) -> tuple[Array, Array]:
        """Return both eigenvalues from sigma^2 and from ab - sigma^2, which is their product."""
        a, b = self.w13, self.w24
        larger = (a + b) / 2 + _call("sqrt", ((a - b) / 2) ** 2 + square)
        # A quotient keeps the digits that (a + b)/2 - root would cancel.
        return gap / larger, larger

    # The learning problem in What (see the module)

    @property
    def kappa(self) -> float:
        """w1 w2 / sqrt(omega_13 omega_24): the weight of the part of the score that both features share."""
        return self.w1 * self.w2 / self.limit

    @property
    def beta(self) -> float:
        """w2^2 / omega_24: the weight of the part of the score that only the class decides."""
        return self.w2**2 / self.w24

    def mu(self, lam: Array) -> Array:
        """Return lam omega_13 omega_24, the weight of ||What||^2 / 2 for a weight lam of ||W||^2 / 2."""
        return lam * self.product

    @property
    def gain(self) -> float:
        """w1 w2 / (omega_13 omega_24): for small W the score is phi^T (gain W) psi."""
        return self.w1 * self.w2 / self.product

    def log10_problem(self, lam: Array) -> tuple[Array, Array, Array, Array]:
        """Return log10 of kappa, beta, mu and w2, added up from logarithms so that powers of ten stay exact.

        >>> Omega(10.0, 100.0, 90.0, 0.0).log10_problem(1.0)
        (1.0, 2.0, 4.0, 2.0)
        """
        a, b, w1, w2 = (_call("log10", weight) for weight in (self.w13, self.w24, self.w1, self.w2))
        return w1 + w2 - (a + b) / 2, 2 * w2 - b, _call("log10", lam) + a + b, w2


def _call(name: str, value: Array) -> Any:
    """Call a function of `math` for a number, of the array's own library for an array."""
    return getattr(math if isinstance(value, float | int) else namespace(value), name)(value)


def _check_weight(index: int, value: float) -> None:
    must_be_positive = index <= 2
    if not math.isfinite(value) or value < 0 or (must_be_positive and value == 0):
        wanted = "positive and finite" if must_be_positive else "zero or positive, and finite"
        raise InputError(f"omega[{index - 1}] (omega_{index}) is {value!r}: it must be {wanted}")
