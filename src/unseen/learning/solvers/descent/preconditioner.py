"""Choose the variable in which L-BFGS descends, so that the objective is about as steep in all directions.

At W = 0 the Hessian of the soft maximum is gain^2 / T times the second moment of the features (x) that of the
descriptions, up to the margin. In the eigenbases of both, with eigenvalues e_j and v_k, the Hessian of the objective is
diagonal: lam + gain^2 / T e_j v_k. Later the soft maximum is sharper and its Hessian smaller, so the variable is

    Z = sqrt(D) U^T W V,   D_jk = lam + SHARE gain^2 / T e_j v_k.
"""

import math
from dataclasses import dataclass
from typing import Protocol, Self
from weakref import WeakKeyDictionary

from unseen.features.reading.rows import Rows
from unseen.learning.losses import SoftMaximum
from unseen.learning.objective import LatentSVM
from unseen.similarity.sets.weights import WeightSet
from unseen.utils.arrays import Array, as_float, convert_like, decompose_symmetric, namespace, to_float64

# The share of the Hessian of the loss at W = 0 that is left on the way to the optimum.
SHARE = 0.05

# The share of lam that is left in coordinates of the positive-definite set: W is bounded there, and so is its cost, but
# scores are not.
SATURATED = 0.003

# The second moment of the features is that of at most this many rows, evenly spread over all.
SAMPLE = 4096

# Of wider features only the leading directions of as many rows are used: more would cost more than they save.
WIDE = 1024

# Directions flatter than this share of the steepest are taken to be as flat as this.
FLATTEST = 1e-8

# A basis in which correlations are below this is used as it is, because rotating costs two products for each step.
UNCORRELATED = 0.05

# Weights, eigenvalues and eigenvectors of the rows last measured, for as long as these are there.
_known: "WeakKeyDictionary[Rows, tuple[Array | None, Array, Array | None]]" = WeakKeyDictionary()


class Preconditioner(Protocol):
    """A linear change of variable between weights W and the variable Z of a descent."""

    def to_weights(self, Z: Array) -> Array:
        """Return W."""

    def from_weights(self, W: Array) -> Array:
        """Return Z."""

    def pull_back(self, gradient: Array) -> Array:
        """Return the gradient with respect to Z from that with respect to W."""

    @property
    def first(self) -> float | None:
        """The step from the start per gradient in Z; None if nothing is known of the curvature."""

    @property
    def outer(self) -> "Preconditioner":
        """The preconditioner for coordinates of the weight set, far from W = 0."""


class NoPreconditioner:
    """Z = W."""

    first = None

    @property
    def outer(self) -> Self:
        """The same."""
        return self

    def to_weights(self, Z: Array) -> Array:
        """Return Z."""
        return Z

    from_weights = pull_back = to_weights


NO_PRECONDITIONER: Preconditioner = NoPreconditioner()


@dataclass(frozen=True, eq=False)
class EigenScaling:
    """Z = sqrt(D) U^T W V.

    Attributes
    ----------
    roots : array of shape (d_t, d_s)
        1 / sqrt(D).
    U, V : arrays of shape (d_t, d_t) and (d_s, d_s), or None
        Orthonormal columns; None stands for the identity.
    first : float
    beyond : Preconditioner, optional
        See `Preconditioner.outer`.
    """

    roots: Array
    U: Array | None
    V: Array | None
    first: float
    beyond: Preconditioner | None = None

    @property
    def outer(self) -> Preconditioner:
        """The preconditioner for coordinates, or the same."""
        return self.beyond or self

    def to_weights(self, Z: Array) -> Array:
        """Return U (Z / sqrt(D)) V^T."""
        return _rotate(self.U, self.roots * Z, None if self.V is None else self.V.T)

    def from_weights(self, W: Array) -> Array:
        """Return sqrt(D) U^T W V."""
        return self._rotate_back(W) / self.roots

    def pull_back(self, gradient: Array) -> Array:
        """Return (U^T gradient V) / sqrt(D)."""
        return self._rotate_back(gradient) * self.roots

    def _rotate_back(self, W: Array) -> Array:
        return _rotate(None if self.U is None else self.U.T, W, self.V)


def _rotate(left: Array | None, matrix: Array, right: Array | None) -> Array:
    turned = matrix if left is None else left @ matrix
    return turned if right is None else turned @ right


@dataclass(frozen=True, eq=False)
class LeadingScaling:
    """The same if only k leading columns of U are known; in all directions beyond, e_j is 0.

    Here Z = sqrt(D) W V with the symmetric root of D, for which no further columns of U are needed.

    Attributes
    ----------
    roots : array of shape (k, d_s)
        1 / sqrt(D).
    rest : float
        1 / sqrt(D) beyond the leading directions.
    U : array of shape (d_t, k)
    V : array of shape (d_s, d_s) or None
    first : float
    beyond : Preconditioner, optional
        See `Preconditioner.outer`.
    """

    roots: Array
    rest: float
    U: Array
    V: Array | None
    first: float
    beyond: Preconditioner | None = None

    @property
    def outer(self) -> Preconditioner:
        """The preconditioner for coordinates, or the same."""
        return self.beyond or self

    def to_weights(self, Z: Array) -> Array:
        """Return D^(-1/2) Z V^T."""
        return _rotate(None, self._scale(Z, self.roots, self.rest), None if self.V is None else self.V.T)

    def from_weights(self, W: Array) -> Array:
        """Return D^(1/2) W V."""
        return self._scale(_rotate(None, W, self.V), 1 / self.roots, 1 / self.rest)

    def pull_back(self, gradient: Array) -> Array:
        """Return D^(-1/2) gradient V."""
        return self._scale(_rotate(None, gradient, self.V), self.roots, self.rest)

    def _scale(self, matrix: Array, leading: Array, rest: float) -> Array:
        return rest * matrix + self.U @ ((leading - rest) * (self.U.T @ matrix))


