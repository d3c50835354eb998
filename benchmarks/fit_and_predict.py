"""Compare a default fit on CUB and on AwA with the time and memory allowed, and prediction with the bare product."""

import numpy as np

from benchmarks.tools.birds import Birds, load_birds
from benchmarks.tools.counting import CallCount
from benchmarks.tools.datasets import prepared_datasets
from benchmarks.tools.ratios import Row, ratio_options, show
from benchmarks.tools.timing import MiB, PeakMemory, time_best, time_once
from unseen.learning import LatentSVM, Smooth
from unseen.models import JFA

FITS = 3


def main(arguments: list[str]) -> None:
    options = ratio_options(__name__, __doc__).parse_args(arguments)
    birds = load_birds(options.small)
    show(measure(birds), f"fit_and_predict: {birds.source}", options.json)
    for title, data in prepared_datasets(options.small, "AwA"):
        animals = Birds(np.asarray(data.X_train, dtype=np.float32), data.y_train, data.seen_table, title)
        show(measure(animals, ", AwA"), f"fit_and_predict: {title}", options.json)


def measure(birds: Birds, suffix: str = "") -> list[Row]:
    """Return rows of one dataset, whose names end in the suffix."""
    model = JFA()
    # The first fit of a process also loads libraries, so it is not measured.
    JFA().fit(birds.X[:50], np.arange(50) % 2)
    with PeakMemory() as memory, CallCount(LatentSVM, "evaluate") as evaluations:
        model.fit(birds.X, birds.y, classes=birds.classes)
    # Apart from the memory, because watching it takes time, too; a single fit is at the mercy of a busy machine.
    elapsed = min(time_once(lambda: JFA().fit(birds.X, birds.y, classes=birds.classes)) for _ in range(FITS))
    factor = np.random.default_rng(0).standard_normal((birds.X.shape[1], len(birds.classes))).astype(np.float32)
    bare, ours = time_best(
        lambda: (birds.X @ factor).argmax(axis=1),
        lambda: model.predict(birds.X, classes=birds.classes),
        repeats=100,
    )
    return [
        Row(f"default fit{suffix}", elapsed, "seconds allowed", 0.6, at_most=1.0),
        Row(f"default fit{suffix}", elapsed, "bare product + argmax", bare),
        Row(f"evaluations in a default fit{suffix}", evaluations.calls, "steps allowed", Smooth().max_iter, unit=""),
        Row(f"memory added by fit{suffix}", memory.added / MiB, "MiB allowed", 500.0, at_most=1.0, unit="MiB"),
        Row(f"predict{suffix}", ours, "bare product + argmax", bare, at_most=1.5),
    ]
