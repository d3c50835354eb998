"""Measure a model and others for comparison, and write a report page."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sklearn.base import clone

from unseen.data import ZeroShotDataset
from unseen.data.splits import Split
from unseen.evaluation.seeding import trial_seed, with_seed
from unseen.experiments import read_store
from unseen.files import ModelFile
from unseen.models import Calibrated
from unseen.report.bench_page import BenchPage, bench_page
from unseen.report.examine import Report, examine
from unseen.report.page import page
from unseen.report.pictures import Pictures, find_pictures
from unseen.selection.grid import Estimator
from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional
from unseen.utils.progress import OnProgress, Progress, ignore
from unseen.utils.storage.writing import create_file, refuse_existing
from unseen.utils.wrapping import Wrapper
from unseen.workflows.describing import describe_model, format_facts
from unseen.workflows.evaluating import is_fitted_model
from unseen.workflows.fitting import AnyModel, open_model
from unseen.workflows.inputs.data import Named, load_to_measure
from unseen.workflows.making import make_model


def report(
    model: AnyModel,
    data: Named | ZeroShotDataset,
    methods: Sequence[str] = (),
    *,
    split: Split = None,
    pictures: Path | Pictures | None = None,
    trials: int = 1,
    features: Any = None,
    seed: int = 0,
    command: str = "",
    on_progress: OnProgress = ignore,
    **options: Any,
) -> Report:
    """Measure a model and others for comparison, and draw all figures that apply.

    Parameters
    ----------
    model : str, path-like, ModelFile, Fitted or estimator
        A model file, the result of `fit`, or a model to fit: its name or an unfitted estimator. A model that was fitted
        on any of the unseen classes raises an error.
    data : str, path-like or ZeroShotDataset
    methods : sequence of str
        Names of other models to compare with; they get the same preparation and refinement as the model.
    split, features, **options
        As for `unseen.data.load_dataset`, if `data` is a name or path.
    pictures : Path or callable, optional
        A file that lists the picture of each row of the data, or a function from row numbers to addresses of pictures;
        by default ``pictures.txt`` in the folder of the data.
    trials : int, default 1
        Number of trials of each model that is fitted here.
    seed : int, default 0
        Random seed for all parts.
    command : str, default ""
        Command that made the page, to be shown on it.
    on_progress : callable, optional
    """
    check_packages()
    # Before reading the data, so that a wrong name is reported at once.
    peers = [make_model(name, seed=seed) for name in methods]
    unfitted = None if is_fitted_model(model) else make_model(model, seed=seed)
    file = open_model(model) if unfitted is None else None
    dataset = load_to_measure(data, split, features, on_progress=on_progress, **options)
    dataset = dataset if file is None else dataset.reorder(file.feature_names)
    shown = pictures if callable(pictures) else find_pictures(dataset, str(data), pictures)
    if file is None:
        on_progress(Progress(f"learning from {len(dataset.train):,} rows and calibrating"))
        file = ModelFile(_learn(unfitted, dataset, seed))
    return examine(
        file.model,
        dataset,
        [wrap_alike(peer, file.model) for peer in peers],
        own=unfitted,
        trials=trials,
        random_state=seed,
        pictures=shown,
        facts=format_facts(describe_model(file)),
        command=command,
        watch=lambda doing: on_progress(Progress(doing)),
    )


def report_bench(
    store: str | os.PathLike[str],
    *,
    data: Path | None = None,
    command: str = "",
    on_progress: OnProgress = ignore,
) -> BenchPage:
    """Gather the stored experiments of `unseen bench`, without running any.

    Parameters
    ----------
    store : path-like
        The file of finished trials, by default unseen-bench.sqlite.
    data : Path, optional
        Folder of datasets; by default that of UNSEEN_DATA.
    command, on_progress
        As for `report`.
    """
    import_optional("matplotlib", "figures", "a report")
    path = Path(store)
    runs = read_store(path, data, watch=lambda doing: on_progress(Progress(doing)))
    if not runs:
        raise InputError(f"{path} has no finished trials: run experiments with `unseen bench --store {path}` first")
    return BenchPage(path.name, runs, command)


def wrap_alike(model: Estimator, other: Estimator) -> Estimator:
    """Give a model the preparation and refinement of another model, but not its calibration.

    >>> from unseen.models import ESZSL, SJE, Prepared
    >>> wrap_alike(SJE(), Calibrated(Prepared(ESZSL())))
    Prepared(model=SJE())
    """
    if isinstance(other, Calibrated):
        return wrap_alike(model, other.model)
    return clone(other).set_params(model=wrap_alike(model, other.model)) if isinstance(other, Wrapper) else model


def check_packages() -> None:
    """Raise an error if a package that the page needs is not installed."""
    for package in ("matplotlib", "openTSNE", "PIL"):
        import_optional(package, "figures", "a report")


def check_places(
    out: str | os.PathLike[str], figures: str | os.PathLike[str] | None = None, *, force: bool = False
) -> None:
    """Raise an error, before the work begins, if the page or the figures could not be written."""
    refuse_existing(out, force)
    folder = None if figures is None else Path(figures)
    if folder is None or not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"figures={folder} is a file: name a folder")
    if not force and any(folder.iterdir()):
        raise InputError(
            f"figures={folder} has files in it already: name another folder, or give force=True (--force on the "
            "command line) to replace them"
        )


def write_report(
    found: Report | BenchPage,
    out: str | os.PathLike[str],
    figures: str | os.PathLike[str] | None = None,
    *,
    force: bool = False,
) -> None:
    """Write a report as one HTML page, and its figures as SVG and PNG with their data as CSV.

    Parameters
    ----------
    found : Report or BenchPage
    out : path-like
        File of the page.
    figures : path-like, optional
        Folder for the figures.
    force : bool, default False
        Whether to replace existing files.
    """
    check_places(out, figures, force=force)
    with create_file(out, force) as draft:
        draft.write_text(bench_page(found) if isinstance(found, BenchPage) else page(found), encoding="utf-8")
    if figures is not None:
        Path(figures).mkdir(parents=True, exist_ok=True)
        for drawn in found.figures:
            drawn.save(Path(figures))


def _learn(unfitted: Estimator, dataset: ZeroShotDataset, seed: int) -> Calibrated:
    # The figures show the model of the first trial, with calibrated probabilities.
    model = Calibrated(with_seed(unfitted, trial_seed(seed, 0)), random_state=seed)
    return model.fit(dataset.X_train, dataset.y_train, classes=dataset.seen_table)
