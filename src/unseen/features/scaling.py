"""Scale features and descriptions, so that one set of defaults suits data in any units."""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np
from array_api_compat import is_dask_array

from unseen.features.reading.dask_rows import make_rows
from unseen.features.reading.rows import append_ones
from unseen.utils.arrays import Array, as_chunk, convert_like, cut_row_blocks, namespace, to_float64, to_numpy
from unseen.utils.errors import InputError

# Columns whose spread exceeds the median spread by this factor are taken to be in other units than the rest. The
# factor is well above the spectrum of principal components, because standardising these would amplify the noisy ones.
UNLIKE_UNITS = 100.0

# Squares below this, or above its inverse, are not trusted: sums of them might leave the range of floats.
SMALLEST_SQUARE = 1e-200

# A spread below this share of the mean is what rounding leaves of a constant.
ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class FeatureScaling:
    """phi(x) = (x - mean) * factor, with mean squared length 1 over the training rows.

    The factor is the same for all columns, unless their spreads differ by more than `UNLIKE_UNITS`; then every column
    is standardised first.

    Attributes
    ----------
    mean, factor : arrays of shape (d,), double precision
    constant : bool
        Whether a column of ones is appended, so that W has an offset for every class.
    """

    mean: Array
    factor: Array
    constant: bool = False

    @property
    def width(self) -> int:
        """Number of columns of phi."""
        return int(self.mean.shape[0]) + self.constant

    def with_constant(self) -> Self:
        """Return the scaling that also appends a column of ones."""
        return replace(self, constant=True)

    @classmethod
    def fit(cls, X: Array, sample_weight: Array | None = None) -> Self:
        """Measure the training rows (n, d), weighted by (n,), in blocks so that X may be memory-mapped."""
        mean, spread = measure_moments(X, sample_weight)
        weights = _weigh_columns(spread)
        length = _length(spread * weights)
        if bool(namespace(mean).all(spread <= ROUNDING * abs(mean))):
            raise InputError("X has the same values in all rows, so that no class can be told from another: check it")
        _refuse_slip(X, spread)
        factor = weights / length
        _refuse_edge_of_precision(as_chunk(X), length, factor)
        return cls(mean, factor)

    @classmethod
    def identity(cls, X: Array) -> Self:
        """Return the scaling that changes nothing."""
        model = as_chunk(X)
        xp, width, device = namespace(model), X.shape[1], model.device
        return cls(xp.zeros(width, dtype=xp.float64, device=device), xp.ones(width, dtype=xp.float64, device=device))

    def apply(self, X: Array) -> Array:
        """Scale rows, keeping the precision and library of X."""
        phi = (X - convert_like(self.mean, X)[None, :]) * convert_like(self.factor, X)[None, :]
        return append_ones(phi) if self.constant else phi

    def undo(self, phi: Array) -> Array:
        """Return rows in their original units."""
        xp = namespace(phi)
        phi = phi[:, : self.mean.shape[0]]
        factor = convert_like(self.factor, phi)
        return phi / xp.where(factor > 0, factor, xp.ones_like(factor))[None, :] + convert_like(self.mean, phi)[None, :]

    def fold(self, E: Array, b: Array) -> tuple[Array, Array]:
        """Return (E', b') with apply(X) E + b = X E' + b', so that scaling costs nothing in prediction."""
        if self.constant:
            E, b = E[:-1, :], b + E[-1, :]
        scaled = self.factor[:, None] * E
        return scaled, b - self.mean @ scaled


@dataclass(frozen=True, eq=False)
class DescriptionScaling:
    """psi(y) = the description minus the mean description, scaled to length 1.

    Without it, a bilinear score would favour classes with longer description vectors.

    Attributes
    ----------
    mean, factor : arrays of shape (d,), double precision
    unit_length : bool
    """

    mean: Array
    factor: Array
    unit_length: bool

    @classmethod
    def fit(cls, vectors: Array) -> Self:
        """Measure the descriptions of the seen classes."""
        mean, spread = measure_moments(vectors)
        weights = _weigh_columns(spread)
        # Descriptions of any other length would do as well: these cannot leave the range of floats when squared.
        length = _length(spread * weights)
        return cls(mean, weights if _squares_safely(length) else weights / length, unit_length=True)

    @classmethod
    def identity(cls, vectors: Array) -> Self:
        """Return the scaling that changes nothing."""
        scaling = FeatureScaling.identity(vectors)
        return cls(scaling.mean, scaling.factor, unit_length=False)

    def apply(self, vectors: Array) -> Array:
        """Scale descriptions, in double precision."""
        centred = self._centre(vectors)
        return centred / self._measure_lengths(centred)[:, None]

    def undo(self, psi: Array, vectors: Array) -> Array:
        """Return psi in the original units, given the descriptions whose lengths it was divided by."""
        lengths = self._measure_lengths(self._centre(vectors))
        return to_float64(psi) * lengths[:, None] / self.factor[None, :] + self.mean[None, :]

    def _centre(self, vectors: Array) -> Array:
        return (to_float64(vectors) - self.mean[None, :]) * self.factor[None, :]

    def _measure_lengths(self, centred: Array) -> Array:
        xp = namespace(centred)
        lengths = _row_lengths(centred)
        # A class described by the mean itself (up to rounding) has no direction, so it is left near zero.
        smallest = 1e-12 * xp.linalg.vector_norm(self.mean * self.factor)
        usable = lengths > smallest if self.unit_length else lengths < 0
        return xp.where(usable, lengths, xp.ones_like(lengths))


