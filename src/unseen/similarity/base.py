"""What learning asks of a similarity: the small protocol that a user's own similarity plugs into."""

from abc import ABC, abstractmethod
from typing import ClassVar, Self

from unseen.similarity.sets.weights import AllMatrices, WeightSet
from unseen.utils.arrays import Array, like, namespace


class Similarity(ABC):
    """A score f(x, y; W) between features phi(x) and descriptions psi(y), immutable in its weights W.

    A subclass writes `scores`, `adapt` and `gradient` (and `replace`); every solver and estimator then works with it.

    Attributes
    ----------
    W : array of shape (d_t, d_s)
        The weights that learning finds. (Another shape is fine where `start_shape` says so.)
    """

    # Whether scores stay the same when psi and W are rotated together. If so, learning may work inside the span of
    # the seen descriptions, which is smaller (see `unseen.learning.training.reduce_to_span`).
    rotation_invariant: ClassVar[bool] = False

    # Whether the whole score (with the term that `row_sum` adds) is convex in W on the domain: CCCP needs it.
    convex: ClassVar[bool] = False

    # Whether `scores` leaves out a term that is the same for every class but depends on W; see `row_sum`.
    has_row_term: ClassVar[bool] = False

    W: Array

    @abstractmethod
    def replace(self, W: Array) -> Self:
        """Return the same similarity with other weights."""

    @abstractmethod
    def scores(self, phi: Array, psi: Array) -> Array:
        """Score every row of `phi` (n, d_t) against every row of `psi` (m, d_s): shape (n, m).

        Terms that are the same for every class may be left out: they change no decision and no structured loss.
        """

    def compare(self, phi: Array, psi: Array) -> Array:
        """Return `scores` up to a number that all pairs share: what learning from differences of scores asks for."""
        return self.scores(phi, psi)

    @abstractmethod
    def adapt(self, phi: Array, psi: Array) -> tuple[Array, Array]:
        """Return the latent features (z_t, z_s) at which the score of each pair (phi_i, psi_i) is attained."""

    @abstractmethod
    def gradient(self, phi: Array, psi: Array, G: Array) -> Array:
        """Return the gradient with respect to W of sum_ij G_ij scores(phi, psi)_ij, in double precision."""

    def block_sums(self, phi: Array, psi: Array, G: Array) -> Array:
        """Return what a block of rows adds to the gradient; blocks are added up and given to `finish_gradient`."""
        return self.gradient(phi, psi, G)

    def finish_gradient(self, sums: Array, psi: Array) -> Array:
        """Return the gradient over all blocks from the sum of their `block_sums`."""
        return sums

    def domain(self) -> WeightSet:
        """Return the set of W on which the score is defined; solvers stay inside it."""
        return AllMatrices()

    def row_sum(self, moment: Array) -> float:
        """Return the weighted sum over rows of the term that `scores` leaves out.

        The term must be a quadratic form in phi, so that `moment` = sum_i w_i phi_i phi_i^T is all that is needed.
        CCCP needs it, because only the whole score is convex in W.
        """
        return 0.0

    def row_gradient(self, moment: Array) -> Array:
        """Return the gradient of `row_sum`."""
        return namespace(self.W).zeros_like(self.W)

    @staticmethod
    def start_shape(d_t: int, d_s: int) -> tuple[int, int]:
        """Return the shape of W for features of width d_t and descriptions of width d_s."""
        return d_t, d_s


class AffineSimilarity(Similarity):
    """A similarity that is affine in phi: one product and one offset per class give all scores."""

    @abstractmethod
    def linear_form(self, psi: Array) -> tuple[Array, Array]:
        """Return E (d_t, m) and b (m,) in double precision, so that scores = phi E + b."""

    def quadratic_form(self) -> tuple[Array, Array] | None:
        """Return M (d_t, d_s) and Q (d_s, d_s) with scores = phi M psi^T + psi Q psi^T, or None if there are none.

        What can be said of a score without knowing the classes yet: it is what leaves for other programs.
        """
        return None

    def scores(self, phi: Array, psi: Array) -> Array:
        """Score every row of `phi` against every row of `psi` (see `Similarity.scores`)."""
        return _affine(phi, *self.linear_form(psi))

    def compare(self, phi: Array, psi: Array) -> Array:
        """Return `scores` without the mean offset, beside which single precision may lose their differences."""
        E, b = self.linear_form(psi)
        return _affine(phi, E, b - namespace(b).mean(b))

    @abstractmethod
    def gradient_of_sums(self, sums: Array, counts: Array, psi: Array) -> Array:
        """Return the gradient with respect to W from Phi^T G (d_t, m) and the column sums of G (m,)."""

    def gradient(self, phi: Array, psi: Array, G: Array) -> Array:
        """Return the gradient of sum_ij G_ij scores_ij (see `Similarity.gradient`)."""
        return self.finish_gradient(self.block_sums(phi, psi, G), psi)

    def block_sums(self, phi: Array, psi: Array, G: Array) -> Array:
        """Return Phi^T G with the column sums of G below: per-class sums are all that the gradient needs."""
        xp = namespace(phi, G)
        ones = xp.ones((1, G.shape[0]), dtype=G.dtype, device=G.device)
        return xp.concat([phi.T @ G, ones @ G], axis=0)

    def finish_gradient(self, sums: Array, psi: Array) -> Array:
        """Return the gradient from the per-class sums."""
        return self.gradient_of_sums(sums[:-1, :], sums[-1, :], psi)


def _affine(phi: Array, E: Array, b: Array) -> Array:
    scores = phi @ like(E, phi)
    scores += like(b, phi)[None, :]
    return scores
