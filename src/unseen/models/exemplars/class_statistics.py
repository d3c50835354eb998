"""Count, add up and multiply the rows of every class: all that Gaussian classes of one covariance need of them."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from unseen.features import Rows
from unseen.utils.arrays import Array, as_backend, convert_like, namespace, to_float64


@dataclass(frozen=True, eq=False)
class ClassStatistics:
    """Sufficient statistics of rows with classes, which are added up in one pass and can be added to later.

    Attributes
    ----------
    counts : array of shape (C,)
        Number of rows of each class, or the sum of their weights.
    sums : array of shape (C, d)
        Sum of the rows of each class.
    products : array of shape (d, d)
        Sum of x x^T over all rows.
    """

    counts: Array
    sums: Array
    products: Array

    @classmethod
    def of(cls, phi: Rows, y: Array, n_classes: int, weights: Array | None = None) -> Self:
        """Add up rows with classes 0..n_classes - 1, in one pass and block by block."""
        more = () if weights is None else (weights,)
        return cls(*phi.add_up(partial(_add_up_block, n_classes), y, 2 * n_classes, *more))

    @property
    def means(self) -> Array:
        """Mean row of each class (C, d)."""
        return self.sums / self.counts[:, None]

    @property
    def within(self) -> Array:
        """Pooled within-class covariance (d, d); half of that of all rows if no class has two rows that differ."""
        xp = namespace(self.sums)
        n, n_classes = float(xp.sum(self.counts)), self.counts.shape[0]
        scatter = self.products - self.sums.T @ self.means
        if n > n_classes and float(xp.linalg.trace(scatter)) > 1e-12 * float(xp.linalg.trace(self.products)):
            return (scatter + scatter.T) / (2 * (n - n_classes))
        centre = xp.sum(self.sums, axis=0) / n
        return (self.products / n - centre[:, None] * centre[None, :]) / 2

    def within_shrunk(self, shrinkage: float) -> Array:
        """Return the within-class covariance plus its mean eigenvalue times `shrinkage`."""
        xp = namespace(self.sums)
        within = self.within
        level = shrinkage * float(xp.mean(xp.linalg.diagonal(within)))
        return within + level * xp.eye(within.shape[0], dtype=within.dtype, device=within.device)

    def spread_out(self, places: Array, n_classes: int) -> Self:
        """Return the same statistics among `n_classes` classes, of which `places` (C,) says where ours are."""
        counts, sums = (spread_out(values, places, n_classes) for values in (self.counts, self.sums))
        return replace(self, counts=counts, sums=sums)

    def move_to(self, model: Array) -> Self:
        """Return the same statistics in the library and on the device of an array."""
        return replace(
            self, **{name: as_backend(getattr(self, name), model) for name in ("counts", "sums", "products")}
        )

    def __add__(self, other: Self) -> Self:
        """Return the statistics of the rows of both."""
        return replace(
            self,
            counts=self.counts + other.counts,
            sums=self.sums + other.sums,
            products=self.products + other.products,
        )


def spread_out(values: Array, places: Array, n: int) -> Array:
    """Return values (C, ...) at their places (C,) among n, and 0 at the others."""
    xp = namespace(values)
    at = xp.arange(n, device=values.device)[:, None] == places[None, :]
    return xp.astype(at, values.dtype) @ values


def _add_up_block(n_classes: int, phi: Array, y: Array, weights: Array | None = None) -> tuple[Array, ...]:
    xp = namespace(phi)
    members = xp.astype(y[:, None] == xp.arange(n_classes, device=y.device)[None, :], phi.dtype)
    if weights is not None:
        members = members * convert_like(weights, phi)[:, None]
    weighted = phi if weights is None else phi * convert_like(weights, phi)[:, None]
    counts = xp.sum(to_float64(members), axis=0)
    return counts, to_float64(members.T @ phi), to_float64(weighted.T @ phi)
