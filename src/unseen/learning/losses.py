"""Define the structured losses, which turn a row of scores into the slack xi_i of Eq. eqn:learning1.

Each has the form c(scores) - k * (score of the true class) with c convex and non-decreasing in every score, as CCCP
requires.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from unseen.learning.margins import Margin
from unseen.utils.arrays import (
    Array,
    add_to_columns,
    as_float,
    in_place,
    is_on_cpu,
    namespace,
    pick,
    sum_rows,
    to_float64,
)
from unseen.utils.registry import Registry
from unseen.utils.validation import check_positive

# Exponents are at most this, and raised to minus this if they are smaller: a weight of exp(-40) = 4e-18 is lost beside
# 1 even in double precision. So no quotient of exponentials is subnormal in single precision, which would make every
# product about ten times slower.
LARGEST = 40.0


class Loss(Protocol):
    """Interface of a structured loss of n rows of scores over m classes."""

    smooth: ClassVar[bool]

    def true_weight(self, n_classes: int) -> float:
        """Return k, the factor of the score of the true class."""

    def value_and_weights(self, scores: Array, y: Array, margin: Margin, weights: Array | None) -> tuple[Array, Array]:
        """Return the summed loss and G (n, m), its derivative by every score; rows of G sum to 0.

        The sum may stay an array without dimensions: on a device, turning it into a float means waiting for it. It may
        overwrite `scores`. `weights` (n,) multiply the losses of the rows.
        """


@dataclass(frozen=True)
class Maximum:
    """The paper's loss: xi_i = max_y [Delta(y_i, y) + f(x_i, y)] - f(x_i, y_i)."""

    smooth: ClassVar[bool] = False

    def true_weight(self, n_classes: int) -> float:
        """Return 1."""
        return 1.0

    def value_and_weights(self, scores: Array, y: Array, margin: Margin, weights: Array | None) -> tuple[Array, Array]:
        """Return a derivative of 1 at the most violating class and -1 at the true class."""
        xp = namespace(scores)
        true = pick(scores, y)
        augmented, constant = margin.augment(scores, y)
        worst = xp.argmax(augmented, axis=1)
        slack = pick(augmented, worst) + constant - true
        # The scores are no longer needed, and reusing their memory is cheaper than allocating.
        G = augmented
        G[...] = 0.0
        G = add_to_columns(add_to_columns(G, worst, 1.0), y, -1.0)
        return _weigh(slack, G, weights)


@dataclass(frozen=True)
class SoftMaximum:
    """The loss with the maximum replaced by temperature * log sum_y exp(. / temperature), which is smooth.

    It exceeds the maximum by at most temperature * log(number of classes).
    """

    temperature: float = 0.1
    smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_positive(self.temperature, "temperature")

    def true_weight(self, n_classes: int) -> float:
        """Return 1."""
        return 1.0

    def value_and_weights(self, scores: Array, y: Array, margin: Margin, weights: Array | None) -> tuple[Array, Array]:
        """Return derivatives that are spread over the violating classes by a soft maximum."""
        return _weigh(*self.slacks_and_weights(scores, y, margin), weights)

    def slacks_and_weights(self, scores: Array, y: Array, margin: Margin) -> tuple[Array, Array]:
        """Return the slack xi (n,) of every row and its derivatives G (n, m), without summing over rows."""
        xp = namespace(scores)
        augmented, _ = margin.augment(scores, y)
        # The margin of the true class against itself is 0, so the slack is the soft maximum less this.
        true = pick(augmented, y)
        near, moved = self._move_near_zero(augmented, true)
        near *= 1 / self.temperature
        G = in_place(xp.exp, near)
        total = sum_rows(G)
        slack = self.temperature * xp.log(total) + (moved - true)
        G *= 1 / total[:, None]
        return slack, add_to_columns(G, y, -1.0)

    def _move_near_zero(self, scores: Array, true: Array) -> tuple[Array, Array | float]:
        """Subtract a number from each row so that exponentials can be summed; may overwrite `scores`.

        Returns the scores and what was subtracted. While W is small, nothing has to be. Later the differences from the
        true class (n,) are still small, because learning makes them so. The maximum of every row always serves, but
        takes longest to find.
        """
        xp = namespace(scores)
        moved: Array | float = 0.0
        if is_on_cpu(scores):  # on a device, asking would mean waiting for it
            if self._is_near(xp.max(scores)) and self._is_near(-xp.min(scores)):
                return scores, moved
            scores -= true[:, None]
            moved = true
            if self._is_near(xp.max(scores)):
                return self._raise_negligible(scores), moved
        tops = xp.max(scores, axis=1)
        scores -= tops[:, None]
        return self._raise_negligible(scores), moved + tops

    def _is_near(self, score: Array) -> bool:
        return as_float(score) <= LARGEST * self.temperature

    def _raise_negligible(self, scores: Array) -> Array:
        xp = namespace(scores)
        # A column, because NumPy takes twice as long to compare with one number.
        return in_place(xp.maximum, scores, xp.full_like(scores[:, :1], -LARGEST * self.temperature))


