"""`unseen predict`: predict labels with probabilities."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from unseen.cli.classes import read_classes
from unseen.cli.errors import explain_errors, say
from unseen.cli.notes import say_unreadable
from unseen.cli.options import (
    Candidates,
    Delimiter,
    EncoderWeights,
    Features,
    Fill,
    LabelColumn,
    LabelLeftOut,
    ModelArgument,
    PictureBatch,
    PredictionDevice,
    RowsArgument,
    Sheet,
)

if TYPE_CHECKING:
    from unseen.workflows import Predicted


def predict(
    model: ModelArgument,
    data: RowsArgument,
    classes: Candidates = None,
    label_column: LabelColumn = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    fill: Fill = None,
    top: Annotated[int, typer.Option(min=1, help="Number of candidates to return for each row.")] = 1,
    abstain: Annotated[
        float, typer.Option(min=0, max=1, help="Leave the label empty if its probability is lower than this.")
    ] = 0.0,
    format_: Annotated[
        Literal["csv", "json", "parquet"] | None,
        typer.Option("--format", help="Output format; by default that of --out's extension, or csv."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write; by default the labels are printed.")
    ] = None,
    features: Features = None,
    label: LabelLeftOut = None,
    weights: EncoderWeights = None,
    batch: PictureBatch = 8,
    device: PredictionDevice = "cpu",
    force: Annotated[bool, typer.Option("--force", help="Replace the output file if it exists.")] = False,
) -> None:
    """Recognise pictures or rows of features among candidate classes, seen or unseen.

    Returns the best label and its probability for each row, and with --top the next best ones too.

    Pictures are encoded by the encoder of the features that the model was fitted on (`unseen extract`). A model that
    was fitted with --refine answers all rows together.

    Examples: `unseen predict birds.unseen new.npy --classes new.csv > labels.csv`,
    `unseen predict birds.unseen FOLDER_OF_PICTURES --classes new.csv --top 5`,
    `unseen predict birds.unseen new.h5 --classes new.csv --top 5 --abstain 0.8 --out labels.parquet`
    """
    from unseen.cli.progress import show_progress
    from unseen.utils.errors import InputError
    from unseen.utils.storage.writing import refuse_existing
    from unseen.workflows import predict as recognise

    with explain_errors():
        if out is not None:
            refuse_existing(out, force)
        elif format_ == "parquet":
            raise InputError("--format parquet cannot be printed: name a file with --out")
        described = read_classes(classes, label_column=label_column, delimiter=delimiter, sheet=sheet, fill=fill)
        with show_progress() as on_progress:
            found = recognise(
                model,
                data,
                described,
                top=top,
                abstain=abstain,
                features=features,
                label=label,
                weights=weights,
                device=device,
                batch=batch,
                on_progress=on_progress,
            )
        if out is None:
            typer.echo(found.to_json() if format_ == "json" else found.to_csv(), nl=False)
        else:
            found.write(out, format_, force=force)
    say_unreadable(found.unreadable)
    if found.together:
        say(f"The {len(found.names):,} rows were answered together as one batch: answers depend on the other rows.")
    if abstain:
        say(_describe_abstaining(found, abstain))


def _describe_abstaining(found: "Predicted", abstain: float) -> str:
    withheld = found.answers.withheld
    done = f"{1 - withheld.mean():.1%} of {len(withheld):,} rows answered"
    if found.expected is None:
        return f"{done}. The model is not calibrated, so its probabilities are not reliable: fit it with --calibrate."
    coverage, accuracy = found.expected.at(abstain)
    if coverage == 0:
        return f"{done}. On held-out seen classes no answer was as probable as {abstain:g}."
    more = found.n_candidates > found.expected.n_candidates
    return (
        f"{done}. On held-out seen classes, among {found.expected.n_candidates} candidates, {coverage:.1%} were, and "
        f"{accuracy:.1%} of these answers were right."
        + (f" Among the {found.n_candidates} here, expect fewer." if more else "")
    )
