"""Choose the classes that a stochastic step compares the true class with, as SJE, ALE, DeViSE and LatEm do."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from unseen.learning.losses import Maximum
from unseen.learning.margins import ZeroOneMargin
from unseen.utils.arrays import Array, add_to_columns, convert_like, namespace, pick


class Rivals(Protocol):
    """Choose the rival classes of each row in a step, and their weights."""

    def weights(self, scores: Array, y: Array, rng: np.random.Generator) -> Array:
        """Return G (n, m), the derivative of the loss by every score; rows sum to 0. It may overwrite `scores`."""


@dataclass(frozen=True)
class MostViolating:
    """The rival of SJE: the class that violates a margin of 1 most."""

    def weights(self, scores: Array, y: Array, rng: np.random.Generator) -> Array:
        """Return the derivative of the structured maximum; `rng` is not used."""
        _, G = Maximum().value_and_weights(scores, y, ZeroOneMargin(), None)
        return G


@dataclass(frozen=True)
class SampledRank:
    """The rival of ALE and WSABIE: classes are drawn until one violates the margin of 1.

    If that takes k draws, about (C - 1) / k classes rank above the true class. The step is weighted by
    beta_r = 1 + 1/2 + ... + 1/r at this estimate r of the rank. Classes are drawn without replacement.
    """

    def weights(self, scores: Array, y: Array, rng: np.random.Generator) -> Array:
        """Return beta at the first violating class in random order, and minus that at the true class."""
        xp, n_classes = namespace(scores), scores.shape[1]
        order = _draw_order(scores, y, rng)
        rival, drawn = _find_first(order, _find_violating(scores, y, 1.0))
        n_draws = xp.sum(xp.astype(order >= drawn[:, None], xp.int64), axis=1)
        beta = convert_like(np.cumsum(1.0 / np.arange(1, n_classes)), scores)
        weight = xp.take(beta, (n_classes - 1) // xp.clip(n_draws, 1, n_classes - 1) - 1)
        return _oppose(rival, y, xp.where(drawn >= 0, weight, xp.zeros_like(weight)), scores)


@dataclass(frozen=True)
class FirstViolating:
    """The rival of DeViSE as it was trained: the first class in random order that violates the margin."""

    margin: float

    def weights(self, scores: Array, y: Array, rng: np.random.Generator) -> Array:
        """Return 1 at the first violating class, if there is one, and -1 at the true class."""
        xp = namespace(scores)
        rival, drawn = _find_first(_draw_order(scores, y, rng), _find_violating(scores, y, self.margin))
        return _oppose(rival, y, xp.astype(drawn >= 0, scores.dtype), scores)


@dataclass(frozen=True)
class AllViolating:
    """The rivals of DeViSE as its loss is written: all classes that violate the margin."""

    margin: float

    def weights(self, scores: Array, y: Array, rng: np.random.Generator) -> Array:
        """Return 1 at every violating class, and minus their number at the true class; `rng` is not used."""
        xp = namespace(scores)
        violates = _find_violating(scores, y, self.margin) & ~_find_true(scores, y)
        G = xp.astype(violates, scores.dtype)
        return add_to_columns(G, y, -xp.sum(G, axis=1))


@dataclass(frozen=True)
class RandomRival:
    """The rival of LatEm: one other class drawn at random, if it violates the margin of 1."""

    def weights(self, scores: Array, y: Array, rng: np.random.Generator) -> Array:
        """Return 1 at the class drawn for each row and -1 at the true class, or 0 at both."""
        xp, (n, n_classes) = namespace(scores), scores.shape
        others = xp.asarray(rng.integers(n_classes - 1, size=n), device=y.device)
        rival = xp.where(others >= y, others + 1, others)
        violates = pick(scores, rival) + 1.0 > pick(scores, y)
        return _oppose(rival, y, xp.astype(violates, scores.dtype), scores)


def _find_true(scores: Array, y: Array) -> Array:
    return y[:, None] == namespace(y).arange(scores.shape[1], device=y.device)[None, :]


def _find_violating(scores: Array, y: Array, margin: float) -> Array:
    return scores + margin > pick(scores, y)[:, None]


def _draw_order(scores: Array, y: Array, rng: np.random.Generator) -> Array:
    """Return numbers in whose descending order classes are drawn; the true class has -1 and is never drawn."""
    order = convert_like(rng.random(tuple(scores.shape)), scores)
    return namespace(scores).where(_find_true(scores, y), -namespace(scores).ones_like(scores), order)


def _find_first(order: Array, violates: Array) -> tuple[Array, Array]:
    """Return the first violating class of every row, and its number in `order`, which is -1 if there is none."""
    xp = namespace(order)
    among = xp.where(violates, order, -xp.ones_like(order))
    return xp.argmax(among, axis=1), xp.max(among, axis=1)


def _oppose(rival: Array, y: Array, weight: Array, scores: Array) -> Array:
    """Return G with the weight of each row (n,) at its rival, and minus that at its true class."""
    G = add_to_columns(namespace(scores).zeros_like(scores), rival, weight)
    return add_to_columns(G, y, -weight)
