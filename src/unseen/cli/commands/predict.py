"""`unseen predict`: predict labels with probabilities."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from unseen.cli.classes import read_classes
from unseen.cli.errors import explain_errors, explain_interruptions, say
from unseen.cli.exchange import AddressPrefix, LabellingFile, find_format
from unseen.cli.notes import say_unreadable
from unseen.cli.options import (
    Candidates,
    Delimiter,
    EncoderWeights,
    Features,
    Fill,
    GroupsFile,
    LabelColumn,
    LabelLeftOut,
    ModelArgument,
    PictureBatch,
    PredictionDevice,
    RowsArgument,
    Sheet,
)

if TYPE_CHECKING:
    from unseen.workflows import PredictedToFile


def predict(
    model: ModelArgument,
    data: RowsArgument,
    classes: Candidates = None,
    label_column: LabelColumn = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    fill: Fill = None,
    groups: GroupsFile = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Group of --groups whose classes are the candidates; repeatable.")
    ] = None,
    sum_groups: Annotated[
        bool, typer.Option("--sum-groups", help="Answer with groups: sum the probabilities of their classes.")
    ] = False,
    own_candidates: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of DATA that names the candidates of each row, as in zebra;lion."),
    ] = None,
    independent: Annotated[
        bool,
        typer.Option(
            "--independent",
            help="Judge each label by itself, yes or no: labels do not compete with each other.",
        ),
    ] = False,
    prior: Annotated[
        float | None,
        typer.Option(help="With --independent: share of rows that a label is expected to apply to, 0.5 by default."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Number of candidates to return for each row.")] = 1,
    abstain: Annotated[
        float, typer.Option(min=0, max=1, help="Leave the label empty if its probability is lower than this.")
    ] = 0.0,
    format_: Annotated[
        Literal["csv", "json", "parquet", "fiftyone", "label-studio"] | None,
        typer.Option("--format", help="Output format; by default that of --out's extension, or csv."),
    ] = None,
    labelling: LabellingFile = None,
    prefix: AddressPrefix = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write; by default the labels are printed.")
    ] = None,
    features: Features = None,
    label: LabelLeftOut = None,
    weights: EncoderWeights = None,
    batch: PictureBatch = 8,
    device: PredictionDevice = "cpu",
    keep: Annotated[
        Path | None,
        typer.Option(help="For a folder of pictures: folder to keep their features in, so that none is encoded twice."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the output file if it exists.")] = False,
) -> None:
    """Recognise pictures or rows of features among candidate classes, seen or unseen.

    Returns the best label and its probability for each row, and with --top the next best ones too.

    Pictures are encoded by the encoder of the features that the model was fitted on (`unseen extract`). A model that
    was fitted with --refine answers all rows together.

    Examples: `unseen predict birds.unseen new.npy --classes new.csv > labels.csv`,
    `unseen predict birds.unseen FOLDER_OF_PICTURES --classes new.csv --top 5`,
    `unseen predict birds.unseen FOLDER_OF_PICTURES --classes labelling.xml --format label-studio --out tasks.json`,
    `unseen predict birds.unseen new.npy --groups families.csv --only gulls`,
    `unseen predict birds.unseen new.h5 --classes new.csv --top 5 --abstain 0.8 --out labels.parquet`
    """
    from unseen.cli.progress import show_progress
    from unseen.utils.errors import InputError
    from unseen.utils.storage.writing import refuse_existing
    from unseen.workflows import predict_to_file

    with explain_interruptions("No file was written; to begin anew"), explain_errors():
        if out is not None:
            refuse_existing(out, force)
        elif format_ == "parquet":
            raise InputError("--format parquet cannot be printed: name a file with --out")
        described = read_classes(classes, label_column=label_column, delimiter=delimiter, sheet=sheet, fill=fill)
        with show_progress() as on_progress:
            done = predict_to_file(
                model,
                data,
                out or sys.stdout,
                described,
                top=top,
                abstain=abstain,
                groups=groups,
                only=only or None,
                sum_groups=sum_groups,
                own_candidates=own_candidates,
                independent=independent,
                prior=prior,
                wanted=find_format(format_, labelling, prefix, classes),
                force=force,
                features=features,
                label=label,
                weights=weights,
                device=device,
                batch=batch,
                keep=keep,
                on_progress=on_progress,
            )
    say_unreadable(done.unreadable)
    if done.together:
        say(f"The {done.n_rows:,} rows were answered together as one batch: answers depend on the other rows.")
    if abstain:
        say(_describe_abstaining(done, abstain))


def _describe_abstaining(found: "PredictedToFile", abstain: float) -> str:
    done = f"{1 - found.n_withheld / found.n_rows:.1%} of {found.n_rows:,} rows answered"
    if found.expected is None and found.calibrated:
        return f"{done}. How many of them are right was measured for plain answers only, not for these."
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
