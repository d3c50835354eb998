"""Find what descriptions span, so that learning can work in as many dimensions as there are seen classes."""

from unseen.utils.arrays import Array, namespace


def find_span(psi: Array) -> Array:
    """Return an orthonormal basis (d_s, r) of what the rows of psi (m, d_s) span, or of everything if they are many.

    Products with the rows of `psi`, and distances to them, are the same in this basis; with fewer classes than
    attributes it is smaller.

    >>> import numpy as np
    >>> find_span(np.array([[0.0, 2.0, 0.0]])).shape, find_span(np.ones((5, 3))).shape
    ((3, 1), (3, 3))
    """
    xp, (n_classes, d_s) = namespace(psi), psi.shape
    if n_classes >= d_s:
        return xp.eye(d_s, dtype=psi.dtype, device=psi.device)
    Q, _ = xp.linalg.qr(psi.T)
    return Q
