"""Compute the latent structural SVM objective of Eq. eqn:learning1 and its two convex parts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

from unseen.features.reading.rows import Rows
from unseen.learning.losses import Loss, Maximum
from unseen.learning.margins import Margin, ZeroOneMargin
from unseen.similarity.base import AffineSimilarity, PaddedForm, Similarity
from unseen.utils.arrays import Array, add_to_columns, as_float, namespace, pick, sum_products, to_float64

# Takes scores (n, m), which it may overwrite, true classes (n,) and weights of the rows (n,) or None; returns a value
# and its derivative G (n, m).
BlockPart = Callable[[Array, Array, Array | None], tuple[Array, Array]]

# Takes features (n, d_t); returns scores (n, m).
ScoreBlock = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class LatentSVM:
    """lam/2 ||W||^2 + sum_i w_i xi_i(W), with the latent features computed in closed form by the similarity.

    Parameters
    ----------
    similarity : Similarity
        The similarity. Its weights, if it has any, are ignored.
    phi : Rows
        Training features, shape (n, d_t).
    y : integer array of shape (n,)
        Row of `psi` of the true class.
    psi : array of shape (m, d_s)
        Descriptions of the seen classes.
    lam : float
        Weight of the regulariser against the *sum* of slacks, as in the paper.
    loss, margin
        The structured loss, and the margin Delta.
    weights : array of shape (n,), optional
        Weight w_i of every row.
    """

    similarity: Similarity
    phi: Rows
    y: Array
    psi: Array
    lam: float = 1.0
    loss: Loss = field(default_factory=Maximum)
    margin: Margin = field(default_factory=ZeroOneMargin)
    weights: Array | None = None

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return self.phi.shape[0]

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of W."""
        return self.similarity.weights_shape(self.phi.shape[1], self.psi.shape[1])

    def zeros(self) -> Array:
        """Return W = 0 in double precision, with the library and device of the descriptions."""
        xp = namespace(self.psi)
        return xp.zeros(self.shape, dtype=xp.float64, device=self.psi.device)

    @cached_property
    def slacks(self) -> "Slacks":
        """The function from scores to slacks."""
        return Slacks(self.loss, self.margin, self.psi.shape[0])

    def evaluate(self, W: Array) -> tuple[float, Array]:
        """Return the objective and a (sub)gradient, in one pass over the rows."""
        value, gradient = self.regulariser(W)
        similarity = self.similarity.at(W)
        loss, sums = self.loss_and_sums(similarity)
        return as_float(value + loss), gradient + similarity.finish_gradient(sums, self.psi)

    def evaluate_batch(self, W: Array, indices: Array) -> tuple[float, Array]:
        """Return the loss of some rows and its (sub)gradient, without the regulariser."""
        similarity = self.similarity.with_weights(W)
        xp, phi = namespace(self.y), self.phi.take(indices)
        y, *weights = (xp.take(values, indices) for values in (self.y, *self._weights))
        loss, G = self.slacks.total(similarity.compare(phi, self.psi), y, *weights)
        return as_float(loss), similarity.gradient(phi, self.psi, G)

    def regulariser(self, W: Array) -> tuple[Array, Array]:
        """Return lam/2 ||W||^2, as an array without dimensions, and its gradient."""
        return 0.5 * self.lam * sum_products(W, W), self.lam * W

    # The objective is convex_part - concave_part plus the regulariser. Both parts use the whole score, with the term
    # that is equal for all classes, because only the whole score is convex in W.

    def convex_part(self, W: Array, part: BlockPart | None = None) -> tuple[float, Array]:
        """Return sum_i w_i c(f(x_i, .)) and a subgradient: the part that CCCP keeps.

        Another `part` of the same scores may be given, such as a plane below it.
        """
        return self._sum_with_row_terms(W, part or self.slacks.convex)

    def concave_part(self, W: Array) -> tuple[float, Array]:
        """Return sum_i w_i k f(x_i, y_i) and its gradient: the part that CCCP replaces by its tangent."""
        return self._sum_with_row_terms(W, self.slacks.true)

    def loss_and_sums(self, similarity: Similarity) -> tuple[Array, Array]:
        """Return the loss, an array without dimensions, and the sum of the `block_sums` of its derivative.

        Gradients are computed from these sums.
        """
        if not self.phi.padded or not isinstance(similarity, AffineSimilarity):
            return self._reduce(similarity, similarity.comparer(self.psi), self.slacks.total)
        block = partial(_evaluate_padded_block, similarity.padded_comparer(self.psi), self.slacks.total)
        value, sums = self.phi.add_up_padded(block, self.y, self.psi.shape[0], *self._weights)
        return value, sums

    def _reduce(self, similarity: Similarity, score: ScoreBlock, part: BlockPart) -> tuple[Array, Array]:
        """Sum over all rows; this is the only work that grows with their number."""
        block = partial(_evaluate_block, similarity, score, self.psi, part)
        value, sums = self.phi.add_up(block, self.y, self.psi.shape[0], *self._weights)
        return value, sums

    @property
    def _weights(self) -> tuple[Array, ...]:
        return () if self.weights is None else (self.weights,)

    def _sum_with_row_terms(self, W: Array, part: BlockPart) -> tuple[float, Array]:
        similarity = self.similarity.with_weights(W)
        value, sums = self._reduce(similarity, similarity.scorer(self.psi), part)
        # A part may add up several values.
        value = value if getattr(value, "ndim", 0) else as_float(value)
        gradient = similarity.finish_gradient(sums, self.psi)
        if not similarity.has_row_term:
            return value, gradient
        return value + similarity.row_sum(self._moment), gradient + similarity.row_gradient(self._moment)

    @cached_property
    def _moment(self) -> Array:
        """sum_i w_i k phi_i phi_i^T, on which the terms of the scores without the class depend."""
        moment_of = partial(_weigh_moment, self.slacks)
        [moment] = self.phi.add_up(moment_of, self.y, self.psi.shape[0], *self._weights)
        return moment


