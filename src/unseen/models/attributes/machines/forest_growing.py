"""Grow a random forest for classes of which only binary signatures are known (Jayaraman & Grauman, NIPS 2014).

No image of the classes is needed. How many images of a class go to each side of a split is expected from whether the
class has the attribute, and from how often the attribute's classifier is right on validation rows of other classes.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from unseen.models.attributes.machines.signature_forest import SignatureForest
from unseen.utils.arrays import cut_row_blocks

Matrix = NDArray[np.float64]
Numbers = NDArray[np.int64]
Answers = NDArray[np.bool_]

# At a node, rates are those of the rows that reach it and of this many more, for which those of all rows stand.
PRIOR_ROWS = 5.0

# A split is made if it is expected to tell this much about an image, in nats.
LEAST_GAIN = 1e-4


@dataclass(frozen=True, eq=False)
class Validation:
    """Outputs of attribute classifiers, between 0 and 1, on rows whose attributes are known.

    Parameters
    ----------
    outputs : ndarray of shape (n, m)
    has : ndarray of shape (n, m), bool
    """

    outputs: Matrix
    has: Answers

    def find_rates(self, attributes: Numbers, thresholds: Matrix) -> tuple[Matrix, Matrix]:
        """Return the share of rows with an attribute whose output is above a threshold, and that of rows without.

        Half a row more on either side keeps them from 0 and 1.
        """
        yes, no = (self._find_share_above(side, attributes, thresholds) for side in self._sorted)
        return yes, no

    @cached_property
    def _sorted(self) -> list[tuple[Matrix, Numbers, Numbers]]:
        # Outputs of attribute k are moved to between 2 k and 2 k + 1, so that one sorted list holds all attributes.
        moved = self.outputs + 2 * np.arange(self.outputs.shape[1])
        return [(np.sort(moved[side]), side.sum(axis=0), np.cumsum(side.sum(axis=0))) for side in (self.has, ~self.has)]

    @staticmethod
    def _find_share_above(side: tuple[Matrix, Numbers, Numbers], attributes: Numbers, thresholds: Matrix) -> Matrix:
        ordered, counts, ends = side
        above = ends[attributes] - np.searchsorted(ordered, 2 * attributes + thresholds, side="right")
        return np.asarray((above + 0.5) / (counts[attributes] + 1))


def grow_forest(
    signatures: Answers, validation: Validation, *, n_trees: int, n_tests: int, random: np.random.RandomState
) -> SignatureForest:
    """Grow trees that tell classes apart by the outputs of attribute classifiers.

    I_n(k) is the share of the images of class k that are expected to reach node n. Of those, the share above threshold
    t of attribute m is TPR_n(m, t) if the class has the attribute and FPR_n(m, t) if not, the rates of the validation
    rows that reach the node. Of `n_tests` random pairs (m, t) a node takes the one with the largest expected gain of
    information about the class.

    Parameters
    ----------
    signatures : ndarray of shape (k, m), bool
    validation : Validation
    n_trees, n_tests : int
    random : RandomState

    Returns
    -------
    SignatureForest
    """
    blocks = cut_row_blocks(n_trees, 8 * n_tests * len(validation.outputs))
    sizes = [len(range(n_trees)[block]) for block in blocks]
    return _join([_grow_block(signatures, validation, n, n_tests, random) for n in sizes])


@dataclass(frozen=True, eq=False)
class _Level:
    """Nodes that are equally deep, with the validation rows that reach them in the order of the nodes."""

    shares: Matrix  # I_n(k), one row for each node
    rows: Numbers
    counts: Numbers  # of rows at each node

    @property
    def nodes(self) -> Numbers:
        """The node of each row."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def starts(self) -> Numbers:
        return np.cumsum(self.counts) - self.counts

    def add_up(self, found: Answers) -> Numbers:
        """Count the rows of each node for which something was found; every node has rows."""
        return np.add.reduceat(found, self.starts, axis=0, dtype=np.int64)

    def keep(self, kept: Answers) -> Self:
        return type(self)(self.shares[kept], self.rows[np.repeat(kept, self.counts)], self.counts[kept])


@dataclass(frozen=True, eq=False)
class _Splits:
    """One split of each node of a level: the test, and the shares of the classes that pass it."""

    attributes: Numbers
    thresholds: Matrix
    above: Matrix
    gains: Matrix


def _grow_block(
    signatures: Answers, validation: Validation, n_trees: int, n_tests: int, random: np.random.RandomState
) -> SignatureForest:
    n_rows = len(validation.outputs)
    level = _Level(np.ones((n_trees, len(signatures))), np.tile(np.arange(n_rows), n_trees), np.full(n_trees, n_rows))
    attributes, thresholds, children, posteriors = [], [], [], []
    total = 0
    while len(level.counts):
        n_nodes = len(level.counts)
        total += n_nodes
        split, splits = _choose_splits(level, signatures, validation, n_tests, random)
        attributes.append(np.full(n_nodes, -1))
        attributes[-1][split] = splits.attributes
        thresholds.append(np.zeros(n_nodes))
        thresholds[-1][split] = splits.thresholds
        children.append(np.zeros((n_nodes, 2), dtype=np.int64))
        children[-1][split] = total + np.arange(2 * len(splits.gains)).reshape(-1, 2)
        posteriors.append(level.shares / level.shares.sum(axis=1, keepdims=True))
        level = _descend(level.keep(split), splits, validation)
    parts = (np.concatenate(part) for part in (attributes, thresholds, children, posteriors))
    return SignatureForest(np.arange(n_trees), *parts)


