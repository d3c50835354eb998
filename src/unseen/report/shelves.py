"""Show the pictures that a model finds for each class, in shelves."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from unseen.report.pictures import Pictures
from unseen.report.retrieval import Found, Retrieved
from unseen.report.shell import escape
from unseen.utils.names import readable_names

# Shelves that are open from the beginning; the numbers come after them, and should not be far.
_OPEN = 8


def render_shelves(retrieved: Sequence[Retrieved], pictures: Pictures) -> str:
    """Return one shelf for each class, in the order of the classes, so that good and bad ones are mixed."""
    right = sum(entry.right for entry in retrieved)
    shown = sum(len(entry.found) for entry in retrieved)
    lead = (
        f"The test images of unseen classes with the highest score for each class, best first. {right} of {shown} are "
        "of the class; the others have a frame, a cross and their true class."
    )
    labels = list(dict.fromkeys([entry.label for entry in retrieved]))
    names = dict(zip(labels, readable_names(labels), strict=True))
    shelves = [_render_shelf(entry, names, pictures) for entry in retrieved]
    rest = shelves[_OPEN:]
    more = f"<details><summary>The other {len(rest)} classes</summary>{_stack(rest)}</details>" if rest else ""
    return f"<p>{escape(lead)}</p>{_stack(shelves[:_OPEN])}{more}"


def _stack(shelves: Sequence[str]) -> str:
    return f'<div class="shelves">{"".join(shelves)}</div>'


def _render_shelf(entry: Retrieved, names: Mapping[Any, str], pictures: Pictures) -> str:
    found = "".join(_render_picture(entry, image, names, pictures) for image in entry.found)
    counts = f"<small>{entry.right} of {len(entry.found)}</small>"
    return f'<div class="shelf"><h3>{escape(names[entry.label])} {counts}</h3><ul>{found}</ul></div>'


def _render_picture(entry: Retrieved, image: Found, names: Mapping[Any, str], pictures: Pictures) -> str:
    right = image.true == entry.label
    said = "✓" if right else f"✗ {names[image.true]}"
    alt = f"Row {image.row}, found for {names[entry.label]}, is {names[image.true]}"
    return (
        f'<li class="{"right" if right else "wrong"}"><img src="{pictures(image.row)}" '
        f'alt="{escape(alt)}"><span>{_make_breakable(said)}</span></li>'
    )


def _make_breakable(name: str) -> str:
    """Allow line breaks in a long name between its words rather than within one."""
    return re.sub(r"([_.+/-])", r"\1<wbr>", escape(name))
