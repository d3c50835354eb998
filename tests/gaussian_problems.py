"""Small random problems for Gaussian classes, and strategies that draw them."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from unseen.data import ClassTable
from unseen.models import GaussianJFA


@dataclass(frozen=True)
class Problem:
    """Rows of some classes, with descriptions of these and of three others."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    table: ClassTable
    n_seen: int

    @property
    def unseen(self) -> ClassTable:
        return self.table.select(np.arange(self.n_seen, len(self.table)))

    def fit(self, model: GaussianJFA) -> GaussianJFA:
        return model.fit(self.X, self.y, classes=self.table)


@st.composite
def problems(draw, fewest: int = 1) -> Problem:
    """Draw problems of 3 to 7 seen classes with unequal numbers of rows, in up to 6 dimensions."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_seen, d, d_s = draw(st.integers(3, 7)), draw(st.integers(1, 6)), draw(st.integers(2, 5))
    counts = draw(st.lists(st.integers(fewest, 6), min_size=n_seen, max_size=n_seen))
    counts[0] = max(counts[0], 2)
    table = ClassTable(random.standard_normal((n_seen + 3, d_s)), np.arange(n_seen + 3))
    y = np.repeat(np.arange(n_seen), counts)
    means = table.vectors @ random.standard_normal((d_s, d))
    return Problem(means[y] + random.standard_normal((len(y), d)), y, table, n_seen)


@st.composite
def models(draw) -> GaussianJFA:
    """Draw models with all parameters fixed."""
    return GaussianJFA(
        draw(st.sampled_from(["rbf", "linear"])),
        width=draw(st.floats(0.3, 5.0)),
        ridge=draw(st.floats(0.01, 3.0)),
        within_shrinkage=draw(st.floats(0.05, 3.0)),
        between_shrinkage=draw(st.floats(0.0, 1.0)),
        scaling=draw(st.sampled_from(["auto", None])),
    )
