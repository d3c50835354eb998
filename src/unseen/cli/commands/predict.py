"""`unseen predict`: labels with probabilities from a model file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unseen.cli.answers import AnswerFormat
from unseen.cli.errors import explained, say

if TYPE_CHECKING:
    from unseen.confidence import Answers
    from unseen.data import FeatureRows


def predict(
    model: Annotated[Path, typer.Argument(help="A model file, as `unseen fit` writes it.")],
    features: Annotated[
        Path,
        typer.Argument(
            help="What to recognise: pictures (a folder or a file), or features (.npy, .npz, .csv, .parquet)."
        ),
    ],
    classes: Annotated[
        Path | None,
        typer.Option(
            help="The candidates: a CSV file of class descriptions, or a .txt list of classes that the model knows. "
            "Without it, the classes seen in training."
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many candidates of each row to give.")] = 1,
    abstain: Annotated[
        float, typer.Option(min=0, max=1, help="Leave the label empty where its probability is lower than this.")
    ] = 0.0,
    format_: Annotated[
        AnswerFormat | None, typer.Option("--format", help="By default what the ending of --out says, else csv.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file to write; printed if not given.")] = None,
    array: Annotated[str | None, typer.Option(help="The array of an .npz file; X by default.")] = None,
    weights: Annotated[
        Path | None, typer.Option(help="For pictures: the encoder's weights, if they are not where they were.")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, help="For pictures: how many to encode at once.")] = 8,
    device: Annotated[str, typer.Option(help="For pictures: where the encoder runs, cpu or cuda.")] = "cpu",
    force: Annotated[bool, typer.Option("--force", help="Replace the output file if it exists.")] = False,
) -> None:
    """Recognise pictures or rows of features among candidate classes, seen or not.

    Gives for each row its best label and probability, and with --top the runners-up.

    Pictures go through the encoder that made the features the model was fitted on (`unseen extract`).

    Examples: `unseen predict birds.unseen new.npy --classes new.csv > labels.csv`,
    `unseen predict birds.unseen FOLDER_OF_PICTURES --classes new.csv --top 5`,
    `unseen predict birds.unseen new.npy --classes new.csv --top 5 --abstain 0.8 --out labels.parquet`
    """
    from unseen.cli.answers import as_columns, format_for, to_csv, to_json, write_parquet
    from unseen.cli.inputs import candidates_for, features_for
    from unseen.files import read_model_file
    from unseen.utils.writing import new_file, refuse_existing

    with explained():
        chosen = format_for(format_, out)
        if out is not None:
            refuse_existing(out, force)
        file = read_model_file(model)
        candidates = candidates_for(file.model, classes)
        rows = features_for(file, features, array, weights=weights, batch=batch, device=device)
        found = _answers(file.model, rows, candidates, top, abstain)
        columns = as_columns(rows.names, found)
        if out is None:
            typer.echo(to_json(columns) if chosen == "json" else to_csv(columns), nl=False)
        else:
            with new_file(out, force) as draft:
                if chosen == "parquet":
                    write_parquet(columns, draft)
                else:
                    draft.write_text(to_json(columns) if chosen == "json" else to_csv(columns), encoding="utf-8")
        if abstain:
            say(_about_abstaining(file.model, found, abstain))


def _answers(model: Any, rows: "FeatureRows", candidates: Any, top: int, abstain: float) -> "Answers":
    """Ask the model, with a progress bar on a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    from unseen.confidence import answers

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("recognising", total=len(rows.X))
        return answers(model, rows.X, candidates, top=top, abstain=abstain, on_rows=lambda n: bar.advance(task, n))


def _about_abstaining(model: Any, found: "Answers", abstain: float) -> str:
    from unseen.models.wrappers.calibrated import calibration_of

    calibration = calibration_of(model)
    done = f"{1 - found.withheld.mean():.1%} of {len(found.withheld):,} rows answered"
    if calibration is None:
        return f"{done}. The model is not calibrated, so its probabilities promise nothing: fit it with --calibrate."
    curve = calibration.curve_
    coverage, accuracy = curve.at(abstain)
    if coverage == 0:
        return f"{done}. On held-out seen classes no answer was as probable as {abstain:g}."
    return (
        f"{done}. On held-out seen classes, among {curve.n_candidates} candidates, {coverage:.1%} were, and "
        f"{accuracy:.1%} of these answers were right."
    )
