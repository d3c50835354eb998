"""Learn the inverse of H directly, as the discussion after Eq. eqn:yy suggests.

The decision of Eq. eqn:yy depends on only two blocks of the inverse, TS and SS, and depends on them linearly:

    score(x, y) = w1 w2 phi^T TS psi + w2^2 / 2 psi^T SS psi - w2 / 2 psi^T psi.

With TS and SS as free parameters, learning is an ordinary structural SVM: convex, and without latent features. The
paper found it no better than the bilinear model with augmented descriptions, to which it is equivalent.
"""

from collections.abc import Sequence
from typing import ClassVar

from unseen.similarity.base import AffineSimilarity
from unseen.similarity.omega import Omega
from unseen.utils.arrays import Array, namespace, to_float64


class DirectSimilarity(AffineSimilarity):
    """The similarity with free blocks TS and SS instead of the inverse of H.

    Its weights W have the shape (d_t + d_s, d_s), with TS above SS.

    Parameters
    ----------
    omega : sequence of 4 floats
        (w1, w2, w3, w4), of which only w1 and w2 are used.
    """

    # TS psi and psi^T SS psi do not change if psi and the blocks are rotated, but the rotation also changes rows of W.
    rotation_invariant: ClassVar[bool] = False
    convex: ClassVar[bool] = True

    def __init__(self, omega: Sequence[float]) -> None:
        self._omega = Omega.from_sequence(omega)

    @property
    def omega(self) -> Omega:
        """The displacement weights."""
        return self._omega

    def weights_shape(self, d_t: int, d_s: int) -> tuple[int, int]:
        """Return the shape of TS stacked on SS."""
        return d_t + d_s, d_s

    @property
    def ts(self) -> Array:
        """The learned block TS, shape (d_t, d_s)."""
        return self.W[: -self.W.shape[1], :]

    @property
    def ss(self) -> Array:
        """The learned block SS, shape (d_s, d_s)."""
        return self.W[-self.W.shape[1] :, :]

    def linear_form(self, psi: Array) -> tuple[Array, Array]:
        """Return w1 w2 TS psi^T and w2^2/2 psi^T SS psi - w2/2 psi^T psi."""
        xp = namespace(self.W, psi)
        psi, (w1, w2, _, _) = to_float64(psi), self.omega
        quadratic = xp.sum((psi @ self.ss) * psi, axis=1)
        b = 0.5 * (w2**2 * quadratic - w2 * xp.sum(psi * psi, axis=1))
        return w1 * w2 * (self.ts @ psi.T), b

    def quadratic_form(self) -> tuple[Array, Array]:
        """Return w1 w2 TS and (w2^2 SS - w2 I) / 2."""
        w1, w2, _, _ = self.omega
        identity = namespace(self.W).eye(self.W.shape[1], dtype=self.W.dtype, device=self.W.device)
        return w1 * w2 * self.ts, 0.5 * (w2**2 * self.ss - w2 * identity)

    def adapt(self, phi: Array, psi: Array) -> tuple[Array, Array]:
        """Return the features unchanged, because this model has no latent features."""
        return phi, psi

    def gradient_of_sums(self, sums: Array, counts: Array, psi: Array) -> Array:
        """Return the gradients of TS and SS, stacked."""
        sums, counts, psi, (w1, w2, _, _) = to_float64(sums), to_float64(counts), to_float64(psi), self.omega
        return namespace(psi).concat([w1 * w2 * (sums @ psi), 0.5 * w2**2 * (psi.T * counts[None, :]) @ psi], axis=0)
