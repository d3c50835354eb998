"""`unseen fit`: from data to a model file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unseen.cli.errors import explained, say
from unseen.cli.options import ClassesOfData, Components, Data, Features, Label, Settings, UnitNorm, Whiten

if TYPE_CHECKING:
    from unseen.data import TrainingRows
    from unseen.selection import ClassDisjointSearch


def fit(
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write, e.g. birds.unseen.")],
    model: Annotated[
        str, typer.Option("--model", "-m", help="jfa, bilinear, eszsl, ale, sje, dap, conse, ...")
    ] = "jfa",
    split: Annotated[
        str | None,
        typer.Option(help="Which classes stay unseen (as for load_dataset); 'none' learns from all rows."),
    ] = None,
    settings: Settings = None,
    unit_norm: UnitNorm = False,
    pca: Components = None,
    whiten: Whiten = False,
    select: Annotated[
        bool, typer.Option("--select", help="Choose parameters on held-out seen classes, from a small grid.")
    ] = False,
    grid: Annotated[
        list[str] | None,
        typer.Option("--grid", metavar="NAME=V1,V2,...", help="The grid to choose from; repeatable, means --select."),
    ] = None,
    calibrate: Annotated[
        bool, typer.Option(help="Calibrate probabilities on held-out seen classes (5 more fits).")
    ] = True,
    classes: ClassesOfData = None,
    label: Label = None,
    features: Features = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes for selecting parameters.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Of everything random.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the model file if it exists.")] = False,
) -> None:
    """Learn from the seen classes of a dataset and write one model file.

    Examples: `unseen fit digit-pairs --out digits.unseen`,
    `unseen fit CUB_vgg_fc7 --split proposed --unit-norm --pca 300 --whiten --select --out birds.unseen`,
    `unseen fit features.csv --classes classes.csv --model eszsl --set gamma=10 --out mine.unseen`
    """
    from rich.console import Console

    from unseen.cli.inputs import encoder_of, grid_of, model_named
    from unseen.data import load_training
    from unseen.files import save
    from unseen.models import Calibrated
    from unseen.selection.grid import fit as fit_model
    from unseen.utils.writing import refuse_existing

    with explained():
        refuse_existing(out, force)
        estimator = model_named(model, settings or [], unit_norm=unit_norm, pca=pca, whiten=whiten, seed=seed)
        options = {name: value for name, value in (("classes", classes), ("label", label)) if value is not None}
        console, search = Console(stderr=True), None
        with console.status(f"reading {data}"):
            rows = load_training(data, split, features, **options)
        if select or grid:
            search = _search(estimator, grid_of(grid or []), jobs, seed).fit(rows.X, rows.y, classes=rows.classes)
            estimator = estimator.set_params(**search.best_params_)
            say(
                f"Chosen on held-out seen classes: {_written(search.best_params_)} ({search.best_score_:.1%} per class)"
            )
        if calibrate:
            estimator = Calibrated(estimator, random_state=seed)
        with console.status(f"learning from {len(rows.X):,} rows" + (" and calibrating" if calibrate else "")):
            fitted = fit_model(estimator, rows.X, rows.y, rows.classes)
        save(fitted, out, encoder=encoder_of(data, features), selection=search, force=force)
        say(_summary(fitted, rows, out))


def _search(estimator: Any, grid: dict[str, list[Any]], jobs: int, seed: int) -> "ClassDisjointSearch":
    from unseen.cli.grids import GRIDS
    from unseen.selection import ClassDisjointSearch
    from unseen.utils.wrapping import unwrapped

    known = estimator.get_params(deep=True)
    chosen = grid or GRIDS[type(unwrapped(estimator)).__name__]
    full = {f"model__{name}" if f"model__{name}" in known else name: values for name, values in chosen.items()}
    return ClassDisjointSearch(estimator, full, n_jobs=jobs, refit=False, verbose=True, random_state=seed)


def _written(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name.removeprefix('model__')}={value}" for name, value in parameters.items())


def _summary(fitted: Any, rows: "TrainingRows", out: Path) -> str:
    from unseen.models.wrappers.calibrated import calibration_of

    calibration = calibration_of(fitted)
    text = f"{out}: learned {len(fitted.classes_)} classes from {len(rows.X):,} rows of {rows.name}."
    if calibration is None:
        return text
    curve = calibration.curve_
    return (
        f"{text} Expect {curve.accuracy[0]:.1%} of answers right for classes it has not seen, among "
        f"{curve.n_candidates} of them (estimated on held-out seen classes)."
    )
