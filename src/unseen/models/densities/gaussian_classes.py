"""Model classes as Gaussians whose means are predicted from descriptions, in the space where this is simplest."""

from dataclasses import dataclass, replace
from typing import Self

from unseen.models.exemplars.class_statistics import ClassStatistics
from unseen.models.exemplars.description_regression import DescriptionKernel, DescriptionRegression, Kernel
from unseen.utils.arrays import Array, namespace

# How many times more the rows of one class may vary than class means do, before these count as only noise.
MOST_NOISE = 1000.0

# Share of the variance between class means that descriptions leave unexplained, about.
UNEXPLAINED = 1 / 3

# No class is predicted more exactly than this, relative to the variance of its rows.
LEAST_SPREAD = 1e-6

# Directions in which class means differ less than this, relative to where they differ most, are rounding.
RANK = 1e-9


@dataclass(frozen=True)
class Shape:
    """The parameters of Gaussian classes: those of `GaussianJFA`, none of them "auto"."""

    kernel: Kernel
    width: float
    ridge: float
    within_shrinkage: float
    between_shrinkage: float


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The eigenvectors of the within-class covariance, and the class means along them.

    Attributes
    ----------
    centre : array of shape (d,)
        Mean of the class means.
    values, vectors : arrays of shapes (d,) and (d, d)
    means : array of shape (C, d)
        (Class means - centre) vectors.
    counts : array of shape (C,)
        Number of rows of each class.
    noise : array of shape (C,)
        Variance of the mean of each class around its prediction, relative to that of a class of very many rows.
    """

    centre: Array
    values: Array
    vectors: Array
    means: Array
    counts: Array
    noise: Array

    @classmethod
    def of(cls, statistics: ClassStatistics) -> Self:
        """Decompose the statistics."""
        xp = namespace(statistics.sums)
        means, within = statistics.means, statistics.within
        centre = xp.mean(means, axis=0)
        values, vectors = xp.linalg.eigh(within)
        values = xp.where(values > 0, values, xp.zeros_like(values))
        noise = _weigh_noise(means, within, statistics.counts)
        return cls(centre, values, vectors, (means - centre[None, :]) @ vectors, statistics.counts, noise)

    def shrink(self, shrinkage: float) -> Array:
        """Return the factors (d,) that bring the covariance, shrunk by its mean eigenvalue times this, to 1."""
        xp = namespace(self.values)
        return 1 / xp.sqrt(self.values + shrinkage * xp.mean(self.values))


def _weigh_noise(means: Array, within: Array, counts: Array) -> Array:
    """Return the variance of each class mean (C,) around its prediction, relative to that of a class of very many rows.

    For the mean of n rows it is S_b + S_w / n, so 1 + t / n where t compares the variance within classes with what is
    not explained of that between them.
    """
    xp = namespace(means)
    inverse = 1 / counts
    variance = float(xp.mean(xp.linalg.diagonal(within)))
    between = float(xp.mean(xp.var(means, axis=0))) - variance * float(xp.mean(inverse))
    return 1 + inverse * variance / max(UNEXPLAINED * between, variance / MOST_NOISE)


@dataclass(frozen=True, eq=False)
class Span:
    """The space that the class means span, turned and scaled so that rows of a class have unit covariance in it.

    All classes look the same in the directions outside of it.

    Attributes
    ----------
    axes : array of shape (d, k)
        z = (phi - centre) axes.
    means : array of shape (C, k)
        Class means.
    within : array of shape (k, k)
        Covariance of the rows of a class, before it was shrunk.
    n_dimensions : int
        d, over which variances are averaged.
    """

    axes: Array
    means: Array
    within: Array
    n_dimensions: int

    @classmethod
    def of(cls, spectrum: Spectrum, shrinkage: float) -> Self:
        """Whiten by the within-class covariance, shrunk, and find the span of the class means."""
        xp = namespace(spectrum.means)
        root = spectrum.shrink(shrinkage)
        means = spectrum.means * root[None, :]
        _, sizes, basis = xp.linalg.svd(means, full_matrices=False)
        # Sorted by size, so that those to keep come first.
        basis = basis[: max(1, int(xp.count_nonzero(sizes > RANK * sizes[0]))), :].T
        within = basis.T @ (basis * (spectrum.values * root**2)[:, None])
        return cls((spectrum.vectors * root[None, :]) @ basis, means @ basis, within, int(root.shape[0]))

    def find_spread(self, residuals: Array, counts: Array, noise: Array, shrinkage: float) -> tuple[Array, Array]:
        """Return the covariance S_b (k, k) of class means around predictions, shrunk, and their variance elsewhere.

        Parameters
        ----------
        residuals : array of shape (C, k), or a stack of them
            Class means minus predictions for classes that were left out. They vary by S_b + S_w / n.
        counts, noise : arrays of shape (C,), or stacks of them
            n, and the size of this variance: classes of few rows say less of S_b.
        shrinkage : float
            Share of the way to a multiple of the identity.
        """
        xp = namespace(residuals)
        weights = noise**-2 / xp.sum(noise**-2, axis=-1, keepdims=True)
        spread = xp.matrix_transpose(residuals * weights[..., None]) @ residuals
        spread = spread - xp.sum(weights / counts, axis=-1)[..., None, None] * self.within
        trace = xp.linalg.trace(spread)
        elsewhere = shrinkage * xp.where(trace > 0, trace, xp.zeros_like(trace)) / self.n_dimensions
        identity = xp.eye(spread.shape[-1], dtype=spread.dtype, device=spread.device)
        return (1 - shrinkage) * spread + elsewhere[..., None, None] * identity, elsewhere


@dataclass(frozen=True, eq=False)
class GaussianClasses:
    """Classes mu_c ~ N(m(psi_c), S_b) with rows x ~ N(mu_c, S_w), where S_w = I and S_b = diag(rho).

    Attributes
    ----------
    centre : array of shape (d,)
    axes : array of shape (d, k)
        z = (phi - centre) axes has these covariances.
    rho : array of shape (k,)
        Variances of the class means around their predictions.
    elsewhere : float
        Their variance in all other directions, in which the predictions do not differ.
    regression : DescriptionRegression
        m, from descriptions to z.
    means : array of shape (C, k)
        Posterior means of the seen classes: their rows and the prediction from the other classes, weighed by counts.
    """

    centre: Array
    axes: Array
    rho: Array
    elsewhere: float
    regression: DescriptionRegression
    means: Array

    @classmethod
    def fit(cls, spectrum: Spectrum, span: Span, psi: Array, shape: Shape) -> Self:
        """Estimate everything from the statistics of the rows and the descriptions psi (C, d_s) of their classes."""
        xp = namespace(psi)
        kernel = DescriptionKernel.fit(shape.kernel, shape.width, psi)
        regression = DescriptionRegression.fit(kernel, psi, span.means, shape.ridge * spectrum.noise)
        residuals = span.means - regression.left_out
        spread, around = span.find_spread(residuals, spectrum.counts, spectrum.noise, shape.between_shrinkage)
        elsewhere = float(around)
        values, turn = xp.linalg.eigh(spread)
        least = max(elsewhere, LEAST_SPREAD)
        rho = xp.where(values > least, values, xp.full_like(values, least))
        regression = regression.turn(turn)
        means = find_posterior_means(regression.left_out, span.means @ turn, spectrum.counts[:, None], rho)
        return cls(spectrum.centre, span.axes @ turn, rho, elsewhere, regression, means)

    def complete(self, spectrum: Spectrum, shrinkage: float) -> Self:
        """Return the same classes with an axis for each of the d directions; rho is `elsewhere` along the further ones.

        Scores need only the directions in which the means of seen classes differ, but those of other classes may lie
        anywhere, once rows of them are known.

        Parameters
        ----------
        spectrum : Spectrum
            What the classes were fitted to.
        shrinkage : float
            `within_shrinkage` of their shape.
        """
        xp = namespace(self.axes)
        root = spectrum.shrink(shrinkage)
        inside = spectrum.vectors.T @ self.axes / root[:, None]
        k = inside.shape[1]
        _, _, basis = xp.linalg.svd(inside.T, full_matrices=True)
        outside = spectrum.vectors @ (root[:, None] * basis[k:, :].T)
        regression = self.regression
        return replace(
            self,
            axes=xp.concat([self.axes, outside], axis=1),
            rho=xp.concat([self.rho, xp.full_like(outside[0, :], self.elsewhere)]),
            regression=replace(
                regression,
                alpha=_append_zeros(regression.alpha, outside.shape[1]),
                left_out=_append_zeros(regression.left_out, outside.shape[1]),
            ),
            means=_append_zeros(self.means, outside.shape[1]),
        )

    def predict_means(self, psi: Array) -> Array:
        """Return the mean (m, k) of each candidate, given its description (m, d_s); a seen class keeps its own."""
        return self.give_to_seen(psi, self.means, self.regression.predict(psi))

    def give_to_seen(self, psi: Array, values: Array, others: Array) -> Array:
        """Return for each candidate (m, d_s) its row of `values` (C, k) if it is a seen class, else `others` (m, k)."""
        xp = namespace(psi)
        nearest, seen = self.regression.kernel.find(psi, self.regression.psi)
        return xp.where(seen[:, None], xp.take(values, nearest, axis=0), others)

    def apply(self, phi: Array) -> Array:
        """Return rows phi (n, d) in the space of the classes."""
        return (phi - self.centre[None, :]) @ self.axes

    def displace(self, phi: Array, psi: Array, within: Array) -> tuple[Array, Array]:
        """Return the most likely class mean of each pair of rows, as features (n, d), and how far it moved (n, k).

        Parameters
        ----------
        phi, psi : arrays of shapes (n, d) and (n, d_s)
        within : array of shape (d, d)
            S_w of the features.
        """
        means = self.predict_means(psi)
        # axes^T S_w axes = I, so S_w axes takes z back to features.
        back = within @ self.axes
        apart = self.apply(phi) - means
        moved = apart * (self.rho / (1 + self.rho))[None, :]
        share = self.elsewhere / (1 + self.elsewhere)
        inside = apart @ back.T
        outside = phi - self.centre[None, :] - means @ back.T - inside
        return self.centre[None, :] + (means + moved) @ back.T + share * outside, moved

    def linear_form(self, psi: Array, penalties: Array) -> tuple[Array, Array]:
        """Return E (d, m) and b (m,) with scores = phi E + b of candidates psi (m, d_s), up to what all classes share.

        Parameters
        ----------
        psi : array of shape (m, d_s)
        penalties : array of shape (C,)
            What each seen class loses.
        """
        means = self.predict_means(psi)
        weighted = means / (1 + self.rho)[None, :]
        E = self.axes @ weighted.T
        offsets = -namespace(psi).sum(means * weighted, axis=1) / 2
        return E, offsets - self.centre @ E - self.find_penalties(psi, penalties)

    def find_penalties(self, psi: Array, penalties: Array) -> Array:
        """Return what candidates psi (m, d_s) lose: nothing if unseen, so that it matters only beside such ones."""
        return self.give_to_seen(psi, penalties[:, None], namespace(psi).zeros_like(psi[:, :1]))[:, 0]

    def score(self, z: Array, means: Array) -> Array:
        """Score rows z (n, k) against class means (m, k), up to what all classes share."""
        weighted = means / (1 + self.rho)[None, :]
        return z @ weighted.T - namespace(z).sum(means * weighted, axis=1)[None, :] / 2

    def score_pairs(self, z: Array, means: Array) -> Array:
        """Score each row z (n, k) against the mean (n, k) of its own, as `score` does."""
        return namespace(z).sum((z - means / 2) * means / (1 + self.rho)[None, :], axis=1)


def find_posterior_means(predicted: Array, observed: Array, counts: Array, rho: Array) -> Array:
    """Return the means (C, k) of classes, given predictions with variances rho (k,), and means of so many rows."""
    evidence = counts * rho[None, :]
    return (predicted + evidence * observed) / (1 + evidence)


def _append_zeros(matrix: Array, width: int) -> Array:
    """Return the matrix with so many columns of zeros after its own."""
    xp = namespace(matrix)
    zeros = xp.zeros((matrix.shape[0], width), dtype=matrix.dtype, device=matrix.device)
    return xp.concat([matrix, zeros], axis=1)
