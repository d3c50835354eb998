"""Write and read FiftyOne's `labels.json` of an image classification dataset (FiftyOneImageClassificationDataset).

It is ``{"classes": [...], "labels": {picture: label}}``, where a picture is its path in the folder of pictures without
the extension, and a label is None, a name, a place in `classes`, or ``{"label": ..., "confidence": ...}``; several
answers are a list of these.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Any

from unseen.utils.errors import InputError, shorten

Answer = tuple[Any, float]


def is_fiftyone(content: Any) -> bool:
    """Tell whether the content of a JSON file is such a file."""
    return isinstance(content, dict) and isinstance(content.get("labels"), dict)


def read_labels(content: dict[str, Any], path: Path) -> Iterator[tuple[str, str | None]]:
    """Yield each picture with its label; None if it has none or several."""
    classes = content.get("classes") or []
    for picture, target in content["labels"].items():
        yield picture, _read_target(target, classes, path)


def read_class_names(content: dict[str, Any], path: Path) -> list[str]:
    """Return the names of the classes."""
    classes = content.get("classes")
    if not isinstance(classes, list) or not classes or not all(isinstance(name, str) for name in classes):
        raise InputError(f"{path} has no list of classes: give a labels.json of FiftyOne that has one")
    return list(dict.fromkeys(classes))


def _read_target(target: Any, classes: Sequence[Any], path: Path) -> str | None:
    if isinstance(target, list):
        return _read_target(target[0], classes, path) if len(target) == 1 else None
    if isinstance(target, dict):
        return _read_target(target.get("label"), classes, path)
    if isinstance(target, int) and not isinstance(target, bool):
        if not 0 <= target < len(classes):
            raise InputError(f"{path} has the label {target}, but {len(classes)} classes: export it again")
        return str(classes[target])
    if target is None or isinstance(target, str):
        return target or None
    raise InputError(f"{path} has the label {shorten([target])}, which is not a name: export classifications")


class FiftyOneWriter:
    """Write answers as they come.

    Parameters
    ----------
    file : text file
    labels : sequence
        The candidates.
    """

    def __init__(self, file: IO[str], labels: Sequence[Any]) -> None:
        self._file = file
        self._written: set[str] = set()
        # As text: FiftyOne takes a number for a place in the list.
        file.write(f'{{"classes": {json.dumps([str(label) for label in labels])}, "labels": {{')

    def write_answers(self, picture: str, found: Sequence[Answer]) -> None:
        """Write the answers to a picture, the best first; none if they are withheld."""
        name = _name_picture(picture)
        if name in self._written:
            raise InputError(
                f"{picture} differs from another picture only in its extension, which FiftyOne does not tell apart: "
                "rename it"
            )
        targets = [{"label": str(label), "confidence": probability} for label, probability in found]
        target = targets if len(targets) > 1 else targets[0] if targets else None
        self._file.write(f"{', ' * bool(self._written)}{json.dumps(name)}: {json.dumps(target)}")
        self._written.add(name)

    def finish(self) -> None:
        """Close what was opened."""
        self._file.write("}}\n")


def _name_picture(picture: str) -> str:
    path = PurePosixPath(picture)
    # An absolute path is kept whole: FiftyOne reads the picture from there.
    return picture if path.is_absolute() else str(path.with_suffix(""))
