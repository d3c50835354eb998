"""Draw difficult batches from test rows: absent classes, unequal class sizes, few rows."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Draw = Callable[[NDArray[np.int64], np.random.Generator], NDArray[np.int64]]


def draw_everything(classes: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    return np.arange(len(classes))


def absent(share: float) -> Draw:
    """Leave out the rows of this share of the classes; at least two classes remain."""

    def draw(classes: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
        n_classes = classes.max() + 1
        present = random.permutation(n_classes)[: max(2, round((1 - share) * n_classes))]
        return np.flatnonzero(np.isin(classes, present))

    return draw


def unequal(ratio: float) -> Draw:
    """Draw class sizes that fall geometrically; the smallest is 1 / ratio of the largest."""

    def draw(classes: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
        n_classes = classes.max() + 1
        shares = random.permutation(np.geomspace(1, 1 / ratio, n_classes))
        rows = [random.permutation(np.flatnonzero(classes == at)) for at in range(n_classes)]
        return np.concatenate([of[: max(1, round(share * len(of)))] for of, share in zip(rows, shares, strict=True)])

    return draw


def few(per_class: float) -> Draw:
    """Draw this many rows for each candidate on average."""

    def draw(classes: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
        return random.permutation(len(classes))[: max(2, round(per_class * (classes.max() + 1)))]

    return draw


def draw_single(classes: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    return random.permutation(len(classes))[:1]


# How to draw, and how often: a single small batch says little.
BATCHES: dict[str, tuple[Draw, int]] = {
    "all test rows": (draw_everything, 1),
    "half of the candidates absent": (absent(0.5), 5),
    "nine of ten candidates absent": (absent(0.9), 5),
    "sizes unequal 20 : 1": (unequal(20), 5),
    "sizes unequal 60 : 1": (unequal(60), 5),
    "6 rows per candidate": (few(6), 5),
    "2 rows per candidate": (few(2), 10),
    "1 row per 2 candidates": (few(0.5), 20),
    "5 rows": (lambda classes, random: random.permutation(len(classes))[:5], 50),
    "a single row": (draw_single, 20),
}