@dataclass(frozen=True)
class RankingSum:
    """The sum over all violating classes: xi_i = sum_y max(0, Delta(y_i, y) + f(x_i, y) - f(x_i, y_i))."""

    smooth: ClassVar[bool] = False

    def true_weight(self, n_classes: int) -> float:
        """Return the number of other classes, because max(0, u - v) = max(u, v) - v for each of them."""
        return n_classes - 1.0

    def value_and_weights(self, scores: Array, y: Array, margin: Margin, weights: Array | None) -> tuple[Array, Array]:
        """Return a derivative of 1 at every violating class, and minus their number at the true class."""
        xp = namespace(scores)
        true = pick(scores, y)
        augmented, constant = margin.augment(scores, y)
        violation = augmented + (constant - true)[:, None]
        G = xp.astype(violation > 0, violation.dtype)
        slack = xp.sum(violation * G, axis=1)
        return _weigh(slack, add_to_columns(G, y, -xp.sum(G, axis=1)), weights)


@dataclass(frozen=True)
class SoftRankingSum:
    """The ranking sum with max(0, v) replaced by temperature * log(1 + exp(v / temperature)), which is smooth.

    It exceeds the ranking sum by at most temperature * log(2) for each class.
    """

    temperature: float = 0.1
    smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_positive(self.temperature, "temperature")

    def true_weight(self, n_classes: int) -> float:
        """Return the number of other classes, as for the ranking sum."""
        return n_classes - 1.0

    def value_and_weights(self, scores: Array, y: Array, margin: Margin, weights: Array | None) -> tuple[Array, Array]:
        """Return a derivative between 0 and 1 at every other class, and minus their sum at the true class."""
        xp = namespace(scores)
        true = pick(scores, y)
        augmented, constant = margin.augment(scores, y)
        violation = (augmented + (constant - true)[:, None]) / self.temperature
        tail = xp.exp(-xp.abs(violation))
        slack = self.temperature * xp.sum(xp.maximum(violation, 0.0) + xp.log1p(tail), axis=1)
        G = xp.where(violation > 0, 1 / (1 + tail), tail / (1 + tail))
        G = add_to_columns(G, y, -xp.sum(G, axis=1))
        return _weigh(slack, G, weights)


def _weigh(slack: Array, G: Array, weights: Array | None) -> tuple[Array, Array]:
    xp = namespace(G)
    if weights is None:
        return xp.sum(to_float64(slack)), G
    return xp.sum(to_float64(slack * weights)), G * weights[:, None]


LOSSES: Registry[Callable[[], Loss]] = Registry(
    "loss",
    {"maximum": Maximum, "soft-maximum": SoftMaximum, "ranking": RankingSum, "soft-ranking": SoftRankingSum},
    other="a Loss",
    outside=True,
)


def make_loss(loss: str | Loss, temperature: float) -> Loss:
    """Make the loss of this name; an object is returned unchanged."""
    if not isinstance(loss, str):
        if not hasattr(loss, "value_and_weights"):
            raise LOSSES.make_unknown_error(loss)
        return loss
    kind = LOSSES.find(loss)
    return kind(temperature) if kind in (SoftMaximum, SoftRankingSum) else kind()


def find_probability_temperature(loss: str | Loss, temperature: float) -> float:
    """Return the temperature of probabilities by a loss: that of the soft maximum, and 1 for the others."""
    made = make_loss(loss, temperature)
    return made.temperature if isinstance(made, SoftMaximum) else 1.0


def soften(loss: Loss, temperature: float) -> Loss | None:
    """Return the smooth form of a loss with corners, or None if it is smooth or no such form is known."""
    if isinstance(loss, Maximum):
        return SoftMaximum(temperature)
    return SoftRankingSum(temperature) if isinstance(loss, RankingSum) else None
