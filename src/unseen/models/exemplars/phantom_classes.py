"""Phantom classes: classifiers at points of the description space, which are combined into one for any description."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from unseen.models.exemplars.description_regression import SAME
from unseen.utils.arrays import Array, namespace, square_distances, to_numpy


def measure_median_distance(psi: Array) -> float:
    """Return the median distance between two rows of psi (C, d_s), not counting those that are the same.

    >>> measure_median_distance(np.array([[0.0], [0.0], [2.0], [5.0]]))
    3.0
    """
    squares = to_numpy(square_distances(psi, psi))
    return float(np.median(np.sqrt(squares[squares > SAME * squares.max()])))


@dataclass(frozen=True, eq=False)
class PhantomClasses:
    """Where the phantom classes are, and how near they are to a description.

    s_cr = exp(-kappa d(psi_c, b_r)^2) / sum_q exp(-kappa d(psi_c, b_q)^2), with distances in units of `unit`.

    Attributes
    ----------
    places : array of shape (R, d_s)
        b_r, the descriptions of the seen classes.
    unit : float
        Median distance between two of them.
    kappa : float
        How fast the weights fall off with the distance.
    """

    places: Array
    unit: float
    kappa: float

    @classmethod
    def at(cls, psi: Array, kappa: float) -> Self:
        """Put one phantom class at each description psi (R, d_s)."""
        return cls(psi, measure_median_distance(psi), kappa)

    def weigh(self, psi: Array) -> Array:
        """Return the weights S (m, R) of the phantom classes for descriptions psi (m, d_s); rows sum to 1."""
        xp = namespace(psi)
        exponents = square_distances(psi, self.places) * (-self.kappa / self.unit**2)
        # The nearest has weight 1 before division, so that a class far away from all does not divide by 0.
        weights = xp.exp(exponents - xp.max(exponents, axis=1, keepdims=True))
        return weights / xp.sum(weights, axis=1, keepdims=True)

    def pull_back(self, psi: Array, values: Array) -> Array:
        """Return the gradient (m, d_s) of sum_r s_r(psi_i) values_ir with respect to psi_i."""
        weights = self.weigh(psi)
        average = namespace(psi).sum(weights * values, axis=1, keepdims=True)
        return (weights * (values - average)) @ self.places * (2 * self.kappa / self.unit**2)
