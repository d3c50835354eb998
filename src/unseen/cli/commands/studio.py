"""`unseen studio`: a page to see what a model recognises, edit descriptions, and watch the answers follow."""

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.classes import read_classes
from unseen.cli.errors import explain_errors, say
from unseen.cli.options import (
    Candidates,
    Delimiter,
    EncoderDevice,
    EncoderWeights,
    Features,
    Fill,
    LabelColumn,
    ModelArgument,
    PictureBatch,
    Sheet,
    Split,
)


def studio(
    model: ModelArgument,
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="What to look at: a dataset, of which the test rows of unseen classes are shown; pictures (a folder "
            "or a file); or features in any file that `unseen predict` reads.",
        ),
    ],
    classes: Candidates = None,
    label_column: LabelColumn = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    fill: Fill = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder to write the page into, which then works without a server."),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    abstain: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="The answer is “none of these” below this probability; the page can change it."
        ),
    ] = 0.25,
    limit: Annotated[int, typer.Option(min=1, help="Most rows to show.")] = 5000,
    split: Split = None,
    features: Features = None,
    weights: EncoderWeights = None,
    batch: PictureBatch = 8,
    device: EncoderDevice = "cpu",
    force: Annotated[bool, typer.Option("--force", help="Replace the page in the folder if there is one.")] = False,
) -> None:
    """See what a model recognises, change the description of a class, and watch every answer follow.

    The page shows pictures (or rows) with their ranked classes and why the first of them leads. Move a slider of a
    class, or describe a new class, and all answers are computed anew in the browser.

    Examples: `unseen studio digits.unseen digit-pairs --out studio --open`,
    `unseen studio birds.unseen FOLDER_OF_PICTURES --classes new.csv --out studio`
    """
    from unseen.cli.progress import show_progress
    from unseen.studio import open_studio, write_studio
    from unseen.studio.writing import check_folder
    from unseen.utils.errors import InputError

    with explain_errors():
        if out is None:
            raise InputError("--out is missing: name a folder for the page")
        check_folder(out, force=force)
        described = read_classes(classes, label_column=label_column, delimiter=delimiter, sheet=sheet, fill=fill)
        with show_progress() as on_progress:
            made = open_studio(
                model,
                data,
                described,
                level=abstain,
                split=split,
                features=features,
                limit=limit,
                weights=weights,
                device=device,
                batch=batch,
                on_progress=on_progress,
            )
            page = write_studio(made, out, force=force)
    for note in made.shown.notes:
        say(f"Note: {note}.")
    say(f"{page}: written, {len(made.shown.names):,} rows among {len(made.candidates)} candidates")
    if made.reason:
        say(f"The page shows answers, but classes cannot be edited on it: {made.reason}.")
    if open_:
        typer.launch(page.absolute().as_uri())
