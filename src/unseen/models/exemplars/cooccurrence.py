"""Count how often classes co-occur over attributes, and turn the counts into similarities."""

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Similarity = Literal["normalised", "binarised", "sqrt", "dice"]

# A deviation from the mean by this many mean absolute deviations, about two standard deviations, takes an attribute
# from half present to fully present or absent.
FULL = 2.5


@dataclass(frozen=True, eq=False)
class Presence:
    """How present an attribute is in a class, from 0 to 1: 1/2 at its mean over the seen classes.

    Attributes
    ----------
    mean, deviation : ndarrays of shape (d_s,)
        Mean and mean absolute deviation over the seen classes.
    """

    mean: Matrix
    deviation: Matrix

    @classmethod
    def fit(cls, vectors: Matrix) -> Self:
        """Measure the descriptions (m, d_s) of the seen classes."""
        mean = vectors.mean(axis=0)
        return cls(mean, np.abs(vectors - mean).mean(axis=0))

    def apply(self, vectors: Matrix) -> Matrix:
        """Return the presence of every attribute in every class (m, d_s).

        >>> Presence(np.array([0.5]), np.array([0.1])).apply(np.array([[0.0], [0.5], [0.6]]))
        array([[0. ],
               [0.5],
               [0.7]])
        """
        varying = self.deviation > 0
        unit = np.where(varying, 2 * FULL * self.deviation, 1.0)
        return np.clip(0.5 + np.where(varying, (vectors - self.mean) / unit, 0.0), 0.0, 1.0)


def list_terms(first: Matrix, second: Matrix, *, absence: bool) -> list[tuple[float, Matrix, Matrix]]:
    """List sign, presence of the one and presence of the other for: both present, one of the two, and none of them.

    Without `absence` only the first of these four terms is listed.
    """
    terms = [
        (1.0, first, second),
        (-1.0, first, 1 - second),
        (-1.0, 1 - first, second),
        (1.0, 1 - first, 1 - second),
    ]
    return terms if absence else terms[:1]


def compare_counts(first: Matrix, second: Matrix, similarity: Similarity) -> Matrix:
    """Return the similarity (m, k) of classes by one term, from c_ij, the sum over attributes of first[i] second[j].

    It is c_ij / c_i for "normalised" and, before anything is binarised, for "binarised"; its square root for "sqrt";
    and c_ij / (c_i + c_j) for "dice".

    >>> compare_counts(np.array([[1.0, 1.0, 0.0]]), np.array([[1.0, 0.0, 1.0]]), "dice")
    array([[0.25]])
    """
    counts = first @ second.T
    own, other = first.sum(axis=1)[:, None], second.sum(axis=1)[None, :]
    share = counts / _nonzero(own + other if similarity == "dice" else own)
    return np.asarray(np.sqrt(share) if similarity == "sqrt" else share)


def _nonzero(sizes: Any) -> Any:
    """Replace zeros by ones; a class without any attribute co-occurs with none, which makes its counts 0 too."""
    return np.where(sizes > 0, sizes, 1.0)
