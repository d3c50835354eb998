"""Write figures into a page as SVG whose colours are those of the page, light or dark."""

import html
import re
import xml.etree.ElementTree as ET

from unseen.report.figures.drawn import Drawn
from unseen.utils.figures import (
    BLUE,
    DARK_GREY,
    GREEN,
    GREY,
    LIGHT_GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
)
from unseen.utils.figures import render_figure as render_svg

# The variable of page.css that stands for each colour of a figure.
VARIABLES = {
    colour.casefold(): f"var({name})"
    for colour, name in {
        "#ffffff": "--paper",
        "#000000": "--ink",
        DARK_GREY: "--soft",
        GREY: "--soft",
        LIGHT_GREY: "--line",
        BLUE: "--blue",
        ORANGE: "--orange",
        GREEN: "--green",
        SKY: "--sky",
        VERMILLION: "--vermillion",
        PURPLE: "--purple",
    }.items()
}

_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
# Pixels for each point of the figure that drawn text needs to be readable; a narrower screen scrolls instead.
_SMALLEST = 1.0
_PIXELS_PER_POINT = 4 / 3


def inline_figure(drawn: Drawn) -> str:
    """Return a figure as an `svg` element for a page that has the variables of page.css.

    Its ids begin with the name of the figure, so that several figures may stand on one page.
    """
    # Transparent, so that the page shows through, with the shade that says where there is more.
    root = ET.fromstring(render_svg(drawn.figure, "svg", transparent=True))
    for parent in list(root.iter()):
        for child in list(parent):
            # Comments repeat all texts, and a style sheet inside would hold for the whole page.
            if _local(str(child.tag)) in ("metadata", "style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = _local(str(element.tag))
        element.attrib = {_local(key): _adapt(_local(key), text, drawn.name) for key, text in element.attrib.items()}
        element.text = element.tail = None
    width, height = (float(root.attrib.pop(side).removesuffix("pt")) for side in ("width", "height"))
    root.attrib = {
        "viewBox": f"0 0 {width:g} {height:g}",
        "style": f"max-width: {_PIXELS_PER_POINT * width:.0f}px; min-width: {_SMALLEST * width:.0f}px",
        "role": "img",
        "aria-label": drawn.description,
    }
    return ET.tostring(root, encoding="unicode")


def render_figure(drawn: Drawn, download: str) -> str:
    """Return a figure with its title, caption and a link to its data."""
    title = html.escape(drawn.title)
    return (
        f'<figure id="figure-{html.escape(drawn.name)}"><h3>{title}</h3>'
        f'<div class="wide" tabindex="0" role="region" aria-label="{title}">{inline_figure(drawn)}</div>'
        f"<figcaption>{html.escape(drawn.caption)} {download}</figcaption></figure>"
    )


def _local(name: str) -> str:
    """Return a name without its namespace, which HTML knows by itself."""
    return name.rpartition("}")[2]


def _adapt(key: str, text: str, name: str) -> str:
    if key == "id":
        return f"{name}-{text}"
    if key == "href" and text.startswith("#"):
        return f"#{name}-{text[1:]}"
    text = _REFERENCE.sub(rf"url(#{name}-\1)", text)
    return text if key == "href" else _COLOUR.sub(lambda found: VARIABLES.get(found[0], found[0]), text)
