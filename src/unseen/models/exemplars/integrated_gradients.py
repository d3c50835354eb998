"""Take a score apart by attribute where it is not a sum over attributes (Sundararajan, Taly & Yan, ICML 2017)."""

from collections.abc import Callable

import numpy as np

from unseen.utils.arrays import Array, namespace

# Steps of the integral, with which it is exact to many digits.
N_STEPS = 16


def integrate_gradients(slope: Callable[[Array], Array], seen: Array, psi: Array, scores: Array) -> Array:
    """Follow each score from the average description to that of its class, and add up what each attribute brings.

    What the score is at the average description is shared by all attributes alike.

    Parameters
    ----------
    slope : callable
        Takes descriptions (n, d_s), and returns the gradient (n, d_s) of the score of every row by its description.
    seen : array of shape (C, d_s)
        Descriptions of the seen classes, whose average is where the paths start.
    psi : array of shape (n, d_s)
        The description of the class of each row.
    scores : array of shape (n,)
        What the contributions of each row sum to.

    Returns
    -------
    contributions : array of shape (n, d_s)
    """
    xp = namespace(psi)
    start = xp.mean(seen, axis=0)[None, :]
    parts = xp.zeros_like(psi)
    for place, weight in zip(*np.polynomial.legendre.leggauss(N_STEPS), strict=True):
        parts += slope(start + (psi - start) * (1 + float(place)) / 2) * (psi - start) * float(weight) / 2
    return parts + (scores - xp.sum(parts, axis=1))[:, None] / psi.shape[1]
