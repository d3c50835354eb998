"""Load the data of the benchmarks: CUB if it is available, otherwise random numbers of the same shape."""

import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from unseen import ClassTable, load_dataset
from unseen.features import UnitNorm

N_COMPONENTS = 300

DATA_FOLDER = Path(os.environ.get("UNSEEN_DATA", Path(__file__).parents[3] / "shared" / "data"))


class Birds(NamedTuple):
    """Training rows, their labels, the descriptions of the seen classes, and the source of the data."""

    X: NDArray[np.float32]
    y: NDArray[Any]
    classes: ClassTable
    source: str


@cache
def load_birds(small: bool = False) -> Birds:
    """Return CUB's 7,057 training rows reduced to 300 columns, with 150 seen classes of 312 attributes."""
    file = DATA_FOLDER / "CUB_vgg_fc7.npz"
    if small or not file.exists():
        return _make_same_shape(*((400, 40, 12, 20) if small else (7057, N_COMPONENTS, 150, 312)))
    data = load_dataset(file, split="proposed")
    X = PCA(N_COMPONENTS, random_state=0).fit_transform(UnitNorm().fit_transform(data.X_train))
    return Birds(X, data.y_train, data.seen_table, f"CUB ({file.name})")


def _make_same_shape(n: int, d_t: int, n_classes: int, d_s: int) -> Birds:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((n_classes, d_s))
    y = np.arange(n) % n_classes
    means = vectors @ rng.standard_normal((d_s, d_t)) / np.sqrt(d_s)
    X = (means[y] + rng.standard_normal((n, d_t))).astype(np.float32)
    return Birds(X, y, ClassTable(vectors, np.arange(n_classes)), f"random numbers, {n} x {d_t}")
