"""Predict the mean features of a class from its description: ridge regression on descriptions or their kernel."""

from dataclasses import dataclass, replace
from typing import Literal, Self

from unseen.utils.arrays import Array, namespace

Kernel = Literal["linear", "rbf"]

# Added to every kernel, which makes the constant of the regression nearly free of the ridge.
CONSTANT = 10.0

# Squared distance, relative to the mean one, up to which two descriptions differ only by rounding, to float32 too.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class DescriptionKernel:
    """A kernel on descriptions, which neither their common offset nor their common scale changes.

    Attributes
    ----------
    name : "linear" or "rbf"
    width : float
        For "rbf", the squared width in units of `spread`.
    centre : array of shape (d_s,)
        Mean description of the seen classes.
    spread : float
        Mean squared distance between two descriptions of seen classes.
    """

    name: Kernel
    width: float
    centre: Array
    spread: float

    @classmethod
    def fit(cls, name: Kernel, width: float, psi: Array) -> Self:
        """Measure centre and spread of the descriptions psi (C, d_s) of the seen classes."""
        return cls(name, width, namespace(psi).mean(psi, axis=0), measure_spread(psi))

    def __call__(self, psi: Array, others: Array) -> Array:
        """Return the kernel (m, C) between descriptions psi (m, d_s) and others (C, d_s)."""
        psi, others = psi - self.centre[None, :], others - self.centre[None, :]
        if self.name == "linear":
            return psi @ others.T / (self.spread / 2) + CONSTANT
        return namespace(psi).exp(square_distances(psi, others) / (-2 * self.width * self.spread)) + CONSTANT

    def find(self, psi: Array, others: Array) -> tuple[Array, Array]:
        """Return for each of psi (m, d_s) the nearest of others (C, d_s), and whether it is the same description."""
        xp = namespace(psi)
        # Centred, because rounding would otherwise grow with the offset of the descriptions.
        distances = square_distances(psi - self.centre[None, :], others - self.centre[None, :])
        nearest = xp.argmin(distances, axis=1)
        return nearest, xp.min(distances, axis=1) <= SAME * self.spread

    def gradient(self, psi: Array, others: Array, weights: Array) -> Array:
        """Return the gradient (m, d_s) of sum_j weights_ij k(psi_i, others_j) with respect to psi_i."""
        if self.name == "linear":
            return weights @ (others - self.centre[None, :]) / (self.spread / 2)
        slopes = weights * (self(psi, others) - CONSTANT) / (self.width * self.spread)
        return slopes @ others - namespace(psi).sum(slopes, axis=1, keepdims=True) * psi


def measure_spread(psi: Array) -> float:
    """Return the mean squared distance between two different rows of psi (C, d_s)."""
    xp, n = namespace(psi), int(psi.shape[0])
    apart = psi - xp.mean(psi, axis=0)[None, :]
    return 2 * float(xp.sum(apart * apart)) / (n - 1)


def are_equidistant(psi: Array) -> bool:
    """Tell whether no row of psi (C, d_s) is nearer to one than to another, so that a class says nothing of others."""
    xp = namespace(psi)
    centred = psi - xp.mean(psi, axis=0)[None, :]
    distances, spread = square_distances(centred, centred), measure_spread(psi)
    apart = distances + spread * xp.eye(psi.shape[0], dtype=psi.dtype, device=psi.device)
    return bool(xp.max(xp.abs(apart - spread)) <= 1e-9 * spread)


def square_distances(psi: Array, others: Array) -> Array:
    """Return the squared distances (m, C) between rows of psi (m, d_s) and others (C, d_s)."""
    xp = namespace(psi)
    squares = xp.sum(psi * psi, axis=1)[:, None] + xp.sum(others * others, axis=1)[None, :] - 2 * psi @ others.T
    return xp.where(squares > 0, squares, xp.zeros_like(squares))


@dataclass(frozen=True, eq=False)
class DescriptionRegression:
    """A fitted regression from descriptions to class means.

    Attributes
    ----------
    kernel : DescriptionKernel
    psi : array of shape (C, d_s)
        Descriptions of the seen classes.
    alpha : array of shape (C, k)
        The predicted means of descriptions are kernel(descriptions, psi) alpha.
    left_out : array of shape (C, k)
        The mean predicted for each seen class from all the others.
    """

    kernel: DescriptionKernel
    psi: Array
    alpha: Array
    left_out: Array

    @classmethod
    def fit(cls, kernel: DescriptionKernel, psi: Array, means: Array, ridge: Array) -> Self:
        """Fit class means (C, k) of descriptions (C, d_s), with a ridge (C,) for each class."""
        xp = namespace(psi)
        inverse = xp.linalg.inv(kernel(psi, psi) + _make_diagonal(ridge))
        alpha = inverse @ means
        return cls(kernel, psi, alpha, means - alpha / xp.linalg.diagonal(inverse)[:, None])

    def turn(self, axes: Array) -> Self:
        """Return the same regression with means along other axes (k, k)."""
        return replace(self, alpha=self.alpha @ axes, left_out=self.left_out @ axes)

    def predict(self, psi: Array) -> Array:
        """Return the predicted means (m, k) of descriptions (m, d_s)."""
        return self.kernel(psi, self.psi) @ self.alpha

    def pull_back(self, psi: Array, directions: Array) -> Array:
        """Return the gradient (m, d_s) of sum_j directions_ij predict(psi)_ij with respect to psi_i."""
        return self.kernel.gradient(psi, self.psi, directions @ self.alpha.T)

    def find_inverse(self, rho: Array) -> Array:
        """Return the matrix (k, d_s) that takes class means to the descriptions most likely to go with them.

        Class means vary around predictions by rho (k,). Both are taken from their averages over the seen classes.
        """
        xp = namespace(rho)
        predicted = self.left_out - xp.mean(self.left_out, axis=0)[None, :]
        psi = self.psi - xp.mean(self.psi, axis=0)[None, :]
        covariance = predicted.T @ predicted / psi.shape[0] + _make_diagonal(rho)
        return xp.linalg.solve(covariance, predicted.T @ psi / psi.shape[0])


def _make_diagonal(values: Array) -> Array:
    xp = namespace(values)
    return xp.eye(values.shape[0], dtype=values.dtype, device=values.device) * values[None, :]
