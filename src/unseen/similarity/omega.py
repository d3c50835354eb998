"""Define the four displacement weights of the adaptive similarity, and quantities derived from them.

With a = omega_13, b = omega_24, W = sqrt(ab) What and R = (I - What^T What)^-1 the score is

    kappa phi^T What R psi + 1/2 psi^T (beta R - w2 I) psi,   kappa = w1 w2 / sqrt(ab),   beta = w2^2 / b,

and the regulariser lambda/2 ||W||^2 is mu/2 ||What||^2 with mu = lambda ab. So (kappa, beta, w2, mu) determine the
learning problem. If all descriptions have length 1, w2 adds the same constant to every class and has no effect.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from unseen.utils.arrays import Array, namespace
from unseen.utils.errors import InputError

# Squares and products of weights within these bounds stay in the range of floats.
SMALLEST, LARGEST = 1e-100, 1e100


class Omega(NamedTuple):
    """The vector omega of Eq. eqn:ff: the costs of displacing features, and of the length of displaced features.

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

    The members may be arrays of shape (n,), for many omegas at once:

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
        """Make an `Omega` from four numbers, and refuse negative ones and zeros for w1 and w2."""
        try:
            values = [float(w) for w in omega]
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"omega={omega!r} is not a sequence of four numbers: give (w1, w2, w3, w4)") from error
        if len(values) != 4:
            raise InputError(f"omega has {len(values)} entries ({omega!r}): give four, (w1, w2, w3, w4)")
        for index, value in enumerate(values, start=1):
            _check_weight(index, value)
        return cls(*values)

    @classmethod
    def from_rows(cls, omegas: Array) -> Self:
        """Make one `Omega` with members of shape (n,) from the first four columns of an array with n rows."""
        return cls(*(omegas[:, k] for k in range(4)))

    # H, and when it is positive definite

    @property
    def w13(self) -> float:
        """A = omega_1 + omega_3, the upper diagonal of H."""
        return self.w1 + self.w3

    @property
    def w24(self) -> float:
        """B = omega_2 + omega_4, the lower diagonal of H."""
        return self.w2 + self.w4

    @property
    def product(self) -> float:
        """omega_13 omega_24, the square of `limit`."""
        return self.w13 * self.w24

    @property
    def limit(self) -> float:
        """The value that sigma_max(W) must stay below for H to be positive definite: sqrt(omega_13 omega_24)."""
        # The roots are taken separately, because the product may overflow.
        limit: float = _call("sqrt", self.w13) * _call("sqrt", self.w24)
        return limit

    def eigenvalues(self, sigma: Array) -> tuple[Array, Array]:
        """Return the two eigenvalues of H that belong to a singular value of W, the smaller first.

        They are (a + b)/2 ± sqrt(((a - b)/2)^2 + sigma^2). All others equal a or b.

        Parameters
        ----------
        sigma : array
            Singular values of W; for many omegas, one for each.
        """
        return self._eigenvalues(sigma**2, self.product - sigma**2)

    def eigenvalues_at(self, share: Array) -> tuple[Array, Array]:
        """Return the eigenvalues for singular values given as shares of `limit`; both are positive below 1.

        >>> Omega(2.0, 2.0, 0.0, 0.0).eigenvalues_at(0.5)
        (1.0, 3.0)
        """
        return self._eigenvalues(self.product * share**2, self.product * (1 - share**2))

    def _eigenvalues(self, square: Array, gap: Array) -> tuple[Array, Array]:
        """Return both eigenvalues from sigma^2 and from ab - sigma^2, which is their product."""
        a, b = self.w13, self.w24
        larger = (a + b) / 2 + _call("sqrt", ((a - b) / 2) ** 2 + square)
        # A quotient avoids the cancellation in (a + b)/2 - root.
        return gap / larger, larger

    # The learning problem in terms of What (see the module docstring)

    @property
    def kappa(self) -> float:
        """w1 w2 / sqrt(omega_13 omega_24): the weight of the part of the score that depends on image and class."""
        return self.w1 * self.w2 / self.limit

    @property
    def beta(self) -> float:
        """w2^2 / omega_24: the weight of the part of the score that depends only on the class."""
        return self.w2**2 / self.w24

    def mu(self, lam: Array) -> Array:
        """Return lam omega_13 omega_24, the weight of ||What||^2 / 2 for a weight lam of ||W||^2 / 2."""
        return lam * self.product

    @property
    def gain(self) -> float:
        """w1 w2 / (omega_13 omega_24): for small W the score is phi^T (gain W) psi."""
        return self.w1 * self.w2 / self.product

    def log10_problem(self, lam: Array) -> tuple[Array, Array, Array, Array]:
        """Return log10 of kappa, beta, mu and w2, computed from logarithms so that powers of ten stay exact.

        >>> Omega(10.0, 100.0, 90.0, 0.0).log10_problem(1.0)
        (1.0, 2.0, 4.0, 2.0)
        """
        a, b, w1, w2 = (_call("log10", weight) for weight in (self.w13, self.w24, self.w1, self.w2))
        return w1 + w2 - (a + b) / 2, 2 * w2 - b, _call("log10", lam) + a + b, w2


def _call(name: str, value: Array) -> Any:
    """Call the function of `math` for a number, or of the array's library for an array."""
    return getattr(math if isinstance(value, float | int) else namespace(value), name)(value)


def _check_weight(index: int, value: float) -> None:
    must_be_positive = index <= 2
    if not math.isfinite(value) or value < 0 or (must_be_positive and value == 0):
        wanted = "positive and finite" if must_be_positive else "zero or positive, and finite"
        raise InputError(f"omega[{index - 1}] (omega_{index}) is {value!r}: it must be {wanted}")
    # Those that may be 0 may also be next to nothing.
    smallest = SMALLEST if must_be_positive else 0.0
    if not smallest <= value <= LARGEST:
        raise InputError(
            f"omega[{index - 1}] (omega_{index}) is {value!r}, whose square leaves the range of floats: choose one "
            f"from {smallest:g} to {LARGEST:g}"
        )
