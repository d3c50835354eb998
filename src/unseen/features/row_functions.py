"""What the steps of preparation do to rows, as functions that need no scikit-learn.

The steps themselves are transformers of scikit-learn. `unseen.files.scoring`
calls the same functions to answer from a model file without it.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.features.scaling import DescriptionScaling
from unseen.utils.arrays import Array, convert_like, is_foreign, namespace, square_distances
from unseen.utils.errors import InputError

Matrix = NDArray[Any]


def divide_by_norms(X: Matrix, norm: str) -> Matrix:
    """Divide each row (n, d) by its norm, "l1", "l2" or "max", as scikit-learn's `normalize` does.

    >>> divide_by_norms(np.array([[3.0, -4.0], [0.0, 0.0]]), "l2")
    array([[ 0.6, -0.8],
           [ 0. ,  0. ]])
    """
    if norm == "l2":
        norms = np.sqrt(np.einsum("ij,ij->i", X, X))
    else:
        norms = np.abs(X).sum(axis=1) if norm == "l1" else np.abs(X).max(axis=1)
    norms[norms < 10 * np.finfo(norms.dtype).eps] = 1.0
    return np.asarray(X / norms[:, None])


def scale_to_norm(X: Array, norm: str) -> Array:
    """Divide each row (n, d) of any library by its norm; a row of zeros stays as it is.

    `divide_by_norms` leaves rows alone whose norm is a rounding error, too, because scikit-learn does.
    """
    xp = namespace(X)
    sizes = xp.linalg.vector_norm(X, axis=1, keepdims=True, ord={"l1": 1, "l2": 2, "max": math.inf}[norm])
    return X / xp.where(sizes > 0, sizes, xp.ones_like(sizes))


def take_square_roots(X: Array, normalise: bool) -> Array:
    """Take the square roots of absolute values and keep the signs; see `unseen.features.SquareRoot`."""
    xp = namespace(X)
    sizes = xp.abs(X)
    if normalise:
        sums = xp.sum(sizes, axis=1, keepdims=True)
        sizes /= xp.where(sums > 0, sums, xp.ones_like(sums))
    if is_foreign(X):
        return xp.copysign(xp.sqrt(sizes), X)
    # In place: wide features are large, and every copy takes as long as the roots.
    np.sqrt(sizes, out=sizes)
    return np.copysign(sizes, X, out=sizes)


def whiten(X: Array, mean: Matrix, matrix: Matrix) -> Array:
    """Subtract a mean (d,) and multiply by a matrix (d, d), in the library and the precision of X (n, d)."""
    return (X - convert_like(mean, X)[None, :]) @ convert_like(matrix, X)


def take_logits(X: Matrix, offset: float, whole: float) -> Matrix:
    """Take the logits of frequencies up to `whole`; see `unseen.features.Logit`."""
    refuse_outside(X, whole, offset * whole)
    shares = np.clip(X / whole, 0, 1)
    return np.asarray(np.log(shares + offset) - np.log(1 + offset - shares), dtype=X.dtype)


def refuse_outside(X: Matrix, whole: float, slack: float = 0.0) -> None:
    """Refuse values that are not frequencies, by more than `slack`."""
    if X.min() < -slack:
        # The first words are those of scikit-learn, whose checks look for them.
        raise InputError(
            f"Negative values in data passed to Logit, such as {X.min():g}, which are not frequencies: correct them, "
            "fill in what is missing, or leave Logit out"
        )
    if X.max() > whole + slack:
        raise InputError(
            f"X has the value {X.max():g}, but Logit takes frequencies of 0 to {whole:g}: give X in the units that it "
            "was fitted in, set whole to the value that means always, or leave Logit out"
        )


def compare_with_landmarks(psi: Matrix, landmarks: Matrix, kernel: str, variance: float) -> Matrix:
    """Return the kernel (m, n) between scaled descriptions (m, d) and landmarks; see `unseen.features.KernelMap`."""
    if kernel == "linear":
        return np.asarray(psi @ landmarks.T)
    return np.asarray(np.exp(-square_distances(psi, landmarks) / (2 * variance)))


def map_to_kernel(
    X: Matrix, scaling: DescriptionScaling, landmarks: Matrix, root: Matrix, kernel: str, variance: float
) -> Matrix:
    """Map descriptions (m, d) to features whose products are the kernel; see `unseen.features.KernelMap`."""
    return np.asarray(compare_with_landmarks(scaling.apply(X), landmarks, kernel, variance) @ root)
