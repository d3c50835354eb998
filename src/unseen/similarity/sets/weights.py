"""Define convex sets for the weights W (the set of W in Eq. eqn:general_learning).

A set can project a matrix onto itself and tell whether it contains a matrix. `SpectralBall` is the set on which H is
positive definite; the others restrict W further, alone or combined by `Intersection`.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from unseen.similarity.sets.ball_coordinates import BallChart, is_in_ball
from unseen.utils.arrays import Array, as_float, inner, namespace, to_float64
from unseen.utils.errors import InputError

# Tolerance of a projection onto an intersection, relative to the norm of the projected matrix.
PROJECTION_TOLERANCE = 1e-12


class WeightSet(ABC):
    """A closed convex set of matrices.

    A subclass implements `project` and `contains`; the other members are optional and used by solvers.
    """

    @property
    def rotation_invariant(self) -> bool:
        """Whether rotations of the description space leave the set unchanged, so that learning can reduce W."""
        return False

    @property
    def constrains(self) -> bool:
        """Whether some matrices lie outside of the set."""
        return True

    @property
    def chart(self) -> BallChart | None:
        """Coordinates in which the set has no boundary, so that solvers need no projection; None if there are none."""
        return None

    @abstractmethod
    def project(self, W: Array) -> Array:
        """Return the nearest matrix of the set (Frobenius norm)."""

    @abstractmethod
    def contains(self, W: Array) -> bool:
        """Tell whether W lies in the set."""


@dataclass(frozen=True)
class AllMatrices(WeightSet):
    """All matrices, without constraints."""

    rotation_invariant: ClassVar[bool] = True
    constrains: ClassVar[bool] = False

    def project(self, W: Array) -> Array:
        """Return W itself."""
        return W

    def contains(self, W: Array) -> bool:
        """Return True."""
        return True


@dataclass(frozen=True)
class SpectralBall(WeightSet):
    """Matrices whose largest singular value is at most `radius`.

    With `radius` below sqrt(omega_13 omega_24), H is positive definite on this set: the eigenvalues of H are
    (a + b)/2 ± sqrt(((a - b)/2)^2 + sigma^2), so the smallest is positive if and only if sigma_max^2 < a b.
    """

    radius: float
    rotation_invariant: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_radius(self.radius)

    def project(self, W: Array) -> Array:
        """Clip the singular values of W at the radius."""
        xp = namespace(W)
        U, sigma, Vt = xp.linalg.svd(to_float64(W), full_matrices=False)
        clipped = (U * xp.minimum(sigma, self.radius)[None, :]) @ Vt
        return xp.astype(clipped, W.dtype, copy=False)

    def contains(self, W: Array) -> bool:
        """Compare the largest singular value with the radius, without computing it."""
        return is_in_ball(W, self.radius)

    @property
    def chart(self) -> BallChart:
        """Coordinates of the ball."""
        return BallChart(self.radius)


@dataclass(frozen=True)
class FrobeniusBall(WeightSet):
    """Matrices of Frobenius norm at most `radius`."""

    radius: float
    rotation_invariant: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_radius(self.radius)

    def project(self, W: Array) -> Array:
        """Scale W down to the radius if its norm is larger."""
        norm = as_float(namespace(W).linalg.matrix_norm(W))
        return W if norm <= self.radius else W * (self.radius / norm)

    def contains(self, W: Array) -> bool:
        """Compare the norm with the radius."""
        return as_float(namespace(W).linalg.matrix_norm(W)) <= self.radius * (1 + 1e-6)


@dataclass(frozen=True)
class NonNegativeMatrices(WeightSet):
    """Matrices without a negative entry."""

    def project(self, W: Array) -> Array:
        """Set the negative entries to zero."""
        xp = namespace(W)
        return xp.where(W > 0, W, xp.zeros_like(W))

    def contains(self, W: Array) -> bool:
        """Tell whether W has no negative entry."""
        return bool(namespace(W).all(W >= 0))


@dataclass(frozen=True)
class Intersection(WeightSet):
    """The matrices that lie in every one of several sets.

    A projection lies in the last set exactly, and in the others up to rounding. It is the nearest point up to rounding,
    as the cuts of `unseen.learning.solvers.planes.cutting_plane` require.
    """

    members: tuple[WeightSet, ...]
    max_iter: int = 2000

    @property
    def rotation_invariant(self) -> bool:
        """True when every member is invariant."""
        return all(member.rotation_invariant for member in self.members)

    def project(self, W: Array) -> Array:
        """Project W by rounds of Dykstra's algorithm.

        For two sets a round is a proximal gradient step on the dual problem (Chambolle & Pock, 2015), so it can
        be accelerated, with a restart whenever the momentum points in the wrong direction.
        """
        if self.contains(W):
            return W
        first, rest = self.members[0], self._join_rest()
        xp, dtype, W = namespace(W), W.dtype, to_float64(W)
        norm = xp.linalg.matrix_norm
        enough = PROJECTION_TOLERANCE * as_float(norm(W))
        taken = ahead = W * 0
        age = 0
        for _ in range(self.max_iter):
            shifted = rest.project(W - ahead) + ahead
            last, taken = taken, shifted - first.project(shifted)
            # This is the distance between the projections onto the two sets.
            if as_float(norm(taken - ahead)) <= enough:
                break
            age = 0 if inner(ahead - taken, taken - last) > 0 else age + 1
            ahead = taken + age / (age + 3) * (taken - last)
        return xp.astype(rest.project(W - taken), dtype, copy=False)

    def _join_rest(self) -> WeightSet:
        rest = self.members[1:]
        if not rest:
            return AllMatrices()
        return rest[0] if len(rest) == 1 else Intersection(rest, self.max_iter)

    def contains(self, W: Array) -> bool:
        """Tell whether every member contains W."""
        return all(member.contains(W) for member in self.members)


def _check_radius(radius: float) -> None:
    if not math.isfinite(radius) or radius <= 0:
        raise InputError(f"radius={radius!r} leaves no set to learn in: it must be positive and finite")
