"""Measure the models with default parameters on real data.

The defaults were chosen on held-out seen classes of CUB (`choices`); unseen classes are used only for scoring.
"""

import time

from rich.console import Console
from rich.table import Table
from sklearn.metrics import accuracy_score, balanced_accuracy_score

from benchmarks.tools.datasets import MODELS, prepared_datasets
from benchmarks.tools.options import benchmark_options
from unseen import ZeroShotDataset


def main(arguments: list[str]) -> None:
    options = benchmark_options(__name__, __doc__).parse_args(arguments)
    for title, data in prepared_datasets(options.small):
        Console().print(measure(data, title))


def measure(data: ZeroShotDataset, title: str) -> Table:
    """Fit every model on the seen classes and score it once on the unseen ones."""
    table = Table("model", "per-class accuracy", "per-image accuracy", "fit", title=title)
    for model in MODELS:
        started = time.perf_counter()
        model.fit(data.X_train, data.y_train, classes=data.seen_table)
        seconds = time.perf_counter() - started
        answers = model.predict(data.X_test_unseen, classes=data.unseen_table)
        table.add_row(
            type(model).__name__,
            f"{balanced_accuracy_score(data.y_test_unseen, answers):.1%}",
            f"{accuracy_score(data.y_test_unseen, answers):.1%}",
            f"{seconds:.1f} s",
        )
    return table
