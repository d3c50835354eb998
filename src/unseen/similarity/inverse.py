"""Apply the inverse of H, as Eq. eqn:z and Eq. eqn:yy require, without forming it.

H has the blocks [[a I, -W], [-W^T, b I]] with a = omega_13 and b = omega_24. Its (pseudo-)inverse has blocks

    [[TT, TS], [TS^T, SS]],   TT (d_t, d_t), TS (d_t, d_s), SS (d_s, d_s),

where TT = b (ab I - W W^T)^-1, SS = a (ab I - W^T W)^-1 and TS = W (ab I - W^T W)^-1 when H is positive definite. Only
the smaller of the two square blocks is computed; the other is applied as TT = (I + TS W^T) / a.
"""

from dataclasses import dataclass
from typing import Protocol

from unseen.similarity.omega import Omega
from unseen.utils.arrays import Array, convert_like, is_positive_definite, namespace, to_float64

# Relative distance of sigma^2 from omega_13 omega_24 below which H counts as singular and is pseudo-inverted.
SINGULAR = 1e-10


class InverseOfH(Protocol):
    """The blocks of the inverse of H, as operators on columns."""

    def tt(self, X: Array) -> Array:
        """Return TT X for X of shape (d_t, k)."""

    def ts(self, X: Array) -> Array:
        """Return TS X for X of shape (d_s, k)."""

    def st(self, X: Array) -> Array:
        """Return TS^T X for X of shape (d_t, k)."""

    def ss(self, X: Array) -> Array:
        """Return SS X for X of shape (d_s, k)."""

    def on_descriptions(self, X: Array) -> tuple[Array, Array]:
        """Return TS X and SS X for X of shape (d_s, k), computed together."""

    def pull_back(self, M: Array, S: Array) -> Array:
        """Return TT M SS + TS M^T TS + TS S SS for M of shape (d_t, d_s) and symmetric S of shape (d_s, d_s).

        These are all terms of a gradient with respect to W. The result has the precision of M.
        """


def invert(W: Array, omega: Omega) -> InverseOfH:
    """Return the inverse of H if H is positive definite, and its pseudo-inverse otherwise."""
    if W.shape[1] > W.shape[0]:
        return _Swapped(invert(W.T, Omega(omega.w2, omega.w1, omega.w4, omega.w3)))
    xp = namespace(W)
    a, b = omega.w13, omega.w24
    identity = xp.eye(W.shape[1], dtype=W.dtype, device=W.device)
    gap = a * b * identity - W.T @ W
    # By rounding, a singular H may appear to be positive definite.
    if is_positive_definite(gap - SINGULAR * a * b * identity):
        return _Factored(W, xp.linalg.inv(gap), a)
    return _pseudo_invert(W, a, b)


@dataclass(frozen=True)
class _Factored:
    """The inverse if H is positive definite and d_s <= d_t, computed from Q = (ab I - W^T W)^-1."""

    W: Array
    Q: Array
    a: float

    def tt(self, X: Array) -> Array:
        return (X + self.ts(self.W.T @ X)) / self.a

    def ts(self, X: Array) -> Array:
        return self.W @ (self.Q @ X)

    def st(self, X: Array) -> Array:
        return self.Q @ (self.W.T @ X)

    def ss(self, X: Array) -> Array:
        return self.a * (self.Q @ X)

    def on_descriptions(self, X: Array) -> tuple[Array, Array]:
        # Transposed, because the product of features with TS X is faster if its columns lie in one piece.
        XQ = X.T @ self.Q
        return (XQ @ self.W.T).T, self.a * XQ.T

    def pull_back(self, M: Array, S: Array) -> Array:
        # With K = W^T M, the three terms share their factors: (M + TS (K + K^T + a S)) Q.
        W, Q = convert_like(self.W, M), convert_like(self.Q, M)
        K = W.T @ M
        return (M + W @ (Q @ (K + K.T + self.a * S))) @ Q


class _ByTerms:
    """Mixin that computes the compound operators from the single ones."""

    def on_descriptions(self: InverseOfH, X: Array) -> tuple[Array, Array]:
        return self.ts(X), self.ss(X)

    def pull_back(self: InverseOfH, M: Array, S: Array) -> Array:
        M, S = to_float64(M), to_float64(S)
        return self.ss((self.tt(M) + self.ts(S)).T).T + self.st(self.ts(M.T).T).T


@dataclass(frozen=True)
class _Pseudo(_ByTerms):
    """The pseudo-inverse, with one 2 x 2 block for each singular pair (U_k, V_k) of W, and a and b elsewhere."""

    U: Array
    V: Array
    coefficients: tuple[Array, Array, Array]  # of TT, TS and SS on the singular pairs
    a: float
    b: float

    def tt(self, X: Array) -> Array:
        return X / self.a + self.U @ ((self.coefficients[0] - 1 / self.a)[:, None] * (self.U.T @ X))

    def ts(self, X: Array) -> Array:
        return self.U @ (self.coefficients[1][:, None] * (self.V.T @ X))

    def st(self, X: Array) -> Array:
        return self.V @ (self.coefficients[1][:, None] * (self.U.T @ X))

    def ss(self, X: Array) -> Array:
        return X / self.b + self.V @ ((self.coefficients[2] - 1 / self.b)[:, None] * (self.V.T @ X))


def _pseudo_invert(W: Array, a: float, b: float) -> _Pseudo:
    xp = namespace(W)
    U, sigma, Vt = xp.linalg.svd(W, full_matrices=False)
    gap = a * b - sigma**2
    singular = xp.abs(gap) <= SINGULAR * a * b
    # A singular block [[a, -s], [-s, b]] has the one eigenvalue a + b, so its pseudo-inverse is itself / (a + b)^2.
    safe = xp.where(singular, xp.ones_like(gap), gap)
    square = (a + b) ** 2
    coefficients = (
        xp.where(singular, xp.full_like(gap, a / square), b / safe),
        xp.where(singular, -sigma / square, sigma / safe),
        xp.where(singular, xp.full_like(gap, b / square), a / safe),
    )
    return _Pseudo(U, Vt.T, coefficients, a, b)


@dataclass(frozen=True)
class _Swapped(_ByTerms):
    """The inverse with the two domains exchanged, for d_s > d_t."""

    inner: InverseOfH

    def tt(self, X: Array) -> Array:
        return self.inner.ss(X)

    def ts(self, X: Array) -> Array:
        return self.inner.st(X)

    def st(self, X: Array) -> Array:
        return self.inner.ts(X)

    def ss(self, X: Array) -> Array:
        return self.inner.tt(X)
