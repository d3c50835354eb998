"""The paper's equations written out as they stand: H in full, one latent pair for every sample and class.

Tests compare the library with these functions, and benchmarks time it against `straightforward_pass`. Both put this
folder on `sys.path` and `import reference`. Everything here is NumPy in double precision, and nothing here is clever.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

# Eigenvalues of H below this share of the largest count as zero in its pseudo-inverse.
RANK_TOLERANCE = 1e-8


def matrix_H(W: Matrix, omega: Sequence[float]) -> Matrix:
    """Eq. eqn:H."""
    w1, w2, w3, w4 = omega
    d_t, d_s = W.shape
    return np.block([[(w1 + w3) * np.eye(d_t), -W], [-W.T, (w2 + w4) * np.eye(d_s)]])


def vector_g(omega: Sequence[float], phi: Matrix, psi: Matrix) -> Matrix:
    """g of Eq. eqn:fff for n pairs, one in each row."""
    return np.hstack([omega[0] * phi, omega[1] * psi])


def value_at(W: Matrix, omega: Sequence[float], phi: Matrix, psi: Matrix, z_t: Matrix, z_s: Matrix) -> Matrix:
    """Eq. eqn:ff before its maximum is taken, for n pairs."""
    w1, w2, w3, w4 = omega

    def squares(z: Matrix) -> Matrix:
        return np.sum(z**2, axis=-1)

    similarity = np.einsum("ni,ij,nj->n", z_t, W, z_s, optimize=True)
    displacement = w1 * squares(z_t - phi) + w2 * squares(z_s - psi)
    length = w3 * squares(z_t) + w4 * squares(z_s)
    return similarity - displacement / 2 - length / 2


def adapt(W: Matrix, omega: Sequence[float], phi: Matrix, psi: Matrix) -> tuple[Matrix, Matrix]:
    """z = H^+ g (Eq. eqn:z) for n pairs."""
    z = vector_g(omega, phi, psi) @ np.linalg.pinv(matrix_H(W, omega), rtol=RANK_TOLERANCE, hermitian=True)
    return z[:, : W.shape[0]], z[:, W.shape[0] :]


def adapt_all(W: Matrix, omega: Sequence[float], phi: Matrix, psi: Matrix) -> tuple[Matrix, Matrix]:
    """z of every combination: z_t of shape (n, m, d_t) and z_s of shape (n, m, d_s)."""
    n, m = len(phi), len(psi)
    z_t, z_s = adapt(W, omega, np.repeat(phi, m, axis=0), np.tile(psi, (n, 1)))
    return z_t.reshape(n, m, -1), z_s.reshape(n, m, -1)


def scores(W: Matrix, omega: Sequence[float], phi: Matrix, psi: Matrix) -> Matrix:
    """f of every combination, as the full expression of Eq. eqn:ff at z = H^+ g: shape (n, m)."""
    n, m = len(phi), len(psi)
    phi, psi = np.repeat(phi, m, axis=0), np.tile(psi, (n, 1))
    return value_at(W, omega, phi, psi, *adapt(W, omega, phi, psi)).reshape(n, m)


class Pass(NamedTuple):
    """What one pass over the training rows gives.

    Attributes
    ----------
    scores : (n, m)
        f(x_i, y).
    worst : (n,)
        The class that violates its margin most: argmax_y of Delta(y_i, y) + f(x_i, y).
    value : float
        The objective of Eq. eqn:learning1.
    gradient : (d_t, d_s)
        A subgradient of it.
    """

    scores: Matrix
    worst: NDArray[np.int64]
    value: float
    gradient: Matrix


def straightforward_pass(
    W: Matrix, omega: Sequence[float], phi: Matrix, y: NDArray[np.int64], psi: Matrix, lam: float = 1.0
) -> Pass:
    """Evaluate the latent structural SVM the way the paper writes it, with the 0/1 margin.

    Every sample is completed with every class by its own product with H^+, scored by the full expression of Eq.
    eqn:ff, and the two latent pairs of each violated margin are added to the gradient as outer products (Danskin).
    """
    W, phi, psi = (np.asarray(array, dtype=np.float64) for array in (W, phi, psi))
    d_t, m = W.shape[0], len(psi)
    inverse = np.linalg.pinv(matrix_H(W, omega), rtol=RANK_TOLERANCE, hermitian=True)
    all_scores, all_worst, slacks, gradient = [], [], 0.0, lam * W
    for features, true in zip(phi, y, strict=True):
        repeated = np.tile(features, (m, 1))
        z_t, z_s = np.split(vector_g(omega, repeated, psi) @ inverse, [d_t], axis=1)
        row = value_at(W, omega, repeated, psi, z_t, z_s)
        augmented = row + (np.arange(m) != true)
        worst = int(np.argmax(augmented))
        slacks += augmented[worst] - row[true]
        gradient = gradient + np.outer(z_t[worst], z_s[worst]) - np.outer(z_t[true], z_s[true])
        all_scores.append(row)
        all_worst.append(worst)
    value = lam / 2 * np.sum(W**2) + slacks
    return Pass(np.asarray(all_scores), np.asarray(all_worst), float(value), gradient)
