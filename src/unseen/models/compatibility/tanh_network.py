"""Learn a network with one hidden layer that maps features to the descriptions of their classes, for CMT."""

from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from unseen.features import Rows
from unseen.learning.span import find_span
from unseen.utils.arrays import Array, as_backend, convert_like, namespace, to_float64, to_numpy

# Gradients of a loss that is about 1 at the start are zero below this size.
GRADIENT_TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class TanhNetwork:
    """The map f(x) = theta_2 tanh(theta_1 x + b_1) + b_2.

    Attributes
    ----------
    theta_1 : array of shape (hidden, d_t)
    b_1 : array of shape (hidden,)
    theta_2 : array of shape (d_s, hidden)
    b_2 : array of shape (d_s,)
    """

    theta_1: Array
    b_1: Array
    theta_2: Array
    b_2: Array

    @classmethod
    def draw(cls, d_t: int, hidden: int, d_s: int, rng: np.random.Generator) -> Self:
        """Draw random weights for features of length about 1, and offsets of 0."""
        theta_1 = rng.standard_normal((hidden, d_t)) * np.sqrt(2 / (d_t + hidden))
        theta_2 = rng.standard_normal((d_s, hidden)) * np.sqrt(2 / (d_s + hidden))
        return cls(theta_1, np.zeros(hidden), theta_2, np.zeros(d_s))

    def map(self, phi: Array) -> Array:
        """Map rows (n, d_t) into the space of the descriptions, in the library and precision of the rows."""
        theta_1, b_1, theta_2, b_2 = (convert_like(part, phi) for part in self.parts)
        return namespace(phi).tanh(phi @ theta_1.T + b_1[None, :]) @ theta_2.T + b_2[None, :]

    @property
    def parts(self) -> tuple[Array, Array, Array, Array]:
        """The weights and offsets of both layers."""
        return self.theta_1, self.b_1, self.theta_2, self.b_2

    def flatten(self) -> NDArray[np.float64]:
        """Return all weights and offsets as one vector."""
        return np.concatenate([to_numpy(part).ravel().astype(np.float64) for part in self.parts])

    def unflatten(self, flat: NDArray[np.float64]) -> Self:
        """Return the network of these shapes whose weights and offsets are the vector."""
        shapes = [tuple(part.shape) for part in self.parts]
        cuts = np.cumsum([np.prod(shape, dtype=int) for shape in shapes])[:-1]
        return type(self)(*(part.reshape(shape) for part, shape in zip(np.split(flat, cuts), shapes, strict=True)))


@dataclass(frozen=True, eq=False)
class MappingLoss:
    """1/(2n) sum_i w_i |psi(y_i) - f(x_i)|^2 + lam/2 |theta|^2, where n is the sum of the weights w_i.

    Parameters
    ----------
    phi : Rows
    y : array of shape (n,)
        The class of each row, as a row of psi.
    psi : array of shape (m, d_s)
    weights : array of shape (n,), optional
    lam : float
        Strength of the regulariser, on the offsets too.
    """

    phi: Rows
    y: Array
    psi: Array
    weights: Array | None
    lam: float

    def evaluate(self, network: TanhNetwork) -> tuple[float, NDArray[np.float64]]:
        """Return the loss and its gradient by all weights and offsets, as one vector."""
        more = () if self.weights is None else (self.weights,)
        work = network.theta_1.shape[0] + 2 * self.psi.shape[1]
        value, *gradients = self.phi.add_up(partial(_evaluate_block, network, self.psi), self.y, work, *more)
        total = self.y.shape[0] if self.weights is None else float(namespace(self.weights).sum(self.weights))
        flat = network.flatten()
        gradient = np.concatenate([to_numpy(part).ravel() for part in gradients]) / total + self.lam * flat
        return 0.5 * value / total + 0.5 * self.lam * float(flat @ flat), gradient


def learn_network(
    phi: Rows,
    y: Array,
    psi: Array,
    weights: Array | None,
    *,
    hidden: int,
    lam: float,
    max_iter: int,
    rng: np.random.Generator,
) -> tuple[TanhNetwork, int]:
    """Minimise the loss by L-BFGS; return the network, in the library of psi, and the number of iterations.

    Parameters
    ----------
    phi, y, psi, weights, lam
        As in `MappingLoss`.
    hidden : int
        Number of hidden units.
    max_iter : int
        Maximum number of iterations.
    rng : numpy.random.Generator
        Source of the random start.
    """
    # Nothing that is learned leaves the span of the descriptions, where the products are smaller.
    span = find_span(psi)
    loss = MappingLoss(phi, y, psi @ span, weights, lam)
    start = TanhNetwork.draw(phi.shape[1], hidden, span.shape[1], rng)

    def evaluate(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        return loss.evaluate(start.unflatten(flat))

    # These products are so small that threads slow them down, especially on busy cores.
    with threadpool_limits(1, user_api="blas"):
        found = minimize(
            evaluate,
            start.flatten(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": max_iter, "gtol": GRADIENT_TOLERANCE, "ftol": 0.0},
        )
    theta_1, b_1, theta_2, b_2 = (as_backend(part, psi) for part in start.unflatten(found.x).parts)
    return TanhNetwork(theta_1, b_1, span @ theta_2, span @ b_2), int(found.nit)


def _evaluate_block(
    network: TanhNetwork, psi: Array, phi: Array, y: Array, weights: Array | None = None
) -> tuple[float, Array, Array, Array, Array]:
    """Return the sum over a block of w |psi(y) - f(x)|^2, and half its derivatives by the parts of the network."""
    xp = namespace(phi)
    theta_1, b_1, theta_2, b_2 = (convert_like(part, phi) for part in network.parts)
    H = xp.tanh(phi @ theta_1.T + b_1[None, :])
    missed = H @ theta_2.T + b_2[None, :] - xp.take(convert_like(psi, phi), y, axis=0)
    weighted = missed if weights is None else missed * convert_like(weights, phi)[:, None]
    inward = (weighted @ theta_2) * (1 - H * H)
    sums = (inward.T @ phi, xp.sum(inward, axis=0), weighted.T @ H, xp.sum(weighted, axis=0))
    return float(xp.sum(weighted * missed)), *(to_float64(part) for part in sums)
