"""Define feasible sets Z_t and Z_s for the latent features of Eq. eqn:ff, and projections on them.

Each set is a small immutable object. Alternating optimisation (`unseen.similarity.alternating`) uses only the three
members of `FeasibleSet`, so a new closed convex set is one more class with these members.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, Self

from array_api_compat import device

from unseen.utils.arrays import Array, as_float, namespace, to_numpy
from unseen.utils.errors import InputError


class FeasibleSet(Protocol):
    """A nonempty closed convex set of vectors, as Properties prop:go to prop:local require of Z_t and Z_s."""

    @property
    def bounded(self) -> bool:
        """Whether the set is bounded; only then does Eq. eqn:ff have a maximum for every H."""
        ...

    def project(self, z: Array) -> Array:
        """Move every vector to the nearest point of the set.

        Parameters
        ----------
        z : array of shape (..., d)

        Returns
        -------
        array of shape (..., d)
            The projections, with the library, precision and device of `z`.
        """
        ...

    def contains(self, z: Array, tol: float | None = None) -> Array:
        """Tell for every vector whether it lies in the set.

        Parameters
        ----------
        z : array of shape (..., d)
        tol : float, optional
            Tolerance of every constraint, relative to the larger of 1 and the size of the set; by default
            `eps ** 0.75`, where eps is the machine epsilon of the precision of `z`.

        Returns
        -------
        boolean array of shape (...)
        """
        ...


@dataclass(frozen=True)
class AllSpace:
    """The whole space, without constraints; projection changes nothing."""

    @property
    def bounded(self) -> bool:  # noqa: D102 (documented in the protocol, as in every class below)
        return False

    def project(self, z: Array) -> Array:  # noqa: D102
        return z

    def contains(self, z: Array, tol: float | None = None) -> Array:  # noqa: D102
        xp = namespace(z)
        return xp.all(xp.isfinite(z), axis=-1)


@dataclass(frozen=True)
class Ball:
    """The Euclidean ball around the origin, ‖z‖ <= radius (Eq. eqn:Zs and Eq. eqn:Zt).

    Parameters
    ----------
    radius : float
        Radius of the ball, finite and at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> Ball(radius=1.0).project(np.asarray([[3.0, 4.0], [0.1, 0.0]]))
    array([[0.6, 0.8],
           [0.1, 0. ]])
    """

    radius: float

    def __post_init__(self) -> None:
        if not 0 <= self.radius < math.inf:
            raise InputError(
                f"radius of a Ball is {self.radius}: give a finite number of at least 0 (AllSpace() is the ball "
                "without bound)"
            )

    @classmethod
    def from_gamma(cls, gamma: float) -> Self:
        """Make the ball in the notation of the paper, ‖z‖² <= gamma.

        >>> Ball.from_gamma(9.0)
        Ball(radius=3.0)
        """
        if not 0 <= gamma < math.inf:
            raise InputError(
                f"gamma of a Ball is {gamma}: give a finite number of at least 0 (AllSpace() is the ball without bound)"
            )
        return cls(radius=math.sqrt(gamma))

    @property
    def bounded(self) -> bool:  # noqa: D102
        return True

    def project(self, z: Array) -> Array:  # noqa: D102
        xp = namespace(z)
        norm = xp.linalg.vector_norm(z, axis=-1, keepdims=True)
        outside = norm > self.radius
        # Rows inside keep the factor 1 exactly, and are not divided by their norm, which may be 0.
        return z * xp.where(outside, self.radius / xp.where(outside, norm, xp.ones_like(norm)), xp.ones_like(norm))

    def contains(self, z: Array, tol: float | None = None) -> Array:  # noqa: D102
        norm = namespace(z).linalg.vector_norm(z, axis=-1)
        return norm <= self.radius + _compute_slack(z, tol, self.radius)


@dataclass(frozen=True)
class Simplex:
    """Non-negative vectors whose entries sum to `total`.

    Parameters
    ----------
    total : float, default 1
        Sum of the entries, finite and positive.

    Examples
    --------
    >>> import numpy as np
    >>> Simplex().project(np.asarray([[0.5, 0.3, 0.9], [5.0, 0.0, 0.0]]))
    array([[0.26666667, 0.06666667, 0.66666667],
           [1.        , 0.        , 0.        ]])
    """

    total: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.total < math.inf:
            raise InputError(f"total of a Simplex is {self.total}: give a finite positive number, such as 1")

    @property
    def bounded(self) -> bool:  # noqa: D102
        return True

    def project(self, z: Array) -> Array:
        """Subtract one threshold per row and clip at 0.

        The threshold is the largest over k of (sum of the k largest entries - total) / k. These means rise as long
        as the next entry is above the present threshold, and fall afterwards, so the last positive entry need not be
        searched for.
        """
        xp = namespace(z)
        z = z - xp.max(z, axis=-1, keepdims=True)  # this does not change the projection and keeps the sums small
        largest_first = xp.sort(z, axis=-1, descending=True)
        k = xp.arange(1, z.shape[-1] + 1, dtype=z.dtype, device=device(z))
        threshold = xp.max((xp.cumulative_sum(largest_first, axis=-1) - self.total) / k, axis=-1, keepdims=True)
        return xp.clip(z - threshold, min=0.0)

    def contains(self, z: Array, tol: float | None = None) -> Array:  # noqa: D102
        xp = namespace(z)
        slack = _compute_slack(z, tol, self.total)
        return xp.all(z >= -slack, axis=-1) & (xp.abs(xp.sum(z, axis=-1) - self.total) <= slack)


@dataclass(frozen=True)
class NonNegative:
    """Vectors without a negative entry.

    Examples
    --------
    >>> import numpy as np
    >>> NonNegative().project(np.asarray([1.0, -2.0]))
    array([1., 0.])
    """

    @property
    def bounded(self) -> bool:  # noqa: D102
        return False

    def project(self, z: Array) -> Array:  # noqa: D102
        return namespace(z).clip(z, min=0.0)

    def contains(self, z: Array, tol: float | None = None) -> Array:  # noqa: D102
        return namespace(z).all(z >= -_compute_slack(z, tol, 0.0), axis=-1)


@dataclass(frozen=True, repr=False)
class Box:
    """Vectors between two bounds, entry by entry.

    Parameters
    ----------
    lower, upper : float or vector of d floats
        Bounds with lower <= upper; -inf and inf mean no bound. Vectors of any array library are stored as tuples, so
        that boxes can be compared and hashed.

    Examples
    --------
    >>> import numpy as np
    >>> Box(lower=0.0, upper=[1.0, 2.0]).project(np.asarray([[3.0, 3.0], [-1.0, 1.0]]))
    array([[1., 2.],
           [0., 1.]])
    """

    lower: float | tuple[float, ...]
    upper: float | tuple[float, ...]

    def __init__(self, lower: float | Iterable[float], upper: float | Iterable[float]) -> None:
        # The dataclass is frozen, and this constructor accepts vectors of any library.
        object.__setattr__(self, "lower", _check_bound(lower, "lower", empty_side=math.inf))
        object.__setattr__(self, "upper", _check_bound(upper, "upper", empty_side=-math.inf))
        lowers, uppers = _align_bounds(self.lower, self.upper)
        for i, (low, high) in enumerate(zip(lowers, uppers, strict=True)):
            if low > high:
                raise InputError(
                    f"lower of a Box is {low} and upper {high} at entry {i}: swap them, lower must not exceed upper"
                )

    def __repr__(self) -> str:
        return f"Box(lower={_format_bound(self.lower)}, upper={_format_bound(self.upper)})"

    @property
    def bounded(self) -> bool:  # noqa: D102
        lowers, uppers = _align_bounds(self.lower, self.upper)
        return all(map(math.isfinite, (*lowers, *uppers)))

    def project(self, z: Array) -> Array:  # noqa: D102
        return namespace(z).clip(z, self._get_bound(z, "lower"), self._get_bound(z, "upper"))

    def contains(self, z: Array, tol: float | None = None) -> Array:  # noqa: D102
        lowers, uppers = _align_bounds(self.lower, self.upper)
        slack = _compute_slack(
            z, tol, max((abs(bound) for bound in (*lowers, *uppers) if math.isfinite(bound)), default=0.0)
        )
        inside = (z >= self._get_bound(z, "lower") - slack) & (z <= self._get_bound(z, "upper") + slack)
        return namespace(z).all(inside, axis=-1)

    def _get_bound(self, z: Array, name: str) -> Array:
        bound: float | tuple[float, ...] = getattr(self, name)
        if isinstance(bound, tuple) and len(bound) != z.shape[-1]:
            raise InputError(
                f"{name} of a Box has {len(bound)} entries but the vectors have {z.shape[-1]}: give one bound per "
                "entry, or a single number"
            )
        # An array even for a single number, because not every library can clip with an array and a number.
        return namespace(z).asarray(bound, dtype=z.dtype, device=device(z))


def _compute_slack(z: Array, tol: float | None, size: float) -> float:
    eps = as_float(namespace(z).finfo(z.dtype).eps)
    return (eps**0.75 if tol is None else tol) * max(1.0, size)


def _check_bound(value: float | Iterable[float], name: str, empty_side: float) -> float | tuple[float, ...]:
    """Return a bound as a float or a tuple of floats; a bound at `empty_side` would leave the box empty."""
    numbers = to_numpy(value).astype(float)
    if numbers.ndim > 1 or not numbers.size:
        raise InputError(
            f"{name} of a Box has shape {numbers.shape}: give a number, or a vector with one bound per entry"
        )
    for number in numbers.reshape(-1):
        if math.isnan(number) or number == empty_side:
            raise InputError(f"{name} of a Box holds {number}: give a number, or {-empty_side} for no {name} bound")
    return float(numbers) if numbers.ndim == 0 else tuple(numbers.tolist())


def _align_bounds(
    lower: float | tuple[float, ...], upper: float | tuple[float, ...]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return both bounds as tuples of the same length."""
    lengths = [len(bound) for bound in (lower, upper) if isinstance(bound, tuple)]
    if len(set(lengths)) > 1:
        raise InputError(
            f"lower and upper of a Box have {lengths[0]} and {lengths[1]} entries: give vectors of one length"
        )
    length = lengths[0] if lengths else 1
    lowers = lower if isinstance(lower, tuple) else (lower,) * length
    uppers = upper if isinstance(upper, tuple) else (upper,) * length
    return lowers, uppers


def _format_bound(bound: float | tuple[float, ...]) -> str:
    return f"<{len(bound)} values>" if isinstance(bound, tuple) and len(bound) > 4 else repr(bound)
