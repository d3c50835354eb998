"""ESZSL (Romera-Paredes & Torr, ICML 2015): zero-shot learning as two ridge regressions in one line."""

from typing import Literal

import numpy as np

from unseen.arrays import Array, float64, namespace
from unseen.errors import InputError
from unseen.features import Rows
from unseen.models.base import ZeroShotClassifier


class ESZSL(ZeroShotClassifier):
    """Regress +1 / -1 class indicators on features and descriptions together, in closed form.

    V = (X^T X + gamma I)^-1 X^T Y S (S^T S + lam I)^-1, and the score of a pair is x^T V s.

    Parameters
    ----------
    gamma : float, default 1.0
        Regulariser on the side of the features.
    lam : float, default 1.0
        Regulariser on the side of the descriptions.
    scaling : "auto" (default) or None
        As in `unseen.models.StructuralSVM`.

    Attributes
    ----------
    V_ : array of shape (d_t, d_s)
    """

    def __init__(self, gamma: float = 1.0, lam: float = 1.0, *, scaling: Literal["auto"] | None = "auto") -> None:
        self.gamma = gamma
        self.lam = lam
        self.scaling = scaling

    def _fit(self, phi: Rows, y: Array, psi: Array) -> None:
        for name in ("gamma", "lam"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise InputError(f"{name}={value!r} is not a regulariser: give a positive, finite number")
        covariance, sums = _second_moments(phi, y, psi.shape[0])
        xp = namespace(psi)
        left = xp.linalg.solve(covariance + self.gamma * _identity_like(covariance), sums @ psi)
        gram = psi.T @ psi
        self.V_ = xp.linalg.solve(gram + self.lam * _identity_like(gram), left.T).T

    def _linear_form(self, psi: Array) -> tuple[Array, Array]:
        xp = namespace(psi)
        return self.V_ @ psi.T, xp.zeros(psi.shape[0], dtype=psi.dtype, device=psi.device)


def _second_moments(phi: Rows, y: Array, n_classes: int) -> tuple[Array, Array]:
    """Return X^T X and X^T Y with Y = +1 at the true class and -1 elsewhere."""
    xp = namespace(y)
    classes = xp.arange(n_classes, device=y.device)
    covariance, sums = 0.0, 0.0
    for rows in phi.blocks(n_classes):
        block = phi[rows]
        indicators = xp.astype(y[rows][:, None] == classes[None, :], block.dtype)
        covariance = covariance + float64(block.T @ block)
        sums = sums + float64(block.T @ (2 * indicators - 1))
    return covariance, sums


def _identity_like(matrix: Array) -> Array:
    return namespace(matrix).eye(matrix.shape[0], dtype=matrix.dtype, device=matrix.device)
