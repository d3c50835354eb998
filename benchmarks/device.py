"""Compare a device (a GPU) with the processor's cores, and a training pass on it with its bare product.

The data of CUB are used if they are there, otherwise random numbers of the same shape, and then random rows in number.
Everything lies on the device before it is timed. `--tf32` lets products of single precision round to TF32.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.tools.birds import Birds, load_birds
from benchmarks.tools.counting import CallCount
from benchmarks.tools.ratios import Row, ratio_options, show
from benchmarks.tools.timing import time_best, time_once
from unseen import ClassTable
from unseen.data import TrainingRows
from unseen.features import DescriptionScaling, FeatureScaling, Rows
from unseen.learning import LatentSVM, SoftMaximum
from unseen.learning.training import reduce_to_span
from unseen.models import ESZSL, JFA, BilinearSVM, GaussianJFA
from unseen.selection import ClassDisjointSearch
from unseen.similarity import AdaptiveSimilarity
from unseen.transduction import SPZSR, GaussianEM
from unseen.utils.arrays import Array, as_backend, cut_row_blocks, namespace
from unseen.utils.devices import find_device, send
from unseen.utils.optional import import_optional
from unseen.workflows import fit

N_ATTRIBUTES = 300

# 60 points, which are tried on 3 folds.
GRID = {
    "omega": [[1000, 10, 0, 1], [1000, 100, 0, 1], [10000, 100, 0, 10]],
    "temperature": [0.03, 0.1, 0.3, 1.0],
    "lam": [0.03, 0.1, 0.3, 1.0, 3.0],
}
SMALL_GRID = {"lam": [0.3, 1.0]}


def main(arguments: list[str]) -> None:
    parser = ratio_options(__name__, __doc__)
    torch = import_optional("torch", "torch", "the benchmark of a device")
    default = "cuda" if torch.cuda.is_available() else "cpu"
    parser.add_argument("--device", default=default, help=f"device of PyTorch, here by default {default}")
    parser.add_argument("--tf32", action="store_true", help="round products of single precision to TF32")
    parser.add_argument("--shape", type=int, nargs=3, metavar=("ROWS", "COLUMNS", "CLASSES"), help="of the many rows")
    parser.add_argument("--only", choices=["birds", "many"], help="leave out the other half")
    options = parser.parse_args(arguments)
    find_device(options.device)
    torch.set_float32_matmul_precision("high" if options.tf32 else "highest")
    where = f"{options.device}{' (' + torch.cuda.get_device_name() + ')' if 'cuda' in options.device else ''}"
    title = f"device: {where}, {'TF32' if options.tf32 else 'float32'} products"
    if options.only != "many":
        birds = load_birds(options.small)
        there = Place(options.device, send(birds.X, options.device))
        show(measure_birds(birds, there, options.small), f"{title}, {birds.source}", options.json)
    if options.only != "birds":
        shape = tuple(options.shape or ((2_000, 32, 20) if options.small else (1_000_000, 512, 1_000)))
        rows = measure_many(*make_many(shape, options.device))
        show(rows, f"{title}, {shape[0]:,} x {shape[1]} rows of {shape[2]:,} classes", options.json)


@dataclass(frozen=True)
class Place:
    """Rows somewhere, and how to wait until the work on them is done."""

    name: str
    X: Array

    def finish(self, action: Callable[[], object]) -> Callable[[], object]:
        """Return the action followed by waiting for the device."""
        import torch

        def finished() -> object:
            done = action()
            if "cuda" in self.name:
                torch.cuda.synchronize(self.name)
            return done

        return finished


def measure_birds(birds: Birds, there: Place, small: bool) -> list[Row]:
    """Compare passes, fits, a search and the whole default fit on the device with those on the cores."""
    here = Place("NumPy", birds.X)
    both = [(place, {"X": place.X, "y": birds.y, "classes": birds.classes}) for place in (here, there)]
    models: dict[str, Any] = {
        "fit of JFA": JFA(),
        "fit of BilinearSVM": BilinearSVM(),
        "fit of ESZSL": ESZSL(),
        "fit of GaussianJFA": GaussianJFA(),
        "fit and predict, GaussianEM": GaussianEM(ESZSL()),
        "fit and predict, SPZSR (10 runs)": SPZSR(ESZSL(), n_runs=10),
    }
    rows = [_compare("one pass", both, lambda given: make_pass(**given), repeats=20)]
    for name, model in models.items():
        answers = hasattr(model, "transductive")
        rows.append(_compare(name, both, lambda given, m=model, a=answers: lambda: _learn(m, given, a)))
    grid = SMALL_GRID if small else GRID
    n_points = int(np.prod([len(values) for values in grid.values()]))
    search = _compare(
        f"search of {n_points} points x 3 folds",
        both,
        lambda given: lambda: ClassDisjointSearch(JFA(), grid, refit=False, random_state=0).fit(**given),
        repeats=0,
    )
    rows += [search, Row(search.name, search.measured, "seconds allowed", 5.0, at_most=1.0)]
    given = TrainingRows(birds.X, birds.y, birds.classes, "birds")
    effort = "quick" if small else "normal"
    default = [
        time_once(place.finish(lambda d=device: fit(given, effort=effort, device=d)))
        for place, device in ((here, None), (there, there.name))
    ]
    rows.append(Row("the whole default fit", default[1], "on the cores", default[0]))
    # Last, because the profiler slows down whatever is started after it.
    return [*rows, count_waits(there, birds)]


def _learn(model: Any, given: dict[str, Any], answers: bool) -> None:
    fitted = model.fit(**given)
    if answers:
        fitted.predict(given["X"], classes=given["classes"])


def _compare(name: str, both: list[Any], make: Callable[[dict[str, Any]], Any], repeats: int = 3) -> Row:
    """Time the same work on the cores and on the device; without repeats, once and cold."""
    actions = [place.finish(make(given)) for place, given in both]
    times = time_best(*actions, repeats=repeats) if repeats else list(map(time_once, actions))
    return Row(name, times[1], "on the cores", times[0])


def make_pass(X: Array, y: Any, classes: ClassTable) -> Callable[[], object]:
    """Return one evaluation of JFA's objective and gradient."""
    similarity, vectors = AdaptiveSimilarity(JFA().omega), as_backend(classes.vectors, X)
    phi, psi = FeatureScaling.fit(X).apply(X), DescriptionScaling.fit(vectors).apply(vectors)
    encoded = namespace(X).asarray(classes.index_of(y), device=X.device)
    whole = LatentSVM(similarity, Rows(phi), encoded, psi, loss=SoftMaximum())
    objective, _ = reduce_to_span(whole, similarity.domain())
    W = as_backend(0.01 * np.random.default_rng(1).standard_normal(objective.shape), psi)
    return lambda: objective.evaluate(W)


