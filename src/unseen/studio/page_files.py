"""Write a studio as one HTML page that needs neither other files nor a network."""

import base64
import hashlib
import html
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from unseen.studio.inlining import inline_modules

# In this order: later ones may override earlier ones.
STYLES = ("colours", "base", "controls", "bar", "stage", "why", "pictures", "editor", "dialogs", "narrow")
ENTRY = "start/main.js"


def fill_page(title: str, data: str, *, connects: bool = False) -> str:
    """Return the page.

    Parameters
    ----------
    title : str
    data : str
        The data of the page as JSON, in which no tag can begin.
    connects : bool
        Whether the page may ask the server that it came from.
    """
    folder = files("unseen.studio").joinpath("page")
    style = "\n" + "".join(folder.joinpath("style", f"{name}.css").read_text(encoding="utf-8") for name in STYLES)
    script = "\n" + inline_modules(read_modules(folder), ENTRY)
    parts = {
        "policy": _write_policy(style, script, connects),
        "title": html.escape(title),
        "style": style,
        "data": data,
        "script": script,
    }
    page = folder.joinpath("page.html").read_text(encoding="utf-8")
    # Piece by piece, so that data that hold such a mark are not filled in again.
    first, *rest = page.split("{{")
    return first + "".join(parts[name] + text for name, text in (piece.split("}}", 1) for piece in rest))


def read_modules(folder: Traversable, above: str = "") -> dict[str, str]:
    """Return the text of every module below a folder, by its path."""
    found: dict[str, str] = {}
    for entry in folder.iterdir():
        if entry.is_dir():
            found |= read_modules(entry, f"{above}{entry.name}/")
        elif entry.name.endswith(".js"):
            found[above + entry.name] = entry.read_text(encoding="utf-8")
    return found


def _write_policy(style: str, script: str, connects: bool) -> str:
    """Even if markup from a label or a file name got in, the browser would load and run nothing of it."""
    sources: dict[str, Any] = {
        "default-src": "'none'",
        "img-src": "data: blob:",
        "style-src": _digest(style),
        "script-src": _digest(script),
        "connect-src": "'self'" if connects else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {source}" for name, source in sources.items())


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
