"""Compute the adaptive similarity of the paper (Eq. eqn:ff) in closed form."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

from unseen.similarity.alternating.alternate import AlternatingResult, alternate
from unseen.similarity.base import AffineSimilarity
from unseen.similarity.bilinear import BilinearSimilarity
from unseen.similarity.inverse import InverseOfH, invert
from unseen.similarity.omega import Omega
from unseen.similarity.sets.feasible import AllSpace, FeasibleSet
from unseen.similarity.sets.weights import SpectralBall
from unseen.utils.arrays import Array, as_float, convert_like, cut_row_blocks, namespace, to_float64
from unseen.utils.errors import InputError

# Learning keeps sigma_max(W) this fraction below sqrt(omega_13 omega_24). If H is nearly singular, the scores are so
# large that the differences between classes are lost in float32.
BOUNDARY_MARGIN = 1e-3


class AdaptiveSimilarity(AffineSimilarity):
    """The similarity f(x, y; W, omega) of Eq. eqn:ff: the maximum over displaced features, minus displacement costs.

    The object is immutable. With H of Eq. eqn:H and g = (w1 phi, w2 psi), the displaced features are z = H^+ g
    (Eq. eqn:z) and

        f = 1/2 g^T H^+ g - h = w1 w2 phi^T TS psi + 1/2 psi^T (w2^2 SS - w2 I) psi + 1/2 phi^T (w1^2 TT - w1 I) phi

    in the blocks TT, TS, SS of H^+ (see `unseen.similarity.inverse`). So all n x m scores are one matrix product
    plus one offset per class. (Eq. eqn:fff of the paper lacks a minus sign: f is minus that minimum.)

    Where H is positive definite (sigma_max(W)^2 < omega_13 omega_24, exactly) z is the global maximiser. Otherwise
    the unconstrained maximum is infinite; z = H^+ g is then a stationary point and f its value, which is the paper's
    case of local optimality.

    Parameters
    ----------
    omega : sequence of 4 floats
        (w1, w2, w3, w4) with w1, w2 > 0 and w3, w4 >= 0.

    Examples
    --------
    >>> import numpy as np
    >>> similarity = AdaptiveSimilarity(omega=(2.0, 2.0, 0.0, 0.0)).with_weights(np.array([[1.0, 0.0], [0.0, 0.5]]))
    >>> similarity.is_positive_definite
    True
    >>> similarity.spectrum()
    array([1. , 1.5, 2.5, 3. ])
    >>> similarity.scores(np.array([[1.0, 0.0]]), np.eye(2), exact=True).round(3)
    array([[2. , 0.4]])
    """

    rotation_invariant: ClassVar[bool] = True
    # A supremum of functions that are linear in W, one for each (z_t, z_s).
    convex: ClassVar[bool] = True
    has_row_term: ClassVar[bool] = True

    def __init__(self, omega: Sequence[float]) -> None:
        self._omega = Omega.from_sequence(omega)

    @property
    def omega(self) -> Omega:
        """The displacement weights."""
        return self._omega

    @property
    def gain(self) -> float:
        """w1 w2 / (omega_13 omega_24)."""
        return self.omega.gain

    def bilinear_limit(self) -> BilinearSimilarity:
        """Return the limit w1, w2 -> infinity, w3, w4 -> 0 under the same weights: phi^T W psi (Property 4, prop:2)."""
        return BilinearSimilarity().with_weights(self.W)

    def _list_facts(self) -> list[str]:
        return super()._list_facts() + ([f"{self.optimality} optimum"] if self.has_weights else [])

    # Properties of H

    @cached_property
    def _inverse(self) -> InverseOfH:
        return invert(self.W, self.omega)

    @cached_property
    def singular_values(self) -> Array:
        """Singular values of W, largest first."""
        return namespace(self.W).linalg.svdvals(self.W)

    def spectrum(self) -> Array:
        """Return all d_t + d_s eigenvalues of H, smallest first, from the singular values of W."""
        xp = namespace(self.W)
        d_t, d_s = self.W.shape
        smaller, larger = self.omega.eigenvalues(self.singular_values)
        rest = self.omega.w13 if d_t > d_s else self.omega.w24
        others = xp.full((abs(d_t - d_s),), rest, dtype=self.W.dtype, device=self.W.device)
        return xp.sort(xp.concat([smaller, others, larger]))

    @cached_property
    def is_positive_definite(self) -> bool:
        """Whether H is positive definite: exactly sigma_max(W)^2 < omega_13 omega_24 (Property 1, prop:go)."""
        return as_float(self.singular_values[0]) < self.omega.limit

    @property
    def optimality(self) -> Literal["global", "local"]:
        """Whether the scores are values of the global maximum or of a stationary point."""
        return "global" if self.is_positive_definite else "local"

    @property
    def delta_W(self) -> float:
        """The largest l1 norm of a row or a column of W (Eq. eqn:delta)."""
        xp = namespace(self.W)
        size = xp.abs(self.W)
        return max(as_float(xp.max(xp.sum(size, axis=0))), as_float(xp.max(xp.sum(size, axis=1))))

    @property
    def is_diagonally_dominant(self) -> bool:
        """The paper's sufficient condition: omega_13 and omega_24 above delta_W.

        The inequality is strict here. With equality, which the paper allows, H may be only semi-definite.
        """
        return min(self.omega.w13, self.omega.w24) > self.delta_W

    def domain(self) -> SpectralBall:
        """Return the set of weights for which H is positive definite by a safe margin, for this omega."""
        return SpectralBall((1 - BOUNDARY_MARGIN) * self.omega.limit)

    # Scores and displaced features

    def linear_form(self, psi: Array) -> tuple[Array, Array]:
        """Return E (d_t, m) and b (m,) with scores = phi E + b (Eq. eqn:yy without its class-free part)."""
        xp = namespace(self.W, psi)
        psi, (w1, w2, _, _) = to_float64(psi), self.omega
        TS_psi, SS_psi = self._inverse.on_descriptions(psi.T)
        return w1 * w2 * TS_psi, 0.5 * xp.sum(psi.T * (w2**2 * SS_psi - w2 * psi.T), axis=0)

    def quadratic_form(self) -> tuple[Array, Array]:
        """Return w1 w2 TS and (w2^2 SS - w2 I) / 2."""
        w1, w2, _, _ = self.omega
        identity = namespace(self.W).eye(self.W.shape[1], dtype=self.W.dtype, device=self.W.device)
        TS, SS = self._inverse.on_descriptions(identity)
        return w1 * w2 * TS, 0.5 * (w2**2 * SS - w2 * identity)

    def scores(self, phi: Array, psi: Array, exact: bool = False) -> Array:
        """Score all rows of `phi` (n, d_t) against all rows of `psi` (m, d_s): shape (n, m), precision of `phi`.

        With `exact=True` the result is f itself. Otherwise the part that is the same for every class is left out, which
        does not change the decision of Eq. eqn:yy.
        """
        phi, psi = self._check_pair(phi, psi)
        scores = super().scores(phi, psi)
        return scores + self._row_term(phi)[:, None] if exact else scores

    def _row_term(self, phi: Array) -> Array:
        """Return 1/2 phi^T (w1^2 TT - w1 I) phi for every row, the part that does not depend on the class."""
        xp = namespace(self.W, phi)
        double = to_float64(phi).T
        moved = self.omega.w1**2 * self._inverse.tt(double) - self.omega.w1 * double
        return xp.astype(0.5 * xp.sum(double * moved, axis=0), phi.dtype, copy=False)

    def adapt(self, phi: Array, psi: Array) -> tuple[Array, Array]:
        """Return z_t (n, d_t) and z_s (n, d_s) of Eq. eqn:z for n pairs (phi_i, psi_i)."""
        phi, psi = self._check_pair(phi, psi)
        if phi.shape[0] != psi.shape[0]:
            raise InputError(
                f"phi has {phi.shape[0]} rows and psi {psi.shape[0]}: adapt works on pairs, "
                "use adapt_all for every combination"
            )
        return tuple(convert_like(z, phi) for z in self._pairs(to_float64(phi), to_float64(psi)))

    def _pairs(self, phi: Array, psi: Array) -> tuple[Array, Array]:
        w1, w2, _, _ = self.omega
        z_t = w1 * self._inverse.tt(phi.T) + w2 * self._inverse.ts(psi.T)
        z_s = w1 * self._inverse.st(phi.T) + w2 * self._inverse.ss(psi.T)
        return z_t.T, z_s.T

    def adapt_all(self, phi: Array, psi: Array) -> Iterator[tuple[slice, Array, Array]]:
        """Yield (rows, z_t, z_s) for all combinations, one block of rows at a time to limit memory.

        z_t has shape (rows, m, d_t) and z_s (rows, m, d_s).
        """
        phi, psi = self._check_pair(phi, psi)
        xp = namespace(self.W, phi, psi)
        no_phi, no_psi = (xp.zeros((1, d), dtype=xp.float64, device=self.W.device) for d in self.W.shape)
        # z is linear in (phi, psi), so it is the sum of a part for the row and a part for the class.
        from_psi = [convert_like(z, phi)[None, :, :] for z in self._pairs(no_phi, to_float64(psi))]
        for rows in cut_row_blocks(phi.shape[0], 8 * psi.shape[0] * sum(self.W.shape)):
            from_phi = self._pairs(to_float64(phi[rows, :]), no_psi)
            z_t, z_s = (convert_like(z, phi)[:, None, :] + part for z, part in zip(from_phi, from_psi, strict=True))
            yield rows, z_t, z_s

    def adapt_within(
        self,
        phi: Array,
        psi: Array,
        feasible_t: FeasibleSet | None = None,
        feasible_s: FeasibleSet | None = None,
        **options: Any,
    ) -> AlternatingResult:
        """Displace n pairs inside feasible sets by alternating optimisation (Eq. eqn:zt, eqn:zs).

        See `unseen.similarity.alternating.alternate.alternate` for the certificate in the result.
        """
        phi, psi = self._check_pair(phi, psi)
        return alternate(self.W, self.omega, phi, psi, feasible_t or AllSpace(), feasible_s or AllSpace(), **options)

    # Derivatives with respect to W, from sums over classes, without forming latent features

    def gradient_of_sums(self, sums: Array, counts: Array, psi: Array) -> Array:
        """Return the gradient of sum_ij G_ij scores_ij, by d f / d W = z_t z_s^T (Danskin).

        With M = Phi^T G Psi and S = Psi^T diag(column sums of G) Psi it is
        w1 w2 (TT M SS + TS M^T TS) + w2^2 TS S SS.
        """
        psi, (w1, w2, _, _) = convert_like(psi, sums), self.omega
        # In the precision of the sums, which is that of the features.
        return to_float64(self._inverse.pull_back(w1 * w2 * (sums @ psi), w2**2 * ((psi.T * counts[None, :]) @ psi)))

    def omega_gradient(self, sums: Array, psi: Array) -> tuple[float, float, float, float]:
        """Return the gradient of sum_ij G_ij scores_ij with respect to omega, from summed `block_sums`.

        By Danskin it is minus half the summed squared displacements and lengths: ||z_t - phi||^2, ||z_s - psi||^2,
        ||z_t||^2, ||z_s||^2. Terms that depend on phi alone are left out, so rows of G must sum to 0, as they do for
        every structured loss.
        """
        psi, (w1, w2, _, _) = to_float64(psi), self.omega
        M, S = to_float64(sums[:-1, :]) @ psi, (psi.T * to_float64(sums[-1, :])[None, :]) @ psi
        tt, ts, st, ss = self._inverse.tt, self._inverse.ts, self._inverse.st, self._inverse.ss

        def trace(matrix: Array) -> float:
            return as_float(namespace(matrix).linalg.trace(matrix))

        lengths_t = 2 * w1 * w2 * trace(st(tt(M))) + w2**2 * trace(st(ts(S)))
        lengths_s = 2 * w1 * w2 * trace(ss(st(M))) + w2**2 * trace(ss(ss(S)))
        along_phi = w2 * trace(st(M))
        along_psi = w1 * trace(st(M)) + w2 * trace(ss(S))
        moved_t, moved_s = lengths_t - 2 * along_phi, lengths_s - 2 * along_psi + trace(S)
        return -0.5 * moved_t, -0.5 * moved_s, -0.5 * lengths_t, -0.5 * lengths_s

    def row_sum(self, moment: Array) -> float:
        """Return the sum over rows of 1/2 phi^T (w1^2 TT - w1 I) phi, given sum_i w_i phi_i phi_i^T."""
        w1 = self.omega.w1
        trace = namespace(moment).linalg.trace
        return as_float(0.5 * (w1**2 * trace(self._inverse.tt(moment)) - w1 * trace(moment)))

    def row_gradient(self, moment: Array) -> Array:
        """Return the gradient of `row_sum`: w1^2 TT moment TS."""
        # moment is symmetric, so moment TS is the transpose of TS^T moment.
        return self.omega.w1**2 * self._inverse.tt(self._inverse.st(moment).T)

    def _check_pair(self, phi: Array, psi: Array) -> tuple[Array, Array]:
        _check_operand("phi", phi, self.W.shape[0], "W has {} rows")
        _check_operand("psi", psi, self.W.shape[1], "W has {} columns")
        return phi, psi


def _check_operand(name: str, array: Array, width: int, source: str) -> None:
    if getattr(array, "ndim", None) != 2 or array.shape[1] != width:
        raise InputError(
            f"{name} has shape {getattr(array, 'shape', None)} but {source.format(width)}: "
            f"give {name} as a matrix with {width} columns"
        )