def count_waits(there: Place, birds: Birds) -> Row:
    """Count how often a default fit waits for a number from the device, for each evaluation of the objective."""
    from torch.profiler import ProfilerActivity, profile

    with CallCount(LatentSVM, "evaluate") as evaluations, profile(activities=[ProfilerActivity.CPU]) as seen:
        JFA().fit(there.X, birds.y, birds.classes)
    waits = sum(event.count for event in seen.key_averages() if event.key == "aten::_local_scalar_dense")
    waits = waits / evaluations.calls
    return Row("waits for the device, per evaluation of a fit", waits, "waits allowed", 15.0, at_most=1.0, unit="waits")


def make_many(shape: tuple[int, int, int], device: str) -> tuple[Place, Any, ClassTable]:
    """Make random rows of random classes on the device."""
    import torch

    n, d, n_classes = shape
    random = np.random.default_rng(0)
    table = ClassTable(random.standard_normal((n_classes, min(N_ATTRIBUTES, n_classes))), np.arange(n_classes))
    y = random.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    means = table.vectors @ random.standard_normal((table.width, d)) / np.sqrt(table.width)
    where = torch.as_tensor(means, dtype=torch.float32, device=device)
    generator = torch.Generator(device).manual_seed(0)
    X = torch.randn((n, d), generator=generator, device=device)
    X += where[torch.as_tensor(y, device=device)]
    return Place(device, X), y, table


def measure_many(there: Place, y: Any, table: ClassTable) -> list[Row]:
    """Compare a pass with the bare product on the device, and with the same pass on the cores."""
    import torch

    factor = torch.randn((there.X.shape[1], len(table)), device=there.X.device)
    one_pass = there.finish(make_pass(there.X, y, table))
    product, ours = time_best(there.finish(lambda: multiply(there.X, factor)), one_pass, repeats=5)
    cores = time_once(make_pass(there.X.cpu().numpy(), y, table))
    given = {"X": there.X, "y": y, "classes": table}
    fits = {type(model).__name__: model for model in (JFA(), GaussianJFA())}
    seconds = {name: time_once(there.finish(lambda m=model: m.fit(**given))) for name, model in fits.items()}
    answers = {
        name: time_best(there.finish(lambda m=model: m.predict(there.X, classes=table)), repeats=3)[0]
        for name, model in fits.items()
    }
    # A pass has two products of this size: scores, and sums of features by class.
    work = 2e-12 * there.X.shape[0] * factor.shape[0] * factor.shape[1]
    return [
        Row("products of one pass", 2 * work / ours, "bare product", work / product, at_least=0.5, unit="TFLOP/s"),
        Row("one pass", ours, "on the cores", cores),
        *(Row(f"fit of {name}", taken, "one pass on the cores", cores) for name, taken in seconds.items()),
        *(Row(f"predict of {name}", taken, "bare product", product) for name, taken in answers.items()),
    ]


def multiply(X: Array, factor: Array) -> None:
    """Multiply rows by a factor, block by block as a pass does."""
    for rows in cut_row_blocks(X.shape[0], 8 * (factor.shape[0] + factor.shape[1]), X):
        X[rows, :] @ factor
