"""`unseen evaluate`: how good a model, or a model file, is on the unseen classes of a dataset."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from unseen.cli.errors import explained
from unseen.cli.options import ClassesOfData, Components, Data, Features, Label, Settings, UnitNorm, Whiten

if TYPE_CHECKING:
    from unseen.data import ZeroShotDataset
    from unseen.evaluation import EvaluationResult


def evaluate(
    model: Annotated[str, typer.Argument(help="A model file, or the name of a model to fit: jfa, eszsl, ...")],
    data: Data,
    setting: Annotated[
        Literal["standard", "generalized", "retrieval"], typer.Option(help="Which rows, among which candidates.")
    ] = "standard",
    split: Annotated[str | None, typer.Option(help="Which classes are unseen (as for load_dataset).")] = None,
    settings: Settings = None,
    unit_norm: UnitNorm = False,
    pca: Components = None,
    whiten: Whiten = False,
    trials: Annotated[int, typer.Option(min=1, help="How often to learn, for a model named.")] = 1,
    classes: ClassesOfData = None,
    label: Label = None,
    features: Features = None,
    seed: Annotated[int, typer.Option(min=0, help="From which the seed of each trial is drawn.")] = 0,
    format_: Annotated[
        Literal["text", "markdown", "latex", "csv", "html", "json"], typer.Option("--format", help="How to print.")
    ] = "text",
) -> None:
    """Measure accuracy on unseen classes: of a model file as it is, or of a model that is fitted first.

    A model file that was fitted on any of the unseen classes is refused.

    Examples: `unseen evaluate birds.unseen CUB_vgg_fc7 --split proposed`,
    `unseen evaluate jfa digit-pairs --setting generalized --trials 3`
    """
    from rich.console import Console

    from unseen.cli.inputs import encoder_of
    from unseen.data import load_dataset

    with explained():
        options = {name: value for name, value in (("classes", classes), ("label", label)) if value is not None}
        console = Console(stderr=True)
        with console.status(f"reading {data}"):
            dataset = load_dataset(data, split, features, **options)
        with console.status(f"evaluating {model}"):
            result = (
                _of_file(
                    Path(model), dataset, setting, settings or unit_norm or pca or whiten, encoder_of(data, features)
                )
                if Path(model).is_file()
                else _of_name(model, dataset, setting, settings or [], unit_norm, pca, whiten, trials, seed)
            )
        typer.echo(json.dumps(result.to_dict()) if format_ == "json" else getattr(result, f"to_{format_}")())


def _of_file(
    path: Path, dataset: "ZeroShotDataset", setting: str, changes: Any, encoder: dict[str, Any] | None
) -> "EvaluationResult":
    from unseen.evaluation.protocol import evaluate_fitted
    from unseen.files import read_model_file
    from unseen.utils.errors import InputError

    if changes:
        raise InputError(
            f"{path} is fitted already: --set, --unit-norm, --pca and --whiten are for a model that is named"
        )
    file = read_model_file(path)
    if file.encoder and encoder and file.encoder["fingerprint"] != encoder["fingerprint"]:
        raise InputError(
            f"{dataset.name} was encoded by {encoder['name']} (fingerprint {encoder['fingerprint'][:12]}), but {path} "
            f"was fitted on features of {file.encoder['name']} ({file.encoder['fingerprint'][:12]}): extract with that "
            "encoder"
        )
    return evaluate_fitted(file.model, dataset, setting, name=path.name)


def _of_name(
    name: str,
    dataset: "ZeroShotDataset",
    setting: str,
    settings: list[str],
    unit_norm: bool,
    pca: int | None,
    whiten: bool,
    trials: int,
    seed: int,
) -> "EvaluationResult":
    from unseen.cli.inputs import model_named
    from unseen.evaluation.protocol import evaluate as measure

    model = model_named(name, settings, unit_norm=unit_norm, pca=pca, whiten=whiten, seed=seed)
    return measure(model, dataset, setting, trials=trials, random_state=seed)