@dataclass(frozen=True, eq=False)
class Slacks:
    """Compute slacks and their derivatives from scores and true classes."""

    loss: Loss
    margin: Margin
    n_classes: int

    def total(self, scores: Array, y: Array, weights: Array | None = None) -> tuple[Array, Array]:
        """Return the weighted sum of slacks and its derivative."""
        if weights is not None:
            weights = namespace(y).astype(weights, scores.dtype, copy=False)
        return self.loss.value_and_weights(scores, y, self.margin, weights)

    def true(self, scores: Array, y: Array, weights: Array | None = None) -> tuple[Array, Array]:
        """Return the weighted sum of k times the scores of the true classes, and its derivative."""
        xp = namespace(scores)
        k_times = self.true_weights(scores, weights)
        value = xp.sum(to_float64(pick(scores, y) * k_times))
        return value, add_to_columns(xp.zeros_like(scores), y, k_times)

    def convex(self, scores: Array, y: Array, weights: Array | None = None) -> tuple[Array, Array]:
        """Return the sum of `total` and `true`, which is convex in the scores, and its derivative."""
        true, G_true = self.true(scores, y, weights)
        loss, G = self.total(scores, y, weights)
        return loss + true, G + G_true

    def true_weights(self, rows: Array, weights: Array | None) -> Array:
        """Return k times the weight of each row, in the precision of the rows."""
        xp, k = namespace(rows), self.loss.true_weight(self.n_classes)
        if weights is None:
            return xp.full((rows.shape[0],), k, dtype=rows.dtype, device=rows.device)
        return k * xp.astype(weights, rows.dtype, copy=False)


def _evaluate_block(
    similarity: Similarity,
    score: ScoreBlock,
    psi: Array,
    part: BlockPart,
    phi: Array,
    y: Array,
    weights: Array | None = None,
) -> tuple[Array, Array]:
    value, G = part(score(phi), y, weights)
    return value, similarity.block_sums(phi, psi, G)


def _evaluate_padded_block(
    form: PaddedForm, part: BlockPart, rows: Array, y: Array, weights: Array | None = None
) -> tuple[Array, Array]:
    value, G = part(form(rows), y, weights)
    return value, form.block_sums(rows, G)


def _weigh_moment(slacks: Slacks, phi: Array, y: Array, weights: Array | None = None) -> tuple[Array]:
    return (to_float64((phi * slacks.true_weights(phi, weights)[:, None]).T @ phi),)
