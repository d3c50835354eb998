"""Turn LaTeX between dollar signs into MathML when the pages are built: browsers typeset it, and nothing is fetched."""

import html
import re
from importlib.resources import files as resources
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

# A font with brackets and roots of every size, which not every system has; style.css names it.
FONT = resources("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf"

# What the extension pymdownx.arithmatex makes of $...$ and of $$...$$.
MARKED = re.compile(r'<(span|div) class="arithmatex">(?:\\\((.*?)\\\)|\\\[(.*?)\\\])</\1>', re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Put the font beside the pages."""
    files.append(File.generated(config, "assets/stix-two-math.ttf", content=FONT.read_bytes()))
    return files


def on_page_content(content: str, **_: Any) -> str:
    """Replace every formula of a page."""
    return MARKED.sub(lambda found: typeset(found[2] or found[3], block=found[1] == "div"), content)


def typeset(latex: str, *, block: bool) -> str:
    """Return one formula as MathML.

    >>> typeset("a < b", block=False).count("<mo>")
    1
    """
    # The converter knows the one spelling, GitHub the other.
    text = html.unescape(latex).strip().replace("{aligned}", "{align*}")
    return mended(convert(text, display="block" if block else "inline"))


def mended(mathml: str) -> str:
    """Mark as operators what the converter takes for letters, so that browsers put space around it."""
    return re.sub(r"<mi>(&#x000B1;|;)</mi>", r"<mo>\1</mo>", mathml)
