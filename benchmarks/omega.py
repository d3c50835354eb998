"""Compare the default omega with omegas that are chosen on held-out seen classes or learned."""

import time

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import balanced_accuracy_score

from benchmarks.tools.datasets import whitened_birds
from benchmarks.tools.options import benchmark_options
from unseen import JFA, ZeroShotDataset, load_dataset
from unseen.sweep.data import Split, make_split

WAYS = {
    "default": {},
    "auto": {"omega": "auto", "random_state": 0},
    "learn, omega_lam 1e-4": {"omega": "learn"},
    "learn, omega_lam 1": {"omega": "learn", "omega_lam": 1.0},
}


def main(arguments: list[str]) -> None:
    options, console = benchmark_options(__name__, __doc__).parse_args(arguments), Console()
    if options.small:
        console.print(measure(split_as_is(whitened_birds(small=True)), "synthetic"))
        return
    console.print(measure(split_as_is(load_dataset("digit-pairs")), "digit-pairs"))
    whitened = split_as_is(whitened_birds(small=False))
    console.print(measure(whitened, "CUB, proposed split, VGG fc7 whitened", temperature=0.3))
    as_swept = make_split(load_dataset("CUB_vgg_fc7", split="proposed"))
    console.print(measure(as_swept, "CUB, proposed split, VGG fc7 as in the study of omega"))


def split_as_is(data: ZeroShotDataset) -> Split:
    return Split(data.X_train, data.y_train, data.seen_table, data.X_test_unseen, data.y_test_unseen, data.unseen_table)


def measure(data: Split, title: str, **parameters: float) -> Table:
    """Fit JFA each way on the seen classes and score it once on the unseen ones."""
    table = Table("omega", "learned with", "per-class accuracy", "training objective", "H", "fit", title=title)
    for name, way in WAYS.items():
        started = time.perf_counter()
        model = JFA(**way, **parameters).fit(data.X, data.y, classes=data.seen)
        seconds = time.perf_counter() - started
        answers = model.predict(data.X_test, classes=data.candidates)
        spectrum = np.asarray(model.similarity_.spectrum())
        table.add_row(
            name,
            ", ".join(f"{weight:.3g}" for weight in model.omega_),
            f"{balanced_accuracy_score(data.y_test, answers):.1%}",
            f"{model.objective_:.1f}",
            f"{spectrum[0]:.3g} to {spectrum[-1]:.3g}",
            f"{seconds:.0f} s",
        )
    return table
