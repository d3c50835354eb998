"""A tree of binary attributes in which each depends on one other (Chow & Liu, 1968), and sum-product on it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import depth_first_order, minimum_spanning_tree

from unseen.utils.arrays import Array, namespace

# Rows seen beforehand, spread evenly over the four values of a pair: no probability is then 0 or 1.
PSEUDO_COUNT = 1.0


class Likelihoods(NamedTuple):
    """The likelihood of what was observed of each attribute (..., q), if the attribute is absent and if present."""

    absent: Array
    present: Array


@dataclass(frozen=True, eq=False)
class AttributeTree:
    """p(a) = p(a_root) times the product over other attributes m of p(a_m | a_parent(m)).

    Attributes
    ----------
    parents : ndarray of shape (q,)
        The attribute that each depends on; -1 for the root.
    order : ndarray of shape (q,)
        All attributes, each after its parent and directly followed by what depends on it.
    marginals : ndarray of shape (q,)
        p(a_m = 1).
    conditionals : ndarray of shape (q, 2)
        p(a_m = 1 | a_parent = 0) and p(a_m = 1 | a_parent = 1); for the root its marginal twice.
    """

    parents: NDArray[np.int64]
    order: NDArray[np.int64]
    marginals: NDArray[np.float64]
    conditionals: NDArray[np.float64]

    @classmethod
    def learn(cls, present: NDArray[np.bool_], weights: NDArray[Any]) -> Self:
        """Find the most likely tree for rows `present` (k, q) that weigh `weights` (k,), which add up to k."""
        joint = _count_pairs(present, weights)
        information = _measure_information(joint)
        # The greatest information is the smallest cost; SciPy takes a cost of 0 for no edge.
        tree = minimum_spanning_tree(1 + information.max() - information)
        order, found = depth_first_order(tree, 0, directed=False)
        parents = np.where(found < 0, -1, found).astype(np.int64)
        marginals = np.diagonal(joint[1, 1]).copy()
        child = np.arange(len(parents))
        both = np.stack([joint[1, value][child, parents] for value in (0, 1)], axis=1)
        of_parent = np.stack([1 - marginals, marginals], axis=1)[parents]
        conditionals = np.where(parents[:, None] < 0, marginals[:, None], both / of_parent)
        return cls(parents, order.astype(np.int64), marginals, conditionals)

    def pass_upwards(self, observed: Sequence[Likelihoods]) -> Iterator[tuple[int, Array]]:
        """Yield each attribute m with log p(what is observed at m | what is observed at all that depend on it).

        These add up to the log likelihood of all that is observed: the upward half of sum-product, which is exact on a
        tree. An attribute's likelihood is the product of those in `observed`, whose leading shapes are broadcast, so
        that all pairs of (n, 1, q) and (1, m, q) are computed without an array of shape (n, m, q).
        """
        pending: dict[int, _Belief] = {}
        for m in self.order[::-1].tolist():
            own = _Belief.about(float(self.marginals[m]), observed, m)
            belief = own.take_in(pending.pop(m)) if m in pending else own
            yield m, belief.log_scale
            parent = int(self.parents[m])
            if parent >= 0:
                message = belief.tell(self.conditionals[m], float(self.marginals[parent]))
                pending[parent] = message.take_in(pending[parent]) if parent in pending else message


class _Belief(NamedTuple):
    """Likelihoods of the two values of an attribute, whose mean over `prior` is 1, and the log of what they lost."""

    prior: float
    absent: Array
    present: Array
    log_scale: Array

    @classmethod
    def scaled(cls, prior: float, absent: Array, present: Array, log_scale: Array | float) -> "_Belief":
        scale = (1 - prior) * absent + prior * present
        return cls(prior, absent / scale, present / scale, namespace(scale).log(scale) + log_scale)

    @classmethod
    def about(cls, prior: float, observed: Sequence[Likelihoods], m: int) -> "_Belief":
        absent, present = observed[0].absent[..., m], observed[0].present[..., m]
        for more in observed[1:]:
            absent, present = absent * more.absent[..., m], present * more.present[..., m]
        return cls.scaled(prior, absent, present, 0.0)

    def take_in(self, other: "_Belief") -> "_Belief":
        """Multiply two beliefs about the same attribute; scaling each time keeps products of many in range."""
        return self.scaled(
            self.prior, self.absent * other.absent, self.present * other.present, self.log_scale + other.log_scale
        )

    def tell(self, conditionals: NDArray[Any], prior: float) -> "_Belief":
        """Return what this says about the parent, whose mean over the parent's prior is 1 again."""
        absent, present = ((1 - float(p)) * self.absent + float(p) * self.present for p in conditionals)
        return _Belief(prior, absent, present, namespace(absent).zeros_like(absent))


def _count_pairs(present: NDArray[np.bool_], weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return p(a_i = u, a_j = v) at [u, v, i, j]; of an attribute with itself, p(a_i = u) on the diagonal of [u, u]."""
    values = np.stack([~present, present]).astype(np.float64)
    counts = np.einsum("uki,vkj->uvij", values * weights[:, None], values)
    diagonal = np.eye(present.shape[1])
    spread = PSEUDO_COUNT * (np.eye(2)[:, :, None, None] * diagonal / 2 + (1 - diagonal) / 4)
    return np.asarray((counts + spread) / (weights.sum() + PSEUDO_COUNT))


def _measure_information(joint: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mutual information (q, q) of all pairs."""
    shares = np.stack([np.diagonal(joint[u, u]) for u in (0, 1)])
    independent = shares[:, None, :, None] * shares[None, :, None, :]
    apart = np.where(joint > 0, joint, independent)
    return np.asarray((joint * np.log(apart / independent)).sum(axis=(0, 1)))
