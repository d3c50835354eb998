"""Give losses that have corners a smooth form, with a temperature: the loss itself as that goes to 0."""

from dataclasses import dataclass
from typing import ClassVar

from unseen.learning.losses import Loss, Maximum, RankingSum, SoftMaximum
from unseen.learning.margins import Margin
from unseen.utils.arrays import Array, add_to_columns, namespace, pick, to_float64
from unseen.utils.validation import check_positive


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
        if weights is None:
            return xp.sum(to_float64(slack)), G
        return xp.sum(to_float64(slack * weights)), G * weights[:, None]


def soften(loss: Loss, temperature: float) -> Loss | None:
    """Return the smooth form of a loss with corners, or None if it is smooth or no such form is known."""
    if isinstance(loss, Maximum):
        return SoftMaximum(temperature)
    return SoftRankingSum(temperature) if isinstance(loss, RankingSum) else None
