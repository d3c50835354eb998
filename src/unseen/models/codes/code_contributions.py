"""Share a score that is linear in the code of a class among the attributes of the class."""

import numpy as np
from numpy.typing import NDArray

from unseen.features.descriptions.simplex import compute_simplex_codes

Matrix = NDArray[np.float64]


def share_among_attributes(values: Matrix, psi: Matrix, atoms: Matrix, gamma: float) -> Matrix:
    """Return parts (n, d_s) whose sums are values[i] . z(psi[i]), with z(psi) the simplex code of a description.

    As long as the same atoms are in use, a code is z = B psi + b. An attribute contributes by its column of B; what b
    contributes is shared by all attributes alike.

    Parameters
    ----------
    values : ndarray of shape (n, k)
        For each row, what one unit of each entry of the code is worth.
    psi : ndarray of shape (n, d_s)
    atoms : ndarray of shape (k, d_s)
    gamma : float
        As in `unseen.features.descriptions.simplex.compute_simplex_codes`.
    """
    distinct, places = np.unique(psi, axis=0, return_inverse=True)
    codes = compute_simplex_codes(distinct, atoms, gamma)
    parts = np.empty_like(psi)
    for place, (description, code) in enumerate(zip(distinct, codes, strict=True)):
        rows = np.flatnonzero(places.ravel() == place)
        used = code > 0
        worth = values[rows][:, used]
        parts[rows] = (worth @ _find_slopes(atoms[used], gamma)) * description
        missing = worth @ code[used] - parts[rows].sum(axis=1)
        parts[rows] += missing[:, None] / psi.shape[1]
    return parts


def _find_slopes(atoms: Matrix, gamma: float) -> Matrix:
    """Return B (k, d_s), the derivative of a code that uses all these atoms by the description."""
    # Stationary where (A A^T + gamma I) z - A psi is the same for all atoms, and the sum of z stays 1.
    solve = np.linalg.pinv(atoms @ atoms.T + gamma * np.eye(len(atoms)))
    column = solve.sum(axis=1)
    free = solve - np.outer(column, column) / column.sum()
    return np.asarray(free @ atoms)
