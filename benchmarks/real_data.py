"""The default models on real data: what someone gets who changes nothing. `python -m benchmarks.real_data`.

The defaults were chosen on held-out seen classes of CUB (`benchmarks.choices`); nothing here looks at an unseen class
before it is scored.
"""

import time

from rich.console import Console
from rich.table import Table
from sklearn.base import TransformerMixin
from sklearn.decomposition import PCA
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

from benchmarks.birds import DATA_FOLDER
from unseen import JFA, ZeroShotDataset, load_dataset
from unseen.models import ALE, ESZSL, SJE, BilinearSVM, ConSE, ZeroShotClassifier

# File, split and preparation; the preparation is fitted on training rows only.
DATASETS: dict[str, tuple[str, str, TransformerMixin]] = {
    "CUB, proposed split, VGG fc7, PCA 300": (
        "CUB_vgg_fc7.npz", "proposed", make_pipeline(Normalizer(), PCA(300, random_state=0)),
    ),
    "AwA, standard split 40/10, handcrafted": ("AWA1_handcrafted.npz", "standard", FunctionTransformer()),
}  # fmt: skip

MODELS: list[ZeroShotClassifier] = [
    JFA(),
    BilinearSVM(),
    ESZSL(),
    SJE(random_state=0),
    ALE(random_state=0),
    ConSE(),
]


def main() -> None:
    console = Console()
    for title, (file, split, preparation) in DATASETS.items():
        if not (DATA_FOLDER / file).exists():
            console.print(f"{title}: {DATA_FOLDER / file} is not there; set UNSEEN_DATA to the folder that has it")
            continue
        console.print(measure(load_dataset(DATA_FOLDER / file, split=split), preparation, title))


def measure(data: ZeroShotDataset, preparation: TransformerMixin, title: str) -> Table:
    """Fit every model on the seen classes and score it once on the unseen ones."""
    X_train = preparation.fit_transform(data.X_train.astype("float32"))
    X_test = preparation.transform(data.X_test_unseen.astype("float32"))
    table = Table("model", "per-class accuracy", "per-image accuracy", "fit", title=title)
    for model in MODELS:
        started = time.perf_counter()
        model.fit(X_train, data.y_train, classes=data.seen_table)
        seconds = time.perf_counter() - started
        answers = model.predict(X_test, classes=data.unseen_table)
        table.add_row(
            type(model).__name__,
            f"{balanced_accuracy_score(data.y_test_unseen, answers):.1%}",
            f"{accuracy_score(data.y_test_unseen, answers):.1%}",
            f"{seconds:.1f} s",
        )
    return table


if __name__ == "__main__":
    main()
