"""Read the labelling configuration of a Label Studio project: the choices, and the names that answers refer to."""

import xml.etree.ElementTree as ET
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unseen.data.tables.names import simplify_name
from unseen.utils.errors import InputError, shorten

# Room for tens of thousands of choices.
LARGEST = 2**22


@dataclass(frozen=True)
class LabellingConfig:
    """The part of a labelling configuration that answers need; the defaults are Label Studio's own template.

    Attributes
    ----------
    control : str
        Name of the `Choices` tag, the "from_name" of an answer.
    target : str
        Name of the tag that shows the picture, the "to_name" of an answer.
    key : str
        Key of the picture in the data of a task.
    choices : tuple of str
        The choices as they stand in results: their alias if they have one; empty if any label may be one.
    """

    control: str = "choice"
    target: str = "image"
    key: str = "image"
    choices: tuple[str, ...] = field(default=())

    def find_choices(self, labels: Sequence[Hashable]) -> dict[Any, str]:
        """Return the choice for each class label, in any spelling; a class without a choice is refused."""
        if not self.choices:
            return {label: str(label) for label in labels}
        spellings: dict[str, list[str]] = {}
        for choice in self.choices:
            spellings.setdefault(simplify_name(choice), []).append(choice)
        exact = set(self.choices)
        found = {
            label: [str(label)] if str(label) in exact else spellings.get(simplify_name(label), []) for label in labels
        }
        missing = [label for label, choices in found.items() if len(choices) != 1]
        if missing:
            raise InputError(
                f"the labelling configuration has no choice for the candidates {shorten(missing)}: add them to it, or "
                "give it as --classes, so that its choices are the candidates"
            )
        return {label: choices[0] for label, choices in found.items()}


def read_labelling_config(path: Path) -> LabellingConfig:
    """Read a labelling configuration (XML) with one `Choices` tag.

    Parameters
    ----------
    path : Path
        The file, as copied from the settings of a project ("Labeling Interface", "Code").
    """
    root = _parse(path)
    tags = [tag for tag in root.iter("Choices") if tag.get("name") and tag.get("toName")]
    if len(tags) != 1:
        raise InputError(
            f"{path} has {len(tags)} Choices tags with name and toName: one is needed, whose choices are the classes"
        )
    [tag] = tags
    target = str(tag.get("toName"))
    shown = next((found for found in root.iter() if found.get("name") == target), None)
    value = "" if shown is None else str(shown.get("value", ""))
    if not value.startswith("$") or len(value) < 2:
        raise InputError(f"{path} has no tag named {target!r} with a value such as $image: add the tag of the picture")
    choices = [choice.get("alias") or choice.get("value") for choice in tag.iter("Choice")]
    named = tuple(dict.fromkeys(choice for choice in choices if choice))
    if not named:
        raise InputError(f"{path} has a Choices tag without choices: add a Choice for each class")
    return LabellingConfig(str(tag.get("name")), target, value[1:], named)


def _parse(path: Path) -> ET.Element:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): give a labelling configuration") from error
    if len(content) > LARGEST:
        raise InputError(
            f"{path} has {len(content):,} bytes, more than {LARGEST:,}: it is not a labelling configuration"
        )
    try:
        text = content.decode("utf-8-sig")
        # Entities could make a small file huge; a configuration has none.
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise InputError(f"{path} defines entities, which are not read: remove its DOCTYPE")
        return ET.fromstring(text)
    except (ET.ParseError, UnicodeDecodeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not XML ({error}): copy the labelling configuration again") from error
