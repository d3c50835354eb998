"""Regress class indicators on features and descriptions together, with a ridge on each side: ESZSL's problem."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Self

from unseen.models.closed_forms.two_spectra import TwoSpectra
from unseen.models.exemplars.class_statistics import ClassStatistics
from unseen.utils.arrays import Array, namespace


@dataclass(frozen=True, eq=False)
class TwoSidedRidge:
    """What V = (A + gamma I)^-1 B (C + lam I)^-1 is made of.

    Attributes
    ----------
    A : array of shape (d, d)
        X^T X.
    B : array of shape (d, d_s)
        X^T Y S, where Y has +1 at the true class of each row and -1 elsewhere.
    C : array of shape (d_s, d_s)
        S^T S.
    """

    A: Array
    B: Array
    C: Array

    @classmethod
    def of(cls, statistics: ClassStatistics, psi: Array) -> Self:
        """Put the problem together from the statistics of the rows and the seen descriptions (C, d_s)."""
        sums = statistics.sums
        signed = 2 * sums - namespace(sums).sum(sums, axis=0)[None, :]
        return cls(statistics.products, signed.T @ psi, psi.T @ psi)

    def solve(self, gamma: float, lam: float) -> Array:
        """Return V (d, d_s)."""
        return solve_ridge(self.A, self.solve_right(lam), gamma)

    def solve_right(self, lam: float) -> Array:
        """Return B (C + lam I)^-1, what V has without the features' side."""
        return solve_ridge(self.C, self.B.T, lam).T


class DecomposedRidge:
    """The same problem after two eigendecompositions, with which every further solution costs two products."""

    def __init__(self, problem: TwoSidedRidge) -> None:
        self.spectra = TwoSpectra.of(problem.A, problem.B, problem.C)

    def solve(self, gamma: float, lam: float) -> Array:
        """Return V (d, d_s)."""
        return (self._left(gamma) / (self.spectra.f + lam)[None, :]) @ self.spectra.R.T

    @cached_property
    def _left(self) -> Callable[[float], Array]:
        """The product with U, kept for the last gamma: grids change lam first."""
        spectra = self.spectra
        return lru_cache(maxsize=1)(lambda gamma: spectra.U @ (spectra.B / (spectra.e + gamma)[:, None]))


def solve_ridge(A: Array, B: Array, ridge: float) -> Array:
    """Return (A + ridge I)^-1 B."""
    xp = namespace(A)
    identity = xp.eye(A.shape[0], dtype=A.dtype, device=A.device)
    return xp.linalg.solve(A + ridge * identity, B)
