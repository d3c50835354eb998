"""`unseen report`: one page to look at."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unseen.cli.errors import explained, say
from unseen.cli.options import Data, Features, Label

if TYPE_CHECKING:
    from unseen.data import ZeroShotDataset
    from unseen.files import ModelFile
    from unseen.report.figures.drawn import Drawn


def report(
    model: Annotated[str, typer.Argument(help="A model file, or the name of a model to fit: jfa, eszsl, ...")],
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path("report.html"),
    methods: Annotated[
        str, typer.Option(help="Other models to measure beside it, e.g. bilinear,eszsl; prepared as the model is.")
    ] = "",
    split: Annotated[str | None, typer.Option(help="Which classes are unseen (as for load_dataset).")] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            help="A list that names the picture of each row of DATA, one on each line, as a path from where the list "
            "is; by default pictures.txt in the folder DATA."
        ),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(help="A folder for the figures as SVG and PNG, with their data as CSV.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="How often to learn each model that is named.")] = 1,
    classes: Annotated[Path | None, typer.Option(help="The class table (CSV) of a table of features.")] = None,
    label: Label = None,
    features: Features = None,
    seed: Annotated[int, typer.Option(min=0, help="Of everything random.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the page and figures if they exist.")] = False,
) -> None:
    """Write one HTML page: accuracy with its spread, figures with their data, pictures found, settings, versions.

    The page holds all it shows and needs no network. A model file that was fitted on any of the unseen classes is
    refused.

    Examples: `unseen report birds.unseen CUB_vgg_fc7 --split proposed --out birds.html`,
    `unseen report jfa digit-pairs --methods bilinear,eszsl --trials 3 --figures figures`
    """
    from rich.console import Console

    from unseen.data import load_dataset
    from unseen.report.examine import examine
    from unseen.report.page import page
    from unseen.report.pictures import find_pictures
    from unseen.utils.optional import optional_module
    from unseen.utils.writing import new_file, refuse_existing

    console = Console(stderr=True)
    with explained():
        # Before any work, so that none is done in vain.
        for package in ("matplotlib", "openTSNE", "PIL"):
            optional_module(package, "figures", "a report")
        refuse_existing(out, force)
        _check_folder(figures, force)
        named = [name.strip() for name in methods.split(",") if name.strip()]
        options = {name: value for name, value in (("classes", classes), ("label", label)) if value is not None}
        with console.status(f"reading {data}") as status:
            dataset = load_dataset(data, split, features, **options)
            shown = find_pictures(dataset, data, pictures)
            subject = _subject(model, dataset, seed)
            found = examine(
                subject.file.model,
                dataset,
                [subject.like(name, seed) for name in named],
                own=subject.unfitted,
                trials=trials,
                random_state=seed,
                pictures=shown,
                facts=subject.facts(),
                command=shlex.join(["unseen", *sys.argv[1:]]),
                watch=status.update,
            )
            with new_file(out, force) as draft:
                draft.write_text(page(found), encoding="utf-8")
            if figures is not None:
                _write_figures(found.figures, figures)
        say(f"{out}: written" + ("" if figures is None else f"; figures in {figures}"))


@dataclass(frozen=True)
class _Subject:
    """The model of a report: fitted, and unfitted too where it was named rather than read from a file."""

    file: "ModelFile"
    unfitted: Any = None

    def like(self, name: str, seed: int) -> Any:
        """Make another model, prepared and refined in the same way."""
        from unseen.cli.inputs import model_named

        return _around(self.file.model, model_named(name, seed=seed))

    def facts(self) -> dict[str, str]:
        from unseen.cli.commands.info import as_text, described

        known = described(self.file).items()
        return {name.replace("_", " "): as_text(name, value) for name, value in known if value is not None}


def _subject(name: str, dataset: "ZeroShotDataset", seed: int) -> _Subject:
    from unseen.cli.inputs import model_named
    from unseen.evaluation.seeding import seeded, trial_seed
    from unseen.files import ModelFile, read_model_file
    from unseen.models import Calibrated

    if Path(name).is_file():
        return _Subject(read_model_file(name))
    unfitted = model_named(name, seed=seed)
    # The model of the figures is that of the first trial, with probabilities to rely on.
    fitted = Calibrated(seeded(unfitted, trial_seed(seed, 0)), random_state=seed)
    fitted.fit(dataset.X_train, dataset.y_train, classes=dataset.seen_table)
    return _Subject(ModelFile(fitted), unfitted)


def _around(own: Any, other: Any) -> Any:
    """Put another model in the place of the one at the core, without calibration, which changes no answer."""
    from sklearn.base import clone

    from unseen.models import Calibrated
    from unseen.utils.wrapping import Wrapper

    if isinstance(own, Calibrated):
        return _around(own.model, other)
    return clone(own).set_params(model=_around(own.model, other)) if isinstance(own, Wrapper) else other


def _check_folder(folder: Path | None, force: bool) -> None:
    from unseen.utils.errors import InputError

    if folder is None or not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"--figures {folder} is a file: name a folder")
    if not force and any(folder.iterdir()):
        raise InputError(f"--figures {folder} has files in it already: name another folder, or --force to replace them")


def _write_figures(figures: "Sequence[Drawn]", folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for drawn in figures:
        drawn.save(folder)
