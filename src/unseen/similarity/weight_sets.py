"""Convex sets that the weights W may be kept in (the set of W in Eq. eqn:general_learning).

A set knows how to project onto itself and whether it holds a matrix. `SpectralBall` is the set on which H is
positive definite; the others restrict W further, alone or together through `Intersection`.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol

from unseen.arrays import Array, as_float, float64, is_positive_definite, namespace
from unseen.errors import InputError


class WeightSet(Protocol):
    """A closed convex set of matrices."""

    @property
    def rotation_invariant(self) -> bool:
        """Whether rotations of the description space leave the set as it is, which lets learning shrink W."""

    def project(self, W: Array) -> Array:
        """Return the nearest matrix of the set (Frobenius norm)."""

    def contains(self, W: Array) -> bool:
        """Tell whether W lies in the set."""


@dataclass(frozen=True)
class AllMatrices:
    """No constraint."""

    rotation_invariant: ClassVar[bool] = True

    def project(self, W: Array) -> Array:
        """Return W itself."""
        return W

    def contains(self, W: Array) -> bool:
        """Return True."""
        return True


@dataclass(frozen=True)
class SpectralBall:
    """Matrices whose largest singular value is at most `radius`.

    With `radius` below sqrt(omega_13 omega_24) this is exactly where H is positive definite: the eigenvalues of H are
    (a + b)/2 ± sqrt(((a - b)/2)^2 + sigma^2), so the smallest is positive if and only if sigma_max^2 < a b.
    """

    radius: float
    rotation_invariant: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_radius(self.radius)

    def project(self, W: Array) -> Array:
        """Clip the singular values of W at the radius."""
        xp = namespace(W)
        U, sigma, Vt = xp.linalg.svd(float64(W), full_matrices=False)
        clipped = (U * xp.minimum(sigma, self.radius)[None, :]) @ Vt
        return xp.astype(clipped, W.dtype, copy=False)

    def contains(self, W: Array) -> bool:
        """Test radius^2 I - W^T W (on its smaller side) with one Cholesky factor: no singular values needed."""
        xp = namespace(W)
        W = float64(W) / self.radius
        small = W if W.shape[1] <= W.shape[0] else W.T
        # Rounding may leave a projected matrix a hair outside.
        identity = (1 + 1e-12) * xp.eye(small.shape[1], dtype=xp.float64, device=small.device)
        return is_positive_definite(identity - small.T @ small)


@dataclass(frozen=True)
class FrobeniusBall:
    """Matrices of Frobenius norm at most `radius`."""

    radius: float
    rotation_invariant: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_radius(self.radius)

    def project(self, W: Array) -> Array:
        """Scale W down to the radius if it is longer."""
        norm = as_float(namespace(W).linalg.matrix_norm(W))
        return W if norm <= self.radius else W * (self.radius / norm)

    def contains(self, W: Array) -> bool:
        """Compare the norm with the radius."""
        return as_float(namespace(W).linalg.matrix_norm(W)) <= self.radius * (1 + 1e-6)


@dataclass(frozen=True)
class NonNegativeMatrices:
    """Matrices without a negative entry."""

    rotation_invariant: ClassVar[bool] = False

    def project(self, W: Array) -> Array:
        """Set the negative entries to zero."""
        xp = namespace(W)
        return xp.where(W > 0, W, xp.zeros_like(W))

    def contains(self, W: Array) -> bool:
        """Look for a negative entry."""
        return bool(namespace(W).all(W >= 0))


@dataclass(frozen=True)
class Intersection:
    """The matrices that lie in every one of several sets, projected onto by Dykstra's algorithm."""

    members: tuple[WeightSet, ...]
    max_iter: int = 500

    @property
    def rotation_invariant(self) -> bool:
        """True when every member is invariant."""
        return all(member.rotation_invariant for member in self.members)

    def project(self, W: Array) -> Array:
        """Project in turn on each set, correcting for what the earlier projections took away."""
        corrections = [W * 0 for _ in self.members]
        for _ in range(self.max_iter):
            for index, member in enumerate(self.members):
                shifted = W + corrections[index]
                W = member.project(shifted)
                corrections[index] = shifted - W
            if self.contains(W):
                break
        return W

    def contains(self, W: Array) -> bool:
        """Ask every member."""
        return all(member.contains(W) for member in self.members)


def _check_radius(radius: float) -> None:
    if not math.isfinite(radius) or radius <= 0:
        raise InputError(f"radius={radius!r} leaves no set to learn in: it must be positive and finite")
