"""Read the labels that people gave to pictures in another program, and find the pictures that they are of."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import parse_qs, unquote, urlsplit

from unseen.data.exchange.fiftyone import is_fiftyone, read_class_names, read_labels
from unseen.data.exchange.json_file import read_json
from unseen.data.exchange.label_studio import is_label_studio, read_annotations
from unseen.data.exchange.labelling_config import read_labelling_config
from unseen.utils.errors import InputError, shorten

# What Label Studio puts before the name of an uploaded file.
_UPLOADED = re.compile(r"^[0-9a-f]{8}-")


@dataclass(frozen=True)
class Labelling:
    """Labels of pictures, as another program exported them.

    Attributes
    ----------
    labels : dict of str to str
        The label of each picture, by its address in the other program.
    skipped : dict of str to str
        Pictures without a label of their own, and the reasons.
    """

    labels: dict[str, str]
    skipped: dict[str, str] = field(default_factory=dict)

    def match(self, pictures: Sequence[str]) -> dict[str, str]:
        """Return the label of each of these pictures that has one.

        A picture is found by the end of its address, as many folders as are needed to tell it from the others.

        Parameters
        ----------
        pictures : sequence of str
            Paths of pictures in a folder, with "/" between folders.
        """
        known, ends = set(pictures), _index_ends(pictures)
        found: dict[str, str] = {}
        for address, label in self.labels.items():
            picture = address if address in known else _find_picture(address, ends)
            if picture is None:
                continue
            if found.get(picture, label) != label:
                raise InputError(
                    f"{picture} is labelled {found[picture]!r} and {label!r} under different addresses: correct one"
                )
            found[picture] = label
        return found


def read_labelling(path: Path) -> Labelling:
    """Read labels that were exported by Label Studio (JSON or JSON-MIN) or FiftyOne (labels.json).

    Parameters
    ----------
    path : Path
        The exported file. Pictures for which different choices were made are left out, with the reason.
    """
    content = read_json(path)
    if is_fiftyone(content):
        given = [(picture, [] if label is None else [label]) for picture, label in read_labels(content, path)]
    elif is_label_studio(content):
        given = list(read_annotations(content, path))
    else:
        raise InputError(
            f"{path} is neither an export of Label Studio (a list of tasks) nor labels.json of FiftyOne: "
            "export one of them"
        )
    choices: dict[str, list[str]] = {}
    for address, made in given:
        choices.setdefault(address, []).extend(made)
    labels = {address: made[0] for address, made in choices.items() if len(set(made)) == 1}
    skipped = {address: _explain(made) for address, made in choices.items() if len(set(made)) != 1}
    if not labels:
        raise InputError(f"{path} has no labels ({len(skipped)} pictures without one): annotate some, and export again")
    return Labelling(labels, skipped)


def read_choices(path: Path) -> list[str]:
    """Return the names of classes in a labelling configuration of Label Studio (.xml) or in FiftyOne's labels.json."""
    if path.suffix.casefold() == ".xml":
        return list(read_labelling_config(path).choices)
    content = read_json(path)
    if not isinstance(content, dict):
        raise InputError(f"{path} has no list of classes: give a labels.json of FiftyOne, or a class table")
    return read_class_names(content, path)


def _explain(made: Sequence[str]) -> str:
    return f"labelled {shorten(sorted(set(made)))}" if made else "no label"


def _index_ends(pictures: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    """Map each end of each path, with and without the extension, to the pictures that have it."""
    ends: dict[tuple[str, ...], list[str]] = {}
    for picture in pictures:
        for parts in (PurePosixPath(picture).parts, PurePosixPath(_drop_ending(picture)).parts):
            for at in range(len(parts)):
                ends.setdefault(parts[at:], []).append(picture)
    return ends


def _drop_ending(picture: str) -> str:
    return str(PurePosixPath(picture).with_suffix(""))


def _find_picture(address: str, ends: dict[tuple[str, ...], list[str]]) -> str | None:
    named = {picture for picture in ends.get(PurePosixPath(address).parts, []) if _drop_ending(picture) == address}
    if len(named) == 1:
        return named.pop()
    for parts in _list_paths(address):
        for at in range(len(parts)):
            found = ends.get(parts[at:], [])
            if len(set(found)) > 1:
                raise InputError(
                    f"{address} may be any of {shorten(found)}: export addresses with the folders of the pictures"
                )
            if found:
                return found[0]
    return None


def _list_paths(address: str) -> Iterator[tuple[str, ...]]:
    """Yield the parts of the path in an address, and of the path before Label Studio renamed an upload."""
    try:
        split = urlsplit(address)
    except ValueError:  # it looks like an address, but is none
        return
    local = parse_qs(split.query).get("d", [])  # of local storage: /data/local-files/?d=birds/a.jpg
    parts = PurePosixPath(local[0] if local else unquote(split.path)).parts
    yield parts
    if parts and _UPLOADED.match(parts[-1]):
        yield (*parts[:-1], _UPLOADED.sub("", parts[-1]))