def _choose_splits(
    level: _Level, signatures: Answers, validation: Validation, n_tests: int, random: np.random.RandomState
) -> tuple[Answers, _Splits]:
    """Return which nodes are split, and their splits."""
    tried = level.counts >= 2
    if not tried.any():
        nothing = np.zeros(0)
        return tried, _Splits(np.zeros(0, dtype=np.int64), nothing, np.zeros((0, signatures.shape[0])), nothing)
    best = _find_best_tests(level.keep(tried), signatures, validation, n_tests, random)
    worth = best.gains > LEAST_GAIN * len(signatures)
    split = tried.copy()
    split[tried] = worth
    return split, _Splits(best.attributes[worth], best.thresholds[worth], best.above[worth], best.gains[worth])


def _find_best_tests(
    level: _Level, signatures: Answers, validation: Validation, n_tests: int, random: np.random.RandomState
) -> _Splits:
    attributes, thresholds = _draw_tests(level, validation, n_tests, random)
    yes, no = _find_rates(level, validation, attributes, thresholds)
    best, gains = np.empty(len(yes), dtype=np.int64), np.empty(len(yes))
    for some in cut_row_blocks(len(yes), 8 * n_tests * len(signatures)):
        above = _pass_on(level.shares[some, None], signatures, attributes[some], yes[some], no[some])
        each = _measure_gains(level.shares[some, None], above)
        best[some], gains[some] = each.argmax(axis=1), each.max(axis=1)
    chosen = np.arange(len(best)), best
    above = _pass_on(level.shares, signatures, attributes[chosen], yes[chosen], no[chosen])
    return _Splits(attributes[chosen], thresholds[chosen], above, gains)


def _pass_on(shares: Matrix, signatures: Answers, attributes: Numbers, yes: Matrix, no: Matrix) -> Matrix:
    """Return the shares of the classes that are expected above the threshold of each test."""
    return shares * np.where(signatures.T[attributes], yes[..., None], no[..., None])


def _measure_gains(shares: Matrix, above: Matrix) -> Matrix:
    return _count_information(shares) - _count_information(above) - _count_information(shares - above)


def _draw_tests(
    level: _Level, validation: Validation, n_tests: int, random: np.random.RandomState
) -> tuple[Numbers, Matrix]:
    """Draw random attributes for each node, and a threshold of each between the outputs of two rows at the node."""
    shape = (len(level.counts), n_tests)
    attributes = random.randint(validation.outputs.shape[1], size=shape)
    one, other = (
        validation.outputs[level.rows[level.starts[:, None] + _draw_below(level.counts, shape, random)], attributes]
        for _ in range(2)
    )
    return attributes, one + random.uniform(size=shape) * (other - one)


def _draw_below(counts: Numbers, shape: tuple[int, int], random: np.random.RandomState) -> Numbers:
    return np.floor(random.uniform(size=shape) * counts[:, None]).astype(np.int64)


def _find_rates(
    level: _Level, validation: Validation, attributes: Numbers, thresholds: Matrix
) -> tuple[Matrix, Matrix]:
    """Return TPR_n(m, t) and FPR_n(m, t) of each node and test."""
    asked, rows = attributes[level.nodes], level.rows[:, None]
    passed, has = validation.outputs[rows, asked] > thresholds[level.nodes], validation.has[rows, asked]
    of_all = validation.find_rates(attributes, thresholds)
    yes, no = (
        (level.add_up(passed & side) + PRIOR_ROWS * rate) / (level.add_up(side) + PRIOR_ROWS)
        for side, rate in zip((has, ~has), of_all, strict=True)
    )
    return yes, no


def _descend(level: _Level, splits: _Splits, validation: Validation) -> _Level:
    """Return the children of split nodes: first at most the threshold, then above it, node by node."""
    nodes = level.nodes
    passed = validation.outputs[level.rows, splits.attributes[nodes]] > splits.thresholds[nodes]
    child = 2 * nodes + passed
    shares = np.stack([level.shares - splits.above, splits.above], axis=1).reshape(-1, level.shares.shape[1])
    return _Level(shares, level.rows[np.argsort(child, kind="stable")], np.bincount(child, minlength=len(shares)))


def _count_information(shares: Matrix) -> Matrix:
    """Return the entropy of the classes times the number of images, for shares along the last axis."""
    total = shares.sum(axis=-1)
    tiny = np.finfo(np.float64).tiny
    each = np.sum(shares * np.log(np.maximum(shares, tiny)), axis=-1)
    return np.asarray(total * np.log(np.maximum(total, tiny)) - each)


def _join(forests: list[SignatureForest]) -> SignatureForest:
    """Put the trees of several forests into one."""
    starts = np.cumsum([0] + [len(forest.attributes) for forest in forests[:-1]])
    return SignatureForest(
        np.concatenate([forest.roots + start for forest, start in zip(forests, starts, strict=True)]),
        np.concatenate([forest.attributes for forest in forests]),
        np.concatenate([forest.thresholds for forest in forests]),
        np.concatenate([forest.children + start for forest, start in zip(forests, starts, strict=True)]),
        np.concatenate([forest.posteriors for forest in forests]),
    )
