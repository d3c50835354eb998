"""Factorise V = W_x^T W_z, with a penalty on W_z that switches off whole attributes: the problem of Qiao et al."""

from dataclasses import dataclass
from typing import Self

from unseen.models.closed_forms.two_sided_ridge import solve_ridge
from unseen.models.exemplars.class_statistics import ClassStatistics
from unseen.utils.arrays import Array, as_float, inner, namespace

# Reweightings of the attributes each time that W_z is found: more change the objective on digit-pairs
# by less than a millionth.
REWEIGHTINGS = 10

# Squared length of an attribute's weights, relative to the mean one of the first solution, below which it counts as 0.
SMOOTHING = 1e-8

# Singular values of W_z Z below this share of the largest come from rounding.
RANK_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class NoiseSuppression:
    """|X^T W_x^T W_z Z - Y|^2 + lam1 |W_x^T W_z Z|^2 + lam2 sum_i sqrt(|w_i|^2 + s), with the columns w_i of W_z.

    Shapes are the paper's: rows are columns of X (d, n), descriptions columns of Z (d_s, C), and Y (n, C) is 1 at the
    true class of each row and 0 elsewhere.

    Attributes
    ----------
    covariance : array of shape (d, d)
        X X^T.
    sums : array of shape (d, C)
        X Y, the sum of the rows of each class.
    n : float
        Number of rows, or the sum of their weights.
    Z : array of shape (d_s, C)
    lam1, lam2 : float
    classifiers : array of shape (d, C)
        (X X^T + lam1 I)^-1 X Y, which is ridge regression on the indicators of the classes.
    """

    covariance: Array
    sums: Array
    n: float
    Z: Array
    lam1: float
    lam2: float
    classifiers: Array

    @classmethod
    def of(cls, rows: ClassStatistics, psi: Array, lam1: float, lam2: float) -> Self:
        """Put the problem together from the statistics of the rows and the seen descriptions psi (C, d_s)."""
        n, sums = as_float(namespace(psi).sum(rows.counts)), rows.sums.T
        return cls(rows.products, sums, n, psi.T, lam1, lam2, solve_ridge(rows.products, sums, lam1))

    def find_W_z(self, W_x: Array, lengths: Array | None, smoothing: float | None) -> tuple[Array, Array, float]:
        """Find W_z (k, d_s) for W_x (k, d), starting from the lengths of its columns if they are known.

        The paper solves A W_z + W_z B = C with A = lam2 M^-1, B = Z Z^T D^-1 and M = W_x (X X^T + lam1 I) W_x^T. The
        same, without an inverse of M, is M W_z Z Z^T + lam2 W_z D = W_x X Y Z^T. With M = U diag(e) U^T and
        Z^T D^-1 Z = Q diag(t) Q^T, both of the size of the number of classes, its solution is

            W_z = U [(U^T W_x X Y Q)_ij / (e_i t_j + lam2)] Q^T Z^T D^-1.

        Returns W_z, the (smoothed) lengths of its columns, and the smoothing s.
        """
        xp = namespace(W_x)
        M = W_x @ self.covariance @ W_x.T + self.lam1 * W_x @ W_x.T
        e, U = xp.linalg.eigh((M + M.T) / 2)
        wanted = U.T @ (W_x @ self.sums)
        inverse_D = xp.ones_like(self.Z[:, 0]) if lengths is None else 2 * lengths
        W_z = W_x[:, :0]
        for _ in range(REWEIGHTINGS):
            weighted = self.Z * inverse_D[:, None]
            t, Q = xp.linalg.eigh(self.Z.T @ weighted)
            divisors = xp.clip(e, 0, None)[:, None] * xp.clip(t, 0, None)[None, :] + self.lam2
            W_z = U @ ((wanted @ Q) / divisors) @ (weighted @ Q).T
            squares = xp.sum(W_z * W_z, axis=0)
            smoothing = SMOOTHING * as_float(xp.mean(squares)) if smoothing is None else smoothing
            lengths = xp.sqrt(squares + smoothing)
            inverse_D = 2 * lengths
        assert lengths is not None
        assert smoothing is not None
        return W_z, lengths, smoothing

    def find_W_x(self, W_z: Array) -> Array:
        """Find W_x (k, d) for W_z (k, d_s).

        W_x^T = (X X^T + lam1 I)^-1 X Y P^T (P P^T)^-1 with P = W_z Z. P P^T has no inverse where descriptions are
        centred or fewer than classes, so that we take the smallest solution, with P's pseudo-inverse.
        """
        return namespace(W_z).linalg.pinv(W_z @ self.Z, rtol=RANK_TOLERANCE).T @ self.classifiers.T

    def measure(self, W_x: Array, W_z: Array, lengths: Array) -> float:
        """Return the value of the objective, given the smoothed lengths of the columns of W_z."""
        V = W_x.T @ (W_z @ self.Z)
        missed = inner(V, self.covariance @ V) - 2 * inner(V, self.sums) + self.n
        return missed + self.lam1 * inner(V, V) + self.lam2 * as_float(namespace(V).sum(lengths))
