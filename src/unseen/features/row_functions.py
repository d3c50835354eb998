"""What the steps of preparation do to rows, as functions that need no scikit-learn.

The steps themselves are transformers of scikit-learn. `unseen.files.scoring`
calls the same functions to answer from a model file without it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.features.scaling import DescriptionScaling
from unseen.utils.arrays import square_distances
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


def take_square_roots(X: Matrix, normalise: bool) -> Matrix:
    """Take the square roots of absolute values and keep the signs; see `unseen.features.SquareRoot`."""
    # In place from here on: wide features are large, and every copy takes as long as the roots.
    sizes = np.abs(X)
    if normalise:
        sums = sizes.sum(axis=1, keepdims=True)
        sizes /= np.where(sums > 0, sums, 1)
    np.sqrt(sizes, out=sizes)
    return np.asarray(np.copysign(sizes, X, out=sizes))


def whiten(X: Matrix, mean: Matrix, matrix: Matrix) -> Matrix:
    """Subtract a mean (d,) and multiply by a matrix (d, d), in the precision of X (n, d)."""
    return np.asarray((X - mean.astype(X.dtype)) @ matrix.astype(X.dtype))


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
