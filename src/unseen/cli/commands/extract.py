"""`unseen extract`: from a folder of pictures to a folder of features."""

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.errors import explained, say


def extract(
    folder: Annotated[Path, typer.Argument(help="Pictures: one subfolder per class, or all in the folder itself.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write, which `unseen fit` reads.")],
    encoder: Annotated[
        str,
        typer.Option(
            "--encoder", "-e", help="vgg19, efficientnet-lite0, timm:NAME, open_clip:NAME/PRETRAINED, or an ONNX file."
        ),
    ] = "efficientnet-lite0",
    weights: Annotated[
        Path | None, typer.Option(help="The encoder's weights (.safetensors or .pth), if not those of your cache.")
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Squeeze the whole picture into the encoder's square; nothing is cut off.")
    ] = False,
    classes: Annotated[Path | None, typer.Option(help="The class table (CSV), if not in the folder.")] = None,
    batch: Annotated[
        int, typer.Option(min=1, help="How many pictures to encode at once; on a GPU more are faster.")
    ] = 8,
    device: Annotated[str, typer.Option(help="Where the encoder runs: cpu or cuda.")] = "cpu",
    force: Annotated[bool, typer.Option("--force", help="Replace what another encoder or folder gave.")] = False,
) -> None:
    """Turn pictures into features; goes on where an earlier run stopped, and encodes no picture twice.

    Writes features.npy, labels.txt, classes.csv and unseen.txt (where the folder has them) and manifest.json, with a
    hash of every picture and the fingerprint of the encoder. Pictures that cannot be read are listed in unreadable.txt.

    Examples: `unseen extract birds --out birds-features`,
    `unseen extract birds --encoder timm:resnet50.a1_in1k --device cuda --batch 128 --out birds-features`
    """
    from unseen.cli.pictures import counted, said_unreadable
    from unseen.encoders import EncoderRecord, find_pictures, image_encoder, labelled
    from unseen.encoders import extract as extract_pictures
    from unseen.utils.errors import shortened

    with explained():
        pictures = find_pictures(folder)
        described = labelled(folder, pictures, classes)
        made = image_encoder(encoder, weights=weights, device=device, whole=whole)
        with counted("encoding", len(pictures.paths)) as on_picture:
            done = extract_pictures(
                folder, pictures, described, out, made, EncoderRecord.of(made, weights, whole),
                batch=batch, force=force, on_picture=on_picture,
            )  # fmt: skip
    said_unreadable(done.unreadable, out / "unreadable.txt")
    if described.without_pictures:
        say(
            f"{len(described.without_pictures)} classes of the table have no pictures "
            f"({shortened(described.without_pictures)}): they can be recognised, not learned."
        )
    if pictures.empty:
        say(f"{len(pictures.empty)} class folders have no pictures: {shortened(pictures.empty)}.")
    say(f"{out}: {done.rows:,} pictures x {made.width} features by {made.name}; {done.encoded:,} encoded now.")
    if pictures.labels is not None and "classes.csv" not in described.files:
        say(f"There is no classes.csv: put a table of class descriptions into {folder} or {out} before `unseen fit`.")
