"""Measure search among a million candidate classes: time, and how often an index finds the best class.

JFA is fitted on CUB (or random numbers of its shape), and asked about rows that it did not learn from. The candidates
are mixtures of three of its class descriptions, with noise, so that many resemble each other. The flat index scores all
of them and is exact. The recall of the others is the share of rows for which they find the same best class. "plain ivf"
is FAISS's own index of cells with whole vectors in them, for comparison.
"""

import copy
import time

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.tools.birds import load_birds
from benchmarks.tools.options import benchmark_options
from unseen import JFA, ClassTable
from unseen.files.export import ClassIndex

SEARCHES: dict[str, list[int | None]] = {
    "flat": [None],
    "ivf": [8, 16, 32, 64, 128],
    "plain ivf": [4, 16, 64],
    "hnsw": [64, 256],
}


def main(arguments: list[str]) -> None:
    parser = benchmark_options(__name__, __doc__)
    parser.add_argument("--classes", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--kinds", nargs="*", default=["flat", "ivf"], choices=list(SEARCHES))
    options = parser.parse_args(arguments)
    birds = load_birds(options.small)
    # Not the seed of the rows on which the constants of the index were chosen.
    shuffled = np.random.default_rng(2).permutation(len(birds.X))
    asked, learned = shuffled[: options.queries], shuffled[options.queries :]
    model = JFA().fit(birds.X[learned], birds.y[learned], classes=birds.classes)
    candidates = mix_classes(birds.classes, 2000 if options.small else options.classes)
    X = birds.X[asked]
    table = Table("index", "effort", "build", "one row at a time: median", "95%", "all rows at once, each", "recall")
    exact = None
    for kind in track(options.kinds, description="indexing", transient=True, console=Console(stderr=True)):
        started = time.perf_counter()
        index = build_plain(model, candidates) if kind == "plain ivf" else ClassIndex(model, candidates, kind)
        build = time.perf_counter() - started
        for effort in SEARCHES[kind]:
            labels = index.search(X, effort=effort).labels[:, 0]
            exact = labels if exact is None else exact
            single = [time_search(index, X[at : at + 1], effort) for at in range(len(X))]
            table.add_row(
                kind,
                "" if effort is None else str(effort),
                f"{build:.1f} s",
                f"{1e3 * np.median(single):.2f} ms",
                f"{1e3 * np.quantile(single, 0.95):.2f} ms",
                f"{1e3 * time_search(index, X, effort) / len(X):.2f} ms",
                f"{np.mean(labels == exact):.1%}",
            )
    table.title = f"{len(candidates):,} classes, {index.index.d} numbers each; {len(X)} rows of {birds.source}"
    Console().print(table)


def build_plain(model: JFA, candidates: ClassTable) -> ClassIndex:
    """Build what FAISS makes of "IVF,Flat": cells, in which every class is scored with all its numbers."""
    import faiss

    index = copy.copy(ClassIndex(model, candidates))
    vectors = index.index.reconstruct_n(0, len(candidates))
    cells = round(len(candidates) ** 0.5)
    index.index = faiss.index_factory(index.index.d, f"IVF{cells},Flat", faiss.METRIC_INNER_PRODUCT)
    index.index.train(vectors[np.random.default_rng(0).permutation(len(vectors))[: 64 * cells]])
    index.index.add(vectors)
    return index


def mix_classes(classes: ClassTable, n: int) -> ClassTable:
    """Make descriptions of n classes, each a mixture of three real ones with some noise."""
    random = np.random.default_rng(0)
    vectors = np.zeros((n, classes.width), dtype=np.float32)
    shares = random.dirichlet(np.ones(3), size=n).astype(np.float32)
    for at in range(3):
        vectors += shares[:, at, None] * classes.vectors.astype(np.float32)[random.integers(len(classes), size=n)]
    spread = float(classes.vectors.std(axis=0).mean())
    vectors += 0.2 * spread * random.standard_normal(vectors.shape, dtype=np.float32)
    return ClassTable(vectors, np.arange(n))


def time_search(index: ClassIndex, X: np.ndarray, effort: int | None) -> float:
    started = time.perf_counter()
    index.search(X, effort=effort)
    return time.perf_counter() - started
