"""Solve linear equations between two symmetric matrices in the bases of their eigenvectors."""

from dataclasses import dataclass
from typing import Self

from unseen.utils.arrays import Array, namespace


@dataclass(frozen=True, eq=False)
class TwoSpectra:
    """A = U diag(e) U^T, C = R diag(f) R^T and B in their bases, where many equations fall apart into single numbers.

    (A + gamma I) V (C + lam I) = B becomes (e_i + gamma) (f_j + lam) V_ij = B_ij, and Sylvester's equation
    A V + V C = B becomes (e_i + f_j) V_ij = B_ij.

    Attributes
    ----------
    e, f : arrays of shapes (p,) and (q,)
        Eigenvalues of A and of C, in increasing order.
    U, R : arrays of shapes (p, p) and (q, q)
        Their eigenvectors, in columns.
    B : array of shape (p, q)
        U^T B R.
    """

    e: Array
    U: Array
    f: Array
    R: Array
    B: Array

    @classmethod
    def of(cls, A: Array, B: Array, C: Array) -> Self:
        """Decompose symmetric A (p, p) and C (q, q), and bring B (p, q) to their bases."""
        xp = namespace(A)
        (e, U), (f, R) = xp.linalg.eigh(A), xp.linalg.eigh(C)
        return cls(e, U, f, R, U.T @ B @ R)

    def solve_sylvester(self, alpha: float = 1.0, beta: float = 1.0) -> Array:
        """Return the smallest V with alpha A V + beta V C = B, for A and C without negative eigenvalues.

        Where both eigenvalues are zero, up to rounding, V is zero too.
        """
        xp = namespace(self.e)
        divisors = alpha * self.e[:, None] + beta * self.f[None, :]
        smallest = max(self.e.shape[0], self.f.shape[0]) * xp.finfo(divisors.dtype).eps * float(xp.max(divisors))
        usable = divisors > smallest
        divided = xp.where(usable, self.B / xp.where(usable, divisors, xp.ones_like(divisors)), xp.zeros_like(self.B))
        return self.U @ divided @ self.R.T
