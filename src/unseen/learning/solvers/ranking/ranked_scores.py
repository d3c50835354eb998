"""Define the scores that ranking descent can learn: one bilinear form, or the largest of several."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unseen.utils.arrays import Array, namespace
from unseen.utils.validation import check_flag, check_whole_number

# LatEm's rule: after every so many epochs, forms that win for less than this share of the rows are dropped.
PRUNE_EVERY, LEAST_SHARE = 5, 0.05


class RankedScore(Protocol):
    """Turn products phi W psi^T into scores, and the derivative by the scores into a step of W."""

    def start(self, d_t: int, d_s: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return random weights that give vectors of length 1 small scores compared with the margin."""

    def reduce(self, products: Array) -> tuple[Array, Any]:
        """Return scores (n, m), and which part of W wins for each, which `descend` is told."""

    def descend(self, W: Array, step: float, phi: Array, G: Array, psi: Array, winners: Any) -> None:
        """Change W in place by -step times the derivative, where G (n, m) is the derivative by the scores."""

    def find_kept(self, n_epochs: int, find_winners: Callable[[], NDArray[np.int64]]) -> NDArray[np.int64] | None:
        """Return the parts of W to keep after so many epochs, or None for all.

        `find_winners` makes a pass over the rows; it returns the part of W that wins for each at its true class.
        """


@dataclass(frozen=True)
class Bilinear:
    """The score phi^T W psi, with W of shape (d_t, d_s)."""

    def start(self, d_t: int, d_s: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return entries of variance 1 / d_t."""
        return rng.standard_normal((d_t, d_s)) / math.sqrt(d_t)

    def reduce(self, products: Array) -> tuple[Array, None]:
        """Return the products as they are."""
        return products, None

    def descend(self, W: Array, step: float, phi: Array, G: Array, psi: Array, winners: None) -> None:
        """Subtract step phi^T G psi from W."""
        W -= step * (phi.T @ (G @ psi))

    def find_kept(self, n_epochs: int, find_winners: Callable[[], NDArray[np.int64]]) -> None:
        """Keep the whole of W."""


@dataclass(frozen=True)
class LargestBilinear:
    """The score of LatEm, max_k phi^T W_k psi, with W of shape (K, d_t, d_s).

    Parameters
    ----------
    K : int
        Number of forms at the start.
    prune : bool
        Whether forms that win for fewer than 5% of the rows at their true classes are dropped after every 5 epochs.
    """

    K: int
    prune: bool = False

    def __post_init__(self) -> None:
        check_whole_number(self.K, "K", minimum=1)
        check_flag(self.prune, "prune")

    def start(self, d_t: int, d_s: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return entries of variance 1 / d_t."""
        return rng.standard_normal((self.K, d_t, d_s)) / math.sqrt(d_t)

    def reduce(self, products: Array) -> tuple[Array, Array]:
        """Return the largest of the products (K, n, m), and which one that is."""
        xp = namespace(products)
        return xp.max(products, axis=0), xp.argmax(products, axis=0)

    def descend(self, W: Array, step: float, phi: Array, G: Array, psi: Array, winners: Array) -> None:
        """Change for each pair of row and class the W_k that wins."""
        xp = namespace(W)
        for k in range(W.shape[0]):
            won = xp.where(winners == k, G, xp.zeros_like(G))
            # Most rows have nothing to do with this k; without them the products are small.
            rows = xp.nonzero(xp.any(won != 0, axis=1))[0]
            W[k, ...] -= step * (xp.take(phi, rows, axis=0).T @ (xp.take(won, rows, axis=0) @ psi))

    def find_kept(self, n_epochs: int, find_winners: Callable[[], NDArray[np.int64]]) -> NDArray[np.int64] | None:
        """Keep the forms that win for enough rows, and always the one that wins most."""
        if not self.prune or n_epochs % PRUNE_EVERY:
            return None
        winners = find_winners()
        counts = np.bincount(winners)
        return np.flatnonzero((counts >= LEAST_SHARE * len(winners)) | (counts == counts.max()))
