"""Predict the exemplars of classes from their descriptions: one support vector regression per dimension, as in EXEM."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import NuSVR

from unseen.features import Rows
from unseen.models.exemplars.description_regression import DescriptionKernel
from unseen.models.exemplars.phantom_classes import measure_median_distance
from unseen.utils.arrays import Array, as_backend, convert_like, namespace, to_float64, to_numpy


@dataclass(frozen=True, eq=False)
class Exemplars:
    """The mean row of every class, and how far its rows are from it.

    Attributes
    ----------
    means : array of shape (C, d)
    deviations : array of shape (d,)
        Standard deviation of the rows of a class in each dimension, on average over the classes.
    """

    means: Array
    deviations: Array

    @classmethod
    def of(cls, phi: Rows, y: Array, n_classes: int, weights: Array | None = None) -> Self:
        """Average rows with classes 0..n_classes - 1, block by block."""
        more = () if weights is None else (weights,)
        counts, sums, squares = phi.add_up(partial(_add_up_block, n_classes), y, 2 * n_classes, *more)
        xp, means = namespace(sums), sums / counts[:, None]
        variances = squares / counts[:, None] - means**2
        return cls(means, xp.mean(xp.sqrt(xp.where(variances > 0, variances, xp.zeros_like(variances))), axis=0))


def _add_up_block(n_classes: int, phi: Array, y: Array, weights: Array | None = None) -> tuple[Array, ...]:
    xp = namespace(phi)
    members = xp.astype(y[:, None] == xp.arange(n_classes, device=y.device)[None, :], phi.dtype)
    if weights is not None:
        members = members * convert_like(weights, phi)[:, None]
    return xp.sum(to_float64(members), axis=0), to_float64(members.T @ phi), to_float64(members.T @ phi**2)


@dataclass(frozen=True, eq=False)
class ExemplarRegression:
    """A fitted regression from descriptions to exemplars.

    Attributes
    ----------
    kernel : DescriptionKernel
        exp(-gamma d^2) plus a constant, which the regressions do not notice because their duals sum to 0.
    psi : array of shape (C, d_s)
        Descriptions of the seen classes.
    duals : array of shape (C, d)
    offsets : array of shape (d,)
        The exemplars of descriptions are kernel(descriptions, psi) duals + offsets.
    """

    kernel: DescriptionKernel
    psi: Array
    duals: Array
    offsets: Array

    @classmethod
    def fit(cls, psi: Array, means: Array, *, gamma: float, C: float, nu: float, tol: float) -> tuple[Self, int]:
        """Fit exemplars (C, d) of descriptions (C, d_s); return the largest number of iterations too."""
        kernel = make_kernel(psi, gamma)
        # Of deviation 1, so that C means the same in all units and dimensions.
        targets = to_numpy(means)
        spread = targets.std(axis=0)
        spread[spread == 0] = 1.0
        duals, offsets, n_iter = fit_dimensions(to_numpy(kernel(psi, psi)), targets / spread, C=C, nu=nu, tol=tol)
        return cls(kernel, psi, as_backend(duals * spread, psi), as_backend(offsets * spread, psi)), n_iter

    def predict(self, psi: Array) -> Array:
        """Return the exemplars (m, d) of descriptions (m, d_s)."""
        return self.kernel(psi, self.psi) @ self.duals + self.offsets[None, :]

    def pull_back(self, psi: Array, directions: Array) -> Array:
        """Return the gradient (m, d_s) of sum_j directions_ij predict(psi)_ij with respect to psi_i."""
        return self.kernel.gradient(psi, self.psi, directions @ self.duals.T)


def make_kernel(psi: Array, gamma: float) -> DescriptionKernel:
    """Make the kernel exp(-gamma d^2), with distances in units of the median one between rows of psi (C, d_s)."""
    centre = namespace(psi).mean(psi, axis=0)
    return DescriptionKernel("rbf", 1 / (2 * gamma), centre, measure_median_distance(psi) ** 2)


def fit_dimensions(
    kernel: NDArray[Any], targets: NDArray[Any], *, C: float, nu: float, tol: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Fit a nu-SVR to each column of targets (C, d); return duals (C, d), offsets (d,) and the most iterations."""
    duals, offsets, n_iter = np.zeros(targets.shape), np.zeros(targets.shape[1]), 1
    for at, column in enumerate(targets.T):
        machine = NuSVR(kernel="precomputed", C=C, nu=nu, tol=tol).fit(kernel, column)
        duals[machine.support_, at] = machine.dual_coef_[0]
        offsets[at] = machine.intercept_[0]
        n_iter = max(n_iter, int(machine.n_iter_))
    return duals, offsets, n_iter