def measure_moments(X: Array, sample_weight: Array | None = None) -> tuple[Array, Array]:
    """Return mean and spread (standard deviation) of every column in double precision, in passes over blocks of rows.

    Where squares would leave the range of floats, every column is measured in units of its largest value.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        mean, variance = _measure_variance(X, sample_weight)
    xp = namespace(variance)
    largest = float(xp.max(variance))
    if largest > SMALLEST_SQUARE and bool(xp.all(xp.isfinite(mean))) and bool(xp.all(xp.isfinite(variance))):
        return mean, xp.sqrt(variance)
    unit = namespace(X).max(abs(to_float64(X)), axis=0)
    unit = unit.compute() if is_dask_array(unit) else unit
    unit = xp.where(unit > 0, unit, xp.ones_like(unit))
    mean, variance = _measure_variance(to_float64(X) / unit[None, :], sample_weight)
    return mean * unit, xp.sqrt(variance) * unit


def _measure_variance(X: Array, sample_weight: Array | None) -> tuple[Array, Array]:
    if sample_weight is not None:
        return _measure_weighted_moments(X, sample_weight)
    if is_dask_array(X):
        import dask

        mean, variance = dask.compute(X.mean(axis=0, dtype="float64"), X.var(axis=0, dtype="float64"))
        return mean, variance
    xp = namespace(X)
    n, width = X.shape
    blocks = cut_row_blocks(n, 8 * width, X)
    mean = sum(xp.sum(to_float64(X[rows, :]), axis=0) for rows in blocks) / n
    variance = sum(xp.sum((to_float64(X[rows, :]) - mean[None, :]) ** 2, axis=0) for rows in blocks) / n
    return mean, variance


def _measure_weighted_moments(X: Array, sample_weight: Array) -> tuple[Array, Array]:
    rows, weights = make_rows(X), to_float64(sample_weight)
    xp = namespace(weights)
    total = xp.sum(weights)
    [sums] = rows.add_up(_sum_weighted, weights, 1)
    mean = sums / total
    [squares] = rows.add_up(partial(_sum_weighted_squares, mean), weights, X.shape[1])
    return mean, squares / total


def _sum_weighted(X: Array, weights: Array) -> tuple[Array]:
    return (weights @ to_float64(X),)


def _sum_weighted_squares(mean: Array, X: Array, weights: Array) -> tuple[Array]:
    return (weights @ (to_float64(X) - mean[None, :]) ** 2,)


def _weigh_columns(spread: Array) -> Array:
    """Return 1 for every column, or 1 / spread if the columns are clearly in different units."""
    xp = namespace(spread)
    # A column that varies only by rounding is left as it is, because scaling would amplify the rounding errors.
    usable = spread > 1e-9 * xp.max(spread)
    varying = xp.sort(spread[usable])
    if varying.shape[0] == 0 or float(varying[-1]) <= UNLIKE_UNITS * float(varying[varying.shape[0] // 2]):
        return xp.ones_like(spread)
    return xp.where(usable, 1 / xp.where(usable, spread, xp.ones_like(spread)), xp.ones_like(spread))


def _refuse_slip(X: Array, spread: Array) -> None:
    """Refuse a single value that is so much larger than all others that these would count for nothing."""
    spreads = to_numpy(spread)
    if not np.any((spreads > 0) & (spreads <= 1e-9 * spreads.max())):
        return
    at = int(spreads.argmax())
    column = X[:, at : at + 1]
    column = to_numpy(column.compute() if is_dask_array(column) else column)[:, 0].astype(np.float64)
    row = int(np.abs(column - np.median(column)).argmax())
    if np.ptp(np.delete(column, row)) <= 1e-9 * spreads[at]:
        raise InputError(
            f"X has {column[row]:.3g} in row {row}, column {at}, beside which all other values count for nothing: "
            "correct it, or leave out the row or the column"
        )


def _refuse_edge_of_precision(X: Array, length: float, factor: Array) -> None:
    limits, xp = namespace(X).finfo(X.dtype), namespace(factor)
    # Half as much is left for a difference of two values.
    if bool(xp.any(factor < limits.smallest_normal * 2)) or bool(xp.any(factor > limits.max / 2)):
        raise InputError(
            f"X varies by {length:.0e}, at the edge of what its precision ({X.dtype}) holds: multiply X by a power of "
            "ten, or give it in double precision"
        )


def _length(values: Array) -> float:
    """Return the Euclidean length of values of any size."""
    xp = namespace(values)
    largest = float(xp.max(xp.abs(values)))
    if largest == 0 or _squares_safely(largest):
        return math.sqrt(float(xp.sum(values**2)))
    return largest * math.sqrt(float(xp.sum((values / largest) ** 2)))


def _row_lengths(matrix: Array) -> Array:
    """Return the Euclidean length of every row, of values of any size."""
    xp = namespace(matrix)
    if not matrix.shape[0]:
        return xp.linalg.vector_norm(matrix, axis=1)
    largest = xp.max(xp.abs(matrix), axis=1)
    if float(xp.max(largest)) < SMALLEST_SQUARE**-0.5:
        return xp.linalg.vector_norm(matrix, axis=1)
    unit = xp.where(largest > 0, largest, xp.ones_like(largest))
    return unit * xp.linalg.vector_norm(matrix / unit[:, None], axis=1)


def _squares_safely(size: float) -> bool:
    """Tell whether the square of a number of this size, and sums of such squares, stay in the range of floats."""
    return SMALLEST_SQUARE < size * size < 1 / SMALLEST_SQUARE
