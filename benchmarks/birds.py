"""The data that the benchmarks run on: the real birds where they are at hand, otherwise numbers of the same shape."""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.preprocessing import normalize

from unseen import ClassTable

N_COMPONENTS = 300


class Birds(NamedTuple):
    """Training rows, their labels, the seen classes' descriptions, and where they come from."""

    X: NDArray[np.float32]
    y: NDArray[np.int64]
    classes: ClassTable
    source: str


def load_birds(small: bool = False) -> Birds:
    """Return CUB's 7,057 training rows reduced to 300 columns, with 150 seen classes of 312 attributes."""
    folder = Path(os.environ.get("UNSEEN_DATA", Path(__file__).parents[2] / "shared" / "data"))
    file = folder / "CUB_vgg_fc7.npz"
    if small or not file.exists():
        return _same_shape(*((400, 40, 12, 20) if small else (7057, N_COMPONENTS, 150, 312)))
    with np.load(file, allow_pickle=False) as data:
        rows = data["trainval_loc"]
        y = data["y"][rows].astype(np.int64)
        X = normalize(data["X"][rows].astype(np.float32))
        table = ClassTable(data["attributes"], np.arange(len(data["classes"])))
    X = PCA(N_COMPONENTS, random_state=0).fit_transform(X).astype(np.float32)
    return Birds(X, y, table.select(np.unique(y)), f"CUB ({file.name})")


def _same_shape(n: int, d_t: int, n_classes: int, d_s: int) -> Birds:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((n_classes, d_s))
    y = np.arange(n) % n_classes
    means = vectors @ rng.standard_normal((d_s, d_t)) / np.sqrt(d_s)
    X = (means[y] + rng.standard_normal((n, d_t))).astype(np.float32)
    return Birds(X, y, ClassTable(vectors, np.arange(n_classes)), f"random numbers, {n} x {d_t}")
