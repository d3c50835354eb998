"""`unseen demo`: show zero-shot recognition on data that comes with the package."""

import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.columns import Columns
from rich.console import Console, Group
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from sklearn.metrics import balanced_accuracy_score

from unseen import JFA, ZeroShotDataset, load_dataset
from unseen.data import PICTURE_SHAPE
from unseen.models import BilinearSVM, Calibrated, ZeroShotClassifier
from unseen.utils.optional import suggest_install
from unseen.utils.storage.writing import create_file
from unseen.workflows import fit

SHADES = " ░▒▓█"
N_SHOWN = 8


def run_demo(seed: int, page: Path, *, force: bool = False, console: Console | None = None) -> None:
    """Train JFA, a bilinear model and what `unseen fit` chooses on digit pairs, show accuracies, and write a page."""
    console = console or Console()
    data = load_dataset("digit-pairs", random_state=seed)
    console.print(_introduce(data))
    models: dict[str, ZeroShotClassifier] = {"JFA": JFA(), "bilinear": BilinearSVM()}
    table = Table("model", "unseen classes", "seen classes", "training", title="Mean accuracy per class")
    for name, model in models.items():
        with console.status(f"{name} learns from {len(data.X_train)} pictures of {len(data.seen_classes)} numbers"):
            started = time.perf_counter()
            model.fit(data.X_train, data.y_train, classes=data.classes)
            seconds = time.perf_counter() - started
        table.add_row(name, *_measure_accuracies(model, data), f"{seconds:.2f} s")
    table.add_row(*_measure_chosen(data, seed, console))
    table.add_row("chance", f"{1 / len(data.unseen_classes):.1%}", f"{1 / len(data.seen_classes):.1%}", "")
    console.print(table)
    console.print(_show_examples(models["JFA"], data, seed))
    console.print(_conclude(models["JFA"]))
    with console.status("drawing a page of all this"):
        told = _write_page(data, seed, page, force)
    console.print(told, soft_wrap=True)


def _measure_chosen(data: ZeroShotDataset, seed: int, console: Console) -> tuple[str, str, str, str]:
    """Choose preparation and model as `unseen fit` does, and measure what was chosen."""
    with console.status("choosing a preparation and a model on held-out numbers"):
        started = time.perf_counter()
        found = fit(data, effort="quick", calibrate=False, seed=seed)
        seconds = time.perf_counter() - started
    return "chosen", *_measure_accuracies(found.model, data), f"{seconds:.2f} s"


def _introduce(data: ZeroShotDataset) -> Panel:
    unseen = ", ".join(map(str, data.unseen_classes))
    return Panel(
        f"Handwritten two-digit numbers, described only by which digit stands in which place.\n"
        f"Training shows {len(data.seen_classes)} of the 100 numbers. No picture of these "
        f"{len(data.unseen_classes)} is ever shown:\n[bold]{unseen}[/bold]\n"
        "Training and test pictures are made from different digit images.",
        title="digit-pairs",
    )


def _measure_accuracies(model: ZeroShotClassifier, data: ZeroShotDataset) -> tuple[str, str]:
    """Measure the accuracy on unseen classes among unseen candidates, and on seen classes among seen ones."""
    unseen = model.predict(data.X_test_unseen, classes=data.unseen_table)
    seen = model.predict(data.X_test_seen, classes=data.seen_table)
    return (
        f"{balanced_accuracy_score(data.y_test_unseen, unseen):.1%}",
        f"{balanced_accuracy_score(data.y_test_seen, seen):.1%}",
    )


def _show_examples(model: ZeroShotClassifier, data: ZeroShotDataset, seed: int) -> Panel:
    """Draw a few pictures of unseen classes in the terminal, with the answer and its probability."""
    X, y = data.X_test_unseen, data.y_test_unseen
    shown = np.random.default_rng(seed).choice(len(X), size=N_SHOWN, replace=False)
    probabilities = model.predict_proba(X[shown], classes=data.unseen_table)
    answers = data.unseen_table.labels[probabilities.argmax(axis=1)]
    cells = [
        Group(
            _draw(X[row].reshape(PICTURE_SHAPE)),
            Text.assemble((f"{answer}", "bold green" if answer == y[row] else "bold red"), f"  {p:.0%}"),
        )
        for row, answer, p in zip(shown, answers, probabilities.max(axis=1), strict=True)
    ]
    return Panel(Columns(cells, padding=(1, 3)), title="Unseen numbers, as JFA reads them")


def _draw(picture: Any) -> Text:
    levels = np.clip(picture / max(float(picture.max()), 1e-9) * len(SHADES), 0, len(SHADES) - 1).astype(int)
    return Text("\n".join("".join(SHADES[level] for level in row) for row in levels))


def _conclude(model: Any) -> str:
    spectrum = model.similarity_.spectrum()
    return (
        f"H has eigenvalues from {spectrum[0]:.3g} to {spectrum[-1]:.3g}, all positive: "
        "every score of JFA is the best over all displacements of picture and description.\n"
        "The row [bold]chosen[/bold] is what [bold]unseen fit --effort quick[/bold] takes, on held-out numbers.\n"
        "Next: [bold]docs/ten-minutes.md[/bold] does the same with your own data."
    )


def _write_page(data: ZeroShotDataset, seed: int, path: Path, force: bool) -> str:
    """Write a report that compares JFA with the bilinear model; say where it is, or which packages are missing."""
    if not all(map(find_spec, ("matplotlib", "openTSNE", "PIL"))):
        return f"For a page of this with figures and pictures: {escape(suggest_install('figures'))}, then unseen demo"
    from unseen.report.examine import examine
    from unseen.report.page import page
    from unseen.report.pictures import find_pictures

    model = Calibrated(JFA(), random_state=seed).fit(data.X_train, data.y_train, classes=data.seen_table)
    pictures = find_pictures(data, data.name)
    facts = {"model": "JFA with its defaults", "seed of the data": str(seed)}
    found = examine(model, data, [BilinearSVM()], pictures=pictures, facts=facts, command=f"unseen demo --seed {seed}")
    with create_file(path, force) as draft:
        draft.write_text(page(found), encoding="utf-8")
    return f"A page with figures, tables and the pictures found: [bold]{escape(str(path.resolve()))}[/bold]"
