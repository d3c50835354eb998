"""`unseen extract`: extract features from a folder of pictures."""

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.classes import read_classes
from unseen.cli.errors import explain_errors, explain_interruptions, say
from unseen.cli.notes import say_unreadable
from unseen.cli.options import Delimiter, Fill, LabelColumn, Sheet


def extract(
    folder: Annotated[
        Path, typer.Argument(help="Folder of pictures: one subfolder per class, or all in the folder itself.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write, which `unseen fit` reads.")],
    encoder: Annotated[
        str,
        typer.Option(
            "--encoder", "-e", help="vgg19, efficientnet-lite0, timm:NAME, open_clip:NAME/PRETRAINED or an ONNX file."
        ),
    ] = "efficientnet-lite0",
    weights: Annotated[
        Path | None, typer.Option(help="The encoder's weights (.safetensors or .pth), if not in your cache.")
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Squeeze the whole picture into the encoder's square instead of cropping.")
    ] = False,
    classes: Annotated[
        Path | None, typer.Option(help="Class table (CSV, Excel or Parquet), if it is not in the folder.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Labels of the pictures, instead of their folders: an export of Label Studio (JSON, JSON-MIN) or "
            "labels.json of FiftyOne."
        ),
    ] = None,
    label_column: LabelColumn = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    fill: Fill = None,
    batch: Annotated[
        int, typer.Option(min=1, help="Number of pictures to encode at once; on a GPU more are faster.")
    ] = 8,
    device: Annotated[str, typer.Option(help="Device of the encoder: cpu or cuda.")] = "cpu",
    force: Annotated[bool, typer.Option("--force", help="Replace features of another encoder or folder.")] = False,
) -> None:
    """Extract features from pictures (resumable).

    Writes features.npy, labels.txt, classes.csv (the class table as it was understood) and unseen.txt (if the folder
    has them) and manifest.json, with a hash of every picture and the fingerprint of the encoder. Pictures that cannot
    be read are listed in unreadable.txt. After an interruption, run the command again: no picture is encoded twice.

    Examples: `unseen extract birds --out birds-features`,
    `unseen extract photos --labels export.json --classes birds.csv --out birds-features`,
    `unseen extract birds --encoder timm:resnet50.a1_in1k --device cuda --batch 128 --out birds-features`
    """
    from unseen.cli.progress import show_progress
    from unseen.utils.errors import shorten
    from unseen.workflows import extract as extract_features

    with explain_errors():
        described = read_classes(classes, label_column=label_column, delimiter=delimiter, sheet=sheet, fill=fill)
    kept = f"Encoded pictures are kept in {out}; continue with"
    with explain_interruptions(kept), explain_errors(), show_progress() as on_progress:
        found = extract_features(
            folder,
            out,
            encoder=encoder,
            weights=weights,
            whole=whole,
            classes=described,
            labels=labels,
            batch=batch,
            device=device,
            force=force,
            on_progress=on_progress,
        )
    say_unreadable(found.done.unreadable, out / "unreadable.txt")
    if found.unlabelled:
        named = [f"{path} ({reason})" for path, reason in found.unlabelled.items()]
        say(f"{len(named)} pictures have no label of their own and are left out: {shorten(named, 3)}.")
    without, empty = found.described.without_pictures, found.pictures.empty
    if without:
        say(
            f"{len(without)} classes of the table have no pictures ({shorten(without)}): they can be recognised, not "
            "learned."
        )
    if empty:
        say(f"{len(empty)} class folders have no pictures: {shorten(empty)}.")
    counts = f"{found.done.rows:,} pictures x {found.width} features by {found.encoder}"
    say(f"{out}: {counts}; {found.done.encoded:,} encoded now.")
    if found.lacks_descriptions:
        say(f"There is no classes.csv: put a table of class descriptions into {folder} or {out} before `unseen fit`.")
