"""Tell mapped rows that look like a seen class from novel ones, as CMT does."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from unseen.features import Rows
from unseen.models.compatibility.tanh_network import TanhNetwork
from unseen.models.exemplars.description_regression import DescriptionKernel
from unseen.utils.arrays import Array, as_backend, convert_like, namespace, square_distances, to_numpy

# Smallest variance of a class, as a share of the mean variance.
LEAST_VARIANCE = 1e-6


@dataclass(frozen=True, eq=False)
class NoveltyDetector:
    """One isometric Gaussian for each seen class, around its description; what lies outside all of them is novel.

    Attributes
    ----------
    psi : array of shape (C, d_s)
        Descriptions of the seen classes.
    variances : array of shape (C,)
        Mean squared distance, for each dimension, between the mapped rows of each class and its description.
    least_density : float
        Logarithm of the largest density among the seen classes below which a row is novel.
    """

    psi: Array
    variances: Array
    least_density: float

    @classmethod
    def fit(cls, network: TanhNetwork, phi: Rows, y: Array, psi: Array, weights: Array | None, share: float) -> Self:
        """Measure how far the network maps training rows from their classes, and leave a share of the rows outside.

        Parameters
        ----------
        network : TanhNetwork
        phi : Rows
        y : array of shape (n,)
            The class of each row, as a row of psi.
        psi : array of shape (C, d_s)
        weights : array of shape (n,), optional
        share : float
            Share of the rows that lie outside.
        """
        labels, counts = to_numpy(y), np.ones(y.shape[0]) if weights is None else to_numpy(weights)
        mapped = np.concatenate([to_numpy(network.map(phi[rows])) for rows in phi.blocks(2 * psi.shape[1])])
        missed = np.mean((mapped - to_numpy(psi)[labels]) ** 2, axis=1)
        variances = np.bincount(labels, counts * missed) / np.bincount(labels, counts)
        # Classes that the network hits exactly would have densities without bounds.
        variances = np.maximum(variances, LEAST_VARIANCE * variances.mean() + np.finfo(np.float64).tiny)
        everywhere = cls(psi, as_backend(variances, psi), -np.inf)
        densities = to_numpy(everywhere.find_density(as_backend(mapped, psi)))
        return replace(everywhere, least_density=_find_quantile(densities, counts, share))

    def find_density(self, mapped: Array) -> Array:
        """Return the logarithm of the largest density of any seen class at mapped rows (n, d_s), up to a constant."""
        xp = namespace(mapped)
        psi, variances = convert_like(self.psi, mapped), convert_like(self.variances, mapped)
        distances = square_distances(mapped, psi)
        density = -distances / (2 * variances)[None, :] - mapped.shape[1] / 2 * xp.log(variances)[None, :]
        return xp.max(density, axis=1)

    def find_novel(self, mapped: Array) -> Array:
        """Tell for each mapped row whether it lies outside all seen classes."""
        return self.find_density(mapped) < self.least_density

    def find_seen(self, psi: Array) -> Array:
        """Tell for each of the descriptions (m, d_s) whether it is that of a seen class."""
        own = as_backend(self.psi, psi)
        return DescriptionKernel.fit("linear", 1.0, own).find(psi, own)[1]


def _find_quantile(values: NDArray[np.float64], weights: NDArray[np.float64], share: float) -> float:
    """Return the value with the given share of the weights below it."""
    order = np.argsort(values)
    below = np.cumsum(weights[order]) / weights.sum()
    return float(values[order][np.searchsorted(below, share, side="right").clip(max=len(order) - 1)])
