"""Compute the bilinear similarity phi(x)^T W psi(y), the limit of the adaptive one (Property 4, prop:2)."""

from typing import ClassVar

from unseen.similarity.base import AffineSimilarity
from unseen.utils.arrays import Array, namespace, to_float64


class BilinearSimilarity(AffineSimilarity):
    """The similarity phi^T W psi. Features are not displaced, so z_t = phi and z_s = psi.

    It has no parameters.

    Examples
    --------
    >>> import numpy as np
    >>> BilinearSimilarity().with_weights(np.eye(2)).scores(np.array([[1.0, 2.0]]), np.eye(2))
    array([[1., 2.]])
    """

    rotation_invariant: ClassVar[bool] = True
    convex: ClassVar[bool] = True

    @property
    def gain(self) -> float:
        """1."""
        return 1.0

    def linear_form(self, psi: Array) -> tuple[Array, Array]:
        """Return W psi^T and no offset."""
        xp = namespace(self.W, psi)
        return self.W @ to_float64(psi).T, xp.zeros(psi.shape[0], dtype=xp.float64, device=psi.device)

    def quadratic_form(self) -> tuple[Array, Array]:
        """Return W and zeros."""
        xp, width = namespace(self.W), self.W.shape[1]
        return self.W, xp.zeros((width, width), dtype=xp.float64, device=self.W.device)

    def adapt(self, phi: Array, psi: Array) -> tuple[Array, Array]:
        """Return the features unchanged."""
        return phi, psi

    def gradient_of_sums(self, sums: Array, counts: Array, psi: Array) -> Array:
        """Return Phi^T G Psi."""
        return to_float64(sums) @ to_float64(psi)
