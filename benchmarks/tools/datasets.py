"""Load real datasets with features prepared on their training rows, and models to compare on them."""

from collections.abc import Iterator

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

from benchmarks.tools.birds import DATA_FOLDER
from unseen import JFA, ZeroShotDataset, load_dataset, make_zero_shot
from unseen.features import SquareRoot, UnitNorm, Whitening
from unseen.models import ALE, ESZSL, SJE, BilinearSVM, ConSE, ZeroShotClassifier

# File, split and preparation.
DATASETS: dict[str, tuple[str, str, TransformerMixin]] = {
    "CUB, proposed split, VGG fc7, PCA 300": (
        "CUB_vgg_fc7.npz", "proposed", make_pipeline(Normalizer(), PCA(300, random_state=0)),
    ),
    "AwA, standard split 40/10, handcrafted": ("AWA1_handcrafted.npz", "standard", FunctionTransformer()),
}  # fmt: skip

# Models with their default parameters.
MODELS: list[ZeroShotClassifier] = [
    JFA(),
    BilinearSVM(),
    ESZSL(),
    SJE(random_state=0),
    ALE(random_state=0),
    ConSE(),
]


def prepared_datasets(small: bool, start: str = "") -> Iterator[tuple[str, ZeroShotDataset]]:
    """Yield prepared datasets whose title starts with this, and report missing ones; if small, synthetic data."""
    if small:
        yield "synthetic", make_zero_shot(n_seen=12, n_unseen=6, noise=1.0, random_state=0)
        return
    for title, (file, split, preparation) in DATASETS.items():
        if not title.startswith(start):
            continue
        if not (DATA_FOLDER / file).exists():
            print(f"{title}: {DATA_FOLDER / file} is not there; set UNSEEN_DATA to the folder that has it")
            continue
        data = load_dataset(DATA_FOLDER / file, split=split)
        preparation.fit(data.X_train.astype("float32"))
        yield title, _with_features(data, preparation.transform(data.X.astype("float32")), title)


def whitened_birds(small: bool) -> ZeroShotDataset:
    """Return CUB with features reduced and whitened, or small synthetic data."""
    if small:
        return make_zero_shot(n_seen=12, n_unseen=4, random_state=0)
    data = load_dataset(DATA_FOLDER / "CUB_vgg_fc7.npz", split="proposed")
    steps = make_pipeline(SquareRoot(), PCA(300, random_state=0), Whitening(), UnitNorm()).fit(data.X_train)
    X = np.asarray(steps.transform(data.X), dtype=np.float32)
    X /= np.sqrt((X[data.train] ** 2).sum(axis=1).mean())
    return _with_features(data, X, "CUB")


def _with_features(data: ZeroShotDataset, X: np.ndarray, name: str) -> ZeroShotDataset:
    return ZeroShotDataset(X, data.y, data.classes, data.train, data.test_seen, data.test_unseen, name=name)
