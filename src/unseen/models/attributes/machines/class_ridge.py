"""Ridge regression of class membership on features, which regresses any codes of the classes by one more product."""

from dataclasses import dataclass
from typing import NamedTuple, Self

from unseen.features import Rows
from unseen.models.exemplars.class_statistics import ClassStatistics
from unseen.utils.arrays import Array, namespace


class ClassRidge(NamedTuple):
    """The regression: phi(x) weights + offsets is the expected membership in each class, which sums to 1.

    Of codes A (C, q) with one row a class, phi(x) weights A + offsets A is the ridge regression of each row's code.

    Attributes
    ----------
    weights : array of shape (d, C)
    offsets : array of shape (C,)
    missed : array of shape (C, C)
        T, symmetric: the mean squared error of the regression of codes A, with its penalty, is tr A^T T A.
    """

    weights: Array
    offsets: Array
    missed: Array


@dataclass(frozen=True, eq=False)
class Memberships:
    """Means and covariances of features and class membership, all that the regression needs of the rows.

    Attributes
    ----------
    shares : array of shape (C,)
        Share of the rows that are of each class.
    mean : array of shape (d,)
    covariance : array of shape (d, d)
    cross : array of shape (d, C)
        Covariance of features and membership.
    """

    shares: Array
    mean: Array
    covariance: Array
    cross: Array

    @classmethod
    def of(cls, phi: Rows, y: Array, n_classes: int, weights: Array | None = None) -> Self:
        """Add up the rows in one pass, with classes 0..n_classes - 1 and weights (n,)."""
        added = ClassStatistics.of(phi, y, n_classes, weights)
        xp = namespace(added.sums)
        n = xp.sum(added.counts)
        shares, mean = added.counts / n, xp.sum(added.sums, axis=0) / n
        return cls(
            shares,
            mean,
            added.products / n - mean[:, None] * mean[None, :],
            added.sums.T / n - mean[:, None] * shares[None, :],
        )

    @property
    def mean_variance(self) -> float:
        """Mean variance of a feature, the unit of the regulariser."""
        xp = namespace(self.covariance)
        return float(xp.linalg.trace(self.covariance)) / int(self.covariance.shape[0])

    def solve(self, gamma: float) -> ClassRidge:
        """Minimise the mean squared error plus gamma |weights|^2, gamma in units of the mean variance."""
        xp, width = namespace(self.covariance), self.covariance.shape[0]
        identity = xp.eye(width, dtype=self.covariance.dtype, device=self.covariance.device)
        weights = xp.linalg.solve(self.covariance + gamma * self.mean_variance * identity, self.cross)
        return self._complete(weights, self.cross.T @ weights)

    def diagonalise(self) -> "MembershipSpectrum":
        """Return the same with the covariance diagonalised, to solve for many gammas."""
        xp = namespace(self.covariance)
        e, U = xp.linalg.eigh(self.covariance)
        return MembershipSpectrum(self, e, U, U.T @ self.cross)

    def _complete(self, weights: Array, explained: Array) -> ClassRidge:
        xp, shares = namespace(weights), self.shares
        identity = xp.eye(shares.shape[0], dtype=shares.dtype, device=shares.device)
        # The constant is free of the penalty, and explains what all rows share.
        explained = (explained + explained.T) / 2 + shares[:, None] * shares[None, :]
        return ClassRidge(weights, shares - self.mean @ weights, shares[:, None] * identity - explained)


@dataclass(frozen=True, eq=False)
class MembershipSpectrum:
    """Memberships with the eigendecomposition U diag(e) U^T of the covariance; `cross` is rotated, too."""

    memberships: Memberships
    e: Array
    U: Array
    cross: Array

    def solve(self, gamma: float) -> ClassRidge:
        """Solve as `Memberships` does, by two products."""
        level = gamma * self.memberships.mean_variance
        shrunk = self.cross / (self.e + level)[:, None]
        return self.memberships._complete(self.U @ shrunk, self.cross.T @ shrunk)
