"""Define the base class of similarities, from which users derive their own."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar, Self

from unseen.similarity.sets.weights import AllMatrices, WeightSet
from unseen.utils.arrays import Array, convert_like, is_floating, namespace
from unseen.utils.errors import InputError
from unseen.utils.registry import check_parameters


class Similarity(ABC):
    """A score f(x, y; W) between features phi(x) and descriptions psi(y).

    A similarity is constructed from its parameters, without weights. `with_weights(W)` returns the same similarity with
    weights, which can compute scores. A similarity is immutable.

    A subclass implements `scores`, `adapt` and `gradient`; every solver and estimator then works with it. Its own
    parameters are the arguments of its constructor, stored as attributes of the same names (as in a frozen dataclass).
    """

    # Whether scores stay the same when psi and W, or phi and W, are rotated together. If so, learning can be restricted
    # to the span of the seen descriptions, and of the rows if these are fewer than features, which is smaller (see
    # `unseen.learning.training`).
    rotation_invariant: ClassVar[bool] = False

    # Whether the whole score (with the term that `row_sum` adds) is convex in W on the domain, as CCCP requires.
    convex: ClassVar[bool] = False

    # Whether `scores` leaves out a term that is the same for every class but depends on W; see `row_sum`.
    has_row_term: ClassVar[bool] = False

    _W: Array | None = None

    @property
    def W(self) -> Array:
        """The learned weights in double precision, of shape (d_t, d_s) or as `weights_shape` defines."""
        if self._W is None:
            raise InputError(
                f"{self!r} has no weights W yet: give them by with_weights(W), or learn them with StructuralSVM"
            )
        return self._W

    @property
    def has_weights(self) -> bool:
        """Whether the similarity has weights."""
        return self._W is not None

    def with_weights(self, W: Array) -> Self:
        """Return the same similarity with a copy of these weights.

        Parameters
        ----------
        W : array of shape (d_t, d_s)
            Weights, an array of any array API library.
        """
        return self._make(self.parameters(), _check_weights(W))

    def at(self, W: Array) -> Self:
        """Return the same similarity with these weights as they are, neither checked nor copied.

        It is for solvers, which ask at every step: on a device a check has to be waited for. They leave W as it is, and
        step back from one that is not finite.
        """
        return self._make(self.parameters(), W)

    def parameters(self) -> dict[str, Any]:
        """Return the arguments of the constructor by name."""
        return {name: getattr(self, name) for name in _list_parameters(type(self))}

    def with_parameters(self, **changes: Any) -> Self:
        """Return the similarity with some parameters changed, and with the same weights if it has any."""
        check_parameters(changes, _list_parameters(type(self)), type(self).__name__)
        return self._make(self.parameters() | changes, self._W)

    def _make(self, parameters: dict[str, Any], W: Array | None) -> Self:
        other = type(self)(**parameters)
        object.__setattr__(other, "_W", W)  # a similarity may be a frozen dataclass
        return other

    def __sklearn_clone__(self) -> Self:
        return self  # it is immutable, so copies of an estimator can share it

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._list_facts())})"

    def _list_facts(self) -> list[str]:
        """List the parts of `repr`: the shape of the weights, and the parameters."""
        shape = [f"W: {' x '.join(map(str, self._W.shape))}"] if self._W is not None else []
        values = self.parameters().items()
        return shape + [f"{name}={tuple(value) if isinstance(value, tuple) else value!r}" for name, value in values]

    @abstractmethod
    def scores(self, phi: Array, psi: Array) -> Array:
        """Score every row of `phi` (n, d_t) against every row of `psi` (m, d_s): shape (n, m).

        Terms that are the same for every class may be left out, because they change no decision and no structured loss.
        """

    def compare(self, phi: Array, psi: Array) -> Array:
        """Return `scores` up to a constant that all pairs share, for learning from differences of scores."""
        return self.scores(phi, psi)

    def scorer(self, psi: Array) -> Callable[[Array], Array]:
        """Return the function from phi to `scores`, with the work that all rows share done once."""
        return partial(self.scores, psi=psi)

    def comparer(self, psi: Array) -> Callable[[Array], Array]:
        """Return the function from phi to `compare`, with the work that all rows share done once."""
        return partial(self.compare, psi=psi)

    @abstractmethod
    def adapt(self, phi: Array, psi: Array) -> tuple[Array, Array]:
        """Return the latent features (z_t, z_s) at which the score of each pair (phi_i, psi_i) is attained."""

    @abstractmethod
    def gradient(self, phi: Array, psi: Array, G: Array) -> Array:
        """Return the gradient with respect to W of sum_ij G_ij scores(phi, psi)_ij, in double precision."""

    def block_sums(self, phi: Array, psi: Array, G: Array) -> Array:
        """Return the part of a block of rows; the sum over blocks is passed to `finish_gradient`."""
        return self.gradient(phi, psi, G)

    def finish_gradient(self, sums: Array, psi: Array) -> Array:
        """Return the gradient over all blocks from the sum of their `block_sums`."""
        return sums

    def domain(self) -> WeightSet:
        """Return the set of W on which the score is defined; solvers stay inside it."""
        return AllMatrices()

    @property
    def gain(self) -> float | None:
        """The factor for which scores near W = 0 are phi^T (gain W) psi but for offsets of classes; None if unknown.

        Solvers that know it need fewer steps.
        """
        return None

    def row_sum(self, moment: Array) -> float:
        """Return the weighted sum over rows of the term that `scores` leaves out.

        The term must be a quadratic form in phi, so that it depends only on `moment` = sum_i w_i phi_i phi_i^T.
        CCCP needs it, because only the whole score is convex in W.
        """
        return 0.0

    def row_gradient(self, moment: Array) -> Array:
        """Return the gradient of `row_sum`."""
        return namespace(self.W).zeros_like(self.W)

    def weights_shape(self, d_t: int, d_s: int) -> tuple[int, int]:
        """Return the shape of W for features of width d_t and descriptions of width d_s."""
        return d_t, d_s


class AffineSimilarity(Similarity):
    """A similarity that is affine in phi, so that all scores are one matrix product plus one offset per class."""

    @abstractmethod
    def linear_form(self, psi: Array) -> tuple[Array, Array]:
        """Return E (d_t, m) and b (m,) in double precision, so that scores = phi E + b."""

    def quadratic_form(self) -> tuple[Array, Array] | None:
        """Return M (d_t, d_s) and Q (d_s, d_s) with scores = phi M psi^T + psi Q psi^T, or None if there are none.

        This form does not depend on the classes, so that the score can be exported to other programs.
        """
        return None

    def scores(self, phi: Array, psi: Array) -> Array:
        """Score every row of `phi` against every row of `psi` (see `Similarity.scores`)."""
        return self.scorer(psi)(phi)

    def compare(self, phi: Array, psi: Array) -> Array:
        """Return `scores` without the mean offset, so that single precision keeps their differences."""
        return self.comparer(psi)(phi)

    def scorer(self, psi: Array) -> Callable[[Array], Array]:
        """Compute the linear form once for all rows (see `Similarity.scorer`)."""
        E, b = self.linear_form(psi)
        return partial(_score_affine, E=E, b=b)

    def comparer(self, psi: Array) -> Callable[[Array], Array]:
        """Compute the linear form once for all rows (see `Similarity.comparer`)."""
        E, b = self._comparing_form(psi)
        return partial(_score_affine, E=E, b=b)

    def padded_comparer(self, psi: Array) -> "PaddedForm":
        """Return the same for rows with a column of ones beside the features (see `unseen.features.Rows.pad`)."""
        E, b = self._comparing_form(psi)
        return PaddedForm(namespace(E).concat([E, b[None, :]], axis=0))

    def _comparing_form(self, psi: Array) -> tuple[Array, Array]:
        E, b = self.linear_form(psi)
        return E, b - namespace(b).mean(b)

    @abstractmethod
    def gradient_of_sums(self, sums: Array, counts: Array, psi: Array) -> Array:
        """Return the gradient with respect to W from Phi^T G (d_t, m) and the column sums of G (m,)."""

    def gradient(self, phi: Array, psi: Array, G: Array) -> Array:
        """Return the gradient of sum_ij G_ij scores_ij (see `Similarity.gradient`)."""
        return self.finish_gradient(self.block_sums(phi, psi, G), psi)

    def block_sums(self, phi: Array, psi: Array, G: Array) -> Array:
        """Return Phi^T G with the column sums of G below: the gradient needs only these sums per class."""
        xp = namespace(phi, G)
        ones = xp.ones((1, G.shape[0]), dtype=G.dtype, device=G.device)
        return xp.concat([phi.T @ G, ones @ G], axis=0)

    def finish_gradient(self, sums: Array, psi: Array) -> Array:
        """Return the gradient from the per-class sums."""
        return self.gradient_of_sums(sums[:-1, :], sums[-1, :], psi)


@dataclass(frozen=True, eq=False)
class PaddedForm:
    """Scores of padded rows, whose features a one and zeros follow, and the sums that the gradient is computed from.

    Attributes
    ----------
    form : array of shape (d_t + 1, m)
        E above b.
    """

    form: Array

    def __call__(self, rows: Array) -> Array:
        """Return the scores: phi E + b is one product, and no second pass over the scores adds b."""
        return rows[:, : self.form.shape[0]] @ convert_like(self.form, rows)

    def block_sums(self, rows: Array, G: Array) -> Array:
        """Return the `block_sums` of an affine similarity: the ones count the classes."""
        return (rows.T @ G)[: self.form.shape[0], :]


def _score_affine(phi: Array, E: Array, b: Array) -> Array:
    scores = phi @ convert_like(E, phi)
    scores += convert_like(b, phi)[None, :]
    return scores


@cache
def _list_parameters(kind: type[Similarity]) -> tuple[str, ...]:
    return tuple(inspect.signature(kind).parameters)


def _check_weights(W: Array) -> Array:
    if getattr(W, "ndim", None) != 2 or not is_floating(W):
        raise InputError(
            f"W is {type(W).__name__} of shape {getattr(W, 'shape', None)}: give a matrix of floats of shape (d_t, d_s)"
        )
    xp = namespace(W)
    if not bool(xp.all(xp.isfinite(W))):
        raise InputError("W holds a NaN or infinite value: learn or load it again")
    return xp.astype(W, xp.float64)  # a copy, so that later changes of W have no effect
