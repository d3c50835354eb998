"""Turn a folder of pictures into a folder of features."""

import os
from dataclasses import dataclass
from pathlib import Path

from unseen.encoders import EncoderRecord, Extracted, Labelled, Pictures, find_pictures, image_encoder, label_pictures
from unseen.encoders import extract as extract_pictures
from unseen.utils.progress import Counter, OnProgress, ignore


@dataclass(frozen=True, eq=False)
class Extraction:
    """What `extract` found and did.

    Attributes
    ----------
    done : Extracted
        How many rows there are, how many were encoded now, which pictures could not be read.
    pictures : Pictures
        What the folder holds.
    described : Labelled
        What is known of its classes.
    encoder : str
        The encoder's name.
    width : int
        How many features a picture has.
    """

    done: Extracted
    pictures: Pictures
    described: Labelled
    encoder: str
    width: int

    @property
    def lacks_descriptions(self) -> bool:
        """Whether the pictures are in class folders, but no table describes the classes."""
        return self.pictures.labels is not None and "classes.csv" not in self.described.files


def extract(
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    encoder: str = "efficientnet-lite0",
    weights: Path | None = None,
    whole: bool = False,
    classes: Path | None = None,
    batch: int = 8,
    device: str = "cpu",
    force: bool = False,
    on_progress: OnProgress = ignore,
) -> Extraction:
    """Encode the pictures of a folder; goes on where an earlier run stopped, and encodes no picture twice.

    Parameters
    ----------
    folder : path-like
        Pictures: one subfolder per class, or all in the folder itself.
    out : path-like
        The folder to write, which `fit` and `predict` read.
    encoder, weights, whole, device
        As for `unseen.encoders.image_encoder`.
    classes : Path, optional
        The class table (CSV), if it is not in the folder.
    batch : int, default 8
        How many pictures to encode at once.
    force : bool, default False
        Whether to replace what another encoder or folder gave.
    on_progress : callable, optional
    """
    source = Path(folder)
    pictures = find_pictures(source)
    described = label_pictures(source, pictures, classes)
    made = image_encoder(encoder, weights=weights, device=device, whole=whole)
    done = extract_pictures(
        source,
        pictures,
        described,
        Path(out),
        made,
        EncoderRecord.of(made, weights, whole),
        batch=batch,
        force=force,
        on_picture=Counter("encoding", len(pictures.paths), on_progress),
    )
    return Extraction(done, pictures, described, made.name, made.width)