@dataclass(frozen=True, eq=False)
class Moments:
    """Eigenvalues and eigenvectors of the second moments of features and descriptions.

    Attributes
    ----------
    e, v : arrays of shape (k,) and (d_s,)
        Eigenvalues, those of the features summed over rows and those of the descriptions averaged over classes.
    U, V : arrays of shape (d_t, k) and (d_s, d_s), or None
        Eigenvectors; None where features or descriptions are uncorrelated as they are.
    """

    e: Array
    v: Array
    U: Array | None
    V: Array | None

    @classmethod
    def of(cls, phi: Rows, psi: Array, weights: Array | None = None) -> Self:
        """Measure a sample of the rows and all descriptions (m, d_s), in double precision."""
        psi = to_float64(psi)
        e, U = _measure_features(phi, psi, weights)
        v, V = _find_eigenvectors(psi / psi.shape[0] ** 0.5)
        return cls(e, v, U, V)

    def precondition(self, steepness: float, lam: float) -> Preconditioner:
        """Return the preconditioner of D = lam + SHARE steepness e_j v_k, where steepness is gain^2 / T."""
        hessian = steepness * self.e[:, None] * self.v[None, :]
        largest = as_float(namespace(hessian).max(hessian))
        if not 0 < largest < math.inf:
            return NO_PRECONDITIONER
        return self._scale(hessian, largest, lam, self._scale(hessian, largest, SATURATED * lam))

    def _scale(
        self, hessian: Array, largest: float, lam: float, beyond: Preconditioner | None = None
    ) -> EigenScaling | LeadingScaling:
        lam = max(lam, FLATTEST * largest)
        roots = (lam + SHARE * hessian) ** -0.5
        # The curvature in Z at W = 0 is largest where that in W is.
        first = (lam + SHARE * largest) / (lam + largest)
        if self.U is not None and self.U.shape[1] < self.U.shape[0]:
            return LeadingScaling(roots, lam**-0.5, self.U, self.V, first, beyond)
        return EigenScaling(roots, self.U, self.V, first, beyond)


def find_preconditioner(objective: object, weight_set: WeightSet) -> Preconditioner:
    """Return the preconditioner of an objective whose Hessian at W = 0 is known.

    Others have none; nor have weight sets onto which steps must be projected, because a projection is the nearest point
    in W and not in Z.
    """
    projects = weight_set.constrains and weight_set.chart is None
    if projects or not isinstance(objective, LatentSVM) or not isinstance(objective.loss, SoftMaximum):
        return NO_PRECONDITIONER
    gain = objective.similarity.gain
    if gain is None:
        return NO_PRECONDITIONER
    moments = Moments.of(objective.phi, objective.psi, objective.weights)
    return moments.precondition(gain**2 / objective.loss.temperature, objective.lam)


def _measure_features(phi: Rows, psi: Array, weights: Array | None) -> tuple[Array, Array | None]:
    """Return eigenvalues and eigenvectors of the features, which the points of a grid share with their rows."""
    known = _known.get(phi)
    if known is None or known[0] is not weights:
        known = _known[phi] = weights, *_find_eigenvectors(_sample_rows(phi, psi, weights))
    return known[1:]


def _sample_rows(phi: Rows, psi: Array, weights: Array | None) -> Array:
    """Return some rows, multiplied so that their second moment stands for the sum over all rows."""
    n, width = phi.shape
    xp, step = namespace(psi), max(1, n // (WIDE if width > WIDE else SAMPLE))
    chosen = xp.arange(0, n, step, device=psi.device)
    rows = convert_like(phi.take(chosen), psi)
    if weights is None:
        return rows * (n / rows.shape[0]) ** 0.5
    ours = convert_like(xp.take(weights, chosen), psi)
    share = as_float(xp.sum(convert_like(weights, psi))) / (as_float(xp.sum(ours)) or 1.0)
    return rows * xp.sqrt(share * ours)[:, None]


def _find_eigenvectors(rows: Array) -> tuple[Array, Array | None]:
    """Return eigenvalues and eigenvectors of rows^T rows: the leading ones of wide rows, None for the identity."""
    xp, (n, width) = namespace(rows), rows.shape
    if width > WIDE and n < width:
        values, Q = xp.linalg.eigh(rows @ rows.T)
        # Directions of small eigenvalues are lost in rounding, and as flat as those outside the sample.
        kept = max(1, int(xp.sum(xp.astype(values > FLATTEST * values[-1], xp.int64))))
        values, Q = values[n - kept :], Q[:, n - kept :]
        return values, (rows.T @ Q) / xp.sqrt(values)[None, :]
    moment = rows.T @ rows
    diagonal = xp.linalg.diagonal(moment)
    sizes = xp.sqrt(xp.where(diagonal > 0, diagonal, xp.ones_like(diagonal)))
    related = xp.abs(moment / (sizes[:, None] * sizes[None, :])) > UNCORRELATED
    if int(xp.sum(xp.astype(related, xp.int64))) <= width:
        return diagonal, None
    values, basis = decompose_symmetric(moment)
    return xp.maximum(values, xp.zeros_like(values)), basis
