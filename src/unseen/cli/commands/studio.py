"""`unseen studio`: a page to see what a model recognises, edit descriptions, and watch the answers follow."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    GroupsFile,
    Host,
    LabelColumn,
    ModelArgument,
    PictureBatch,
    Port,
    Sheet,
    Split,
    Token,
)
from unseen.cli.serving import prepare_access

if TYPE_CHECKING:
    from unseen.server import Access
    from unseen.studio import Studio


def studio(
    model: ModelArgument,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]",
            help="What to look at: a dataset, of which the test rows of unseen classes are shown; pictures (a folder "
            "or a file); or features in any file that `unseen predict` reads. Without it, pictures and features are "
            "dropped onto the page.",
            show_default=False,
        ),
    ] = None,
    classes: Candidates = None,
    label_column: LabelColumn = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    fill: Fill = None,
    groups: GroupsFile = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Folder to write the page into. It then works without a server, which encodes pictures that are "
            "dropped, refines the model and writes model files.",
        ),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    token: Token = None,
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

    Without --out the page comes from a server on this machine, until Ctrl+C stops it.

    Examples: `unseen studio digits.unseen digit-pairs --open`,
    `unseen studio digits.unseen digit-pairs --out studio --open`,
    `unseen studio birds.unseen FOLDER_OF_PICTURES --classes new.csv --out studio`
    """
    from unseen.cli.progress import show_progress
    from unseen.studio import open_studio, write_studio
    from unseen.studio.writing import check_folder

    with explain_errors():
        access = None
        if out is None:
            access = prepare_access(host, token, "a studio without --out")
        else:
            check_folder(out, force=force)
        described = read_classes(classes, label_column=label_column, delimiter=delimiter, sheet=sheet, fill=fill)
        with show_progress() as on_progress:
            made = open_studio(
                model,
                data,
                described,
                level=abstain,
                groups=groups,
                split=split,
                features=features,
                limit=limit,
                weights=weights,
                device=device,
                batch=batch,
                on_progress=on_progress,
            )
            page = None if out is None else write_studio(made, out, force=force)
        for note in made.shown.notes:
            say(f"Note: {note}.")
        if made.reason:
            say(f"The page shows answers, but classes cannot be edited on it: {made.reason}.")
        shown = f"{len(made.shown.names):,} rows among {len(made.candidates)} candidates"
        if access is not None:
            _serve(made, shown, access, host, port, weights, device, open_)
            return
    if page is not None:
        say(f"{page}: written, {shown}")
        if open_:
            typer.launch(page.absolute().as_uri())


def _serve(
    made: "Studio",
    shown: str,
    access: "Access",
    host: str,
    port: int,
    weights: Path | None,
    device: str,
    open_: bool,
) -> None:
    from unseen.server import Limits, Server, Service, open_socket
    from unseen.server.running import write_address
    from unseen.studio.routes import make_app

    # Fitting a model again may take minutes, and whoever marks pictures waits for it. A page that leaves scores to the
    # server asks for those of all rows and classes at once.
    limits = Limits(seconds=600.0, answers=5_000_000)
    service = Service(made.file, made.table.select(made.candidates), weights=weights, device=device, limits=limits)
    app = make_app(made, service, access)
    listening = open_socket(host, port)
    address = write_address(listening)

    def announce() -> None:
        behind = "/?token=… with the token" if access.token else ""
        say(f"The studio, {shown}, is at {address}{behind}. Ctrl+C stops it.")
        if open_:
            typer.launch(address + (f"/?token={access.token}" if access.token else ""))

    Server(app, listening, limits, announce).run()
