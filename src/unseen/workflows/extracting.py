"""Extract features from a folder of pictures."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unseen.data.exchange import Labelling, read_labelling
from unseen.encoders import EncoderRecord, Extracted, Labelled, Pictures, find_pictures, image_encoder, label_pictures
from unseen.encoders import extract as extract_pictures
from unseen.encoders.pictures import keep_labelled
from unseen.utils.progress import Counter, OnProgress, ignore


@dataclass(frozen=True, eq=False)
class Extraction:
    """The result of `extract`.

    Attributes
    ----------
    done : Extracted
        Number of rows, number of pictures encoded now, and the unreadable pictures.
    pictures : Pictures
        The pictures in the folder.
    described : Labelled
        Labels and descriptions of the classes.
    encoder : str
        Name of the encoder.
    width : int
        Number of features of a picture.
    unlabelled : dict of str to str
        Pictures that were left out for want of a label, and the reasons.
    """

    done: Extracted
    pictures: Pictures
    described: Labelled
    encoder: str
    width: int
    unlabelled: Mapping[str, str] = field(default_factory=dict)

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
    classes: Any = None,
    labels: Path | None = None,
    batch: int = 8,
    device: str = "cpu",
    force: bool = False,
    on_progress: OnProgress = ignore,
) -> Extraction:
    """Encode the pictures of a folder as features, continuing where an earlier run stopped.

    Parameters
    ----------
    folder : path-like
        Folder of pictures, with one subfolder per class or all in the folder itself.
    out : path-like
        Folder to write, which `fit` and `predict` read.
    encoder, weights, whole, device
        As for `unseen.encoders.image_encoder`.
    classes : ClassTable or path-like, optional
        The class table, or its file (CSV, Excel or Parquet), if it is not in the folder.
    labels : Path, optional
        Labels of the pictures, instead of their folders: an export of Label Studio (JSON or JSON-MIN), or labels.json
        of FiftyOne. Pictures without a label are left out.
    batch : int, default 8
        Number of pictures to encode at once.
    force : bool, default False
        Whether to replace features of another encoder or folder.
    on_progress : callable, optional
    """
    source = Path(folder)
    pictures = find_pictures(source)
    unlabelled: dict[str, str] = {}
    if labels is not None:
        pictures, unlabelled = _take_labels(pictures, labels)
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
    return Extraction(done, pictures, described, made.name, made.width, unlabelled)


def _take_labels(pictures: Pictures, path: Path) -> tuple[Pictures, dict[str, str]]:
    labelling = read_labelling(path)
    kept = keep_labelled(pictures, labelling.match(pictures.paths))
    without = dict.fromkeys(sorted(set(pictures.paths) - set(kept.paths)), "no label")
    doubtful = Labelling(labelling.skipped).match(list(without))
    return kept, without | doubtful
