"""The four displacement weights of the adaptive similarity."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Self

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
    >>> omega = Omega.checked((2.0, 3.0, 0.0, 1.0))
    >>> omega.w13, omega.w24, omega.limit
    (2.0, 4.0, 2.8284271247461903)
    """

    w1: float
    w2: float
    w3: float
    w4: float

    @property
    def w13(self) -> float:
        """omega_1 + omega_3, the upper diagonal of H."""
        return self.w1 + self.w3

    @property
    def w24(self) -> float:
        """omega_2 + omega_4, the lower diagonal of H."""
        return self.w2 + self.w4

    @property
    def limit(self) -> float:
        """The value that sigma_max(W) must stay below for H to be positive definite: sqrt(omega_13 omega_24)."""
        return math.sqrt(self.w13) * math.sqrt(self.w24)

    @classmethod
    def checked(cls, omega: Sequence[float]) -> Self:
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


def _check_weight(index: int, value: float) -> None:
    must_be_positive = index <= 2
    if not math.isfinite(value) or value < 0 or (must_be_positive and value == 0):
        wanted = "positive and finite" if must_be_positive else "zero or positive, and finite"
        raise InputError(f"omega[{index - 1}] (omega_{index}) is {value!r}: it must be {wanted}")
