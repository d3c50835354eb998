"""Define the style of all figures: readable in print, in greyscale, and with colour blindness."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional
from unseen.utils.storage.writing import create_file, refuse_existing

# Okabe and Ito's palette, ordered so that neighbours also differ in lightness; its yellow is too pale for paper.
BLUE, ORANGE, GREEN, SKY, VERMILLION, PURPLE = "#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#CC79A7"
PALETTE = (BLUE, ORANGE, GREEN, SKY, VERMILLION, PURPLE, "#000000")
GREY = "#767676"
# Axes, and what stands back behind the data: grids, frames of maps, lines of equal value.
DARK_GREY, LIGHT_GREY = "#444444", "#cccccc"

# In a greyscale print colours cannot be told apart, so series differ in these as well.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 5)))
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---")


_SETTINGS = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.edgecolor": DARK_GREY,
    "axes.linewidth": 0.8,
    "grid.color": LIGHT_GREY,
    "grid.linewidth": 0.6,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "hatch.linewidth": 0.6,
    "hatch.color": "white",
    "savefig.dpi": 150,
    # The same data give the same file: without a fixed salt the names of SVG elements are random.
    "svg.hashsalt": "unseen",
    "svg.fonttype": "path",
}


@contextmanager
def use_style() -> Iterator[None]:
    """Apply the style of the package inside the block, whatever the user's own settings are."""
    matplotlib = import_optional("matplotlib", "figures", "drawing a figure")
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def make_figure(width: float, height: float) -> Any:
    """Make an empty figure of this size in inches, without opening a window; call it inside `use_style`."""
    module = import_optional("matplotlib.figure", "figures", "drawing a figure")
    return module.Figure(figsize=(width, height), layout="constrained")


def make_shades() -> Any:
    """Return a colour map for matrices: blue that grows from nothing, so that the ground shows through where 0 is."""
    colors = import_optional("matplotlib.colors", "figures", "drawing a figure")
    return colors.LinearSegmentedColormap.from_list("shades", [(BLUE, 0.0), (BLUE, 1.0)])


# With the date or the version of matplotlib in it, the file would differ each time.
_UNDATED: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def render_figure(figure: Any, kind: str, *, transparent: bool = False) -> bytes:
    """Return the content of a "svg", "png" or "pdf" file of a figure, without date and version."""
    content = io.BytesIO()
    with use_style():
        figure.savefig(content, format=kind, metadata=_UNDATED[kind], transparent=transparent)
    return content.getvalue()


def check_figure(out: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Raise an error, before the work begins, if a figure could not be written to this file."""
    path = Path(out)
    if path.suffix.casefold().removeprefix(".") not in _UNDATED:
        raise InputError(f"{path} has the ending {path.suffix!r}: choose {', '.join(f'.{kind}' for kind in _UNDATED)}")
    return refuse_existing(path, force)


def write_figure(figure: Any, out: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a figure to a .svg, .png or .pdf file."""
    path = check_figure(out, force=force)
    with create_file(path, force) as draft:
        draft.write_bytes(render_figure(figure, path.suffix.removeprefix(".").casefold()))


def pick_colour(at: int) -> str:
    """Return the colour of the series with this number."""
    return PALETTE[at % len(PALETTE)]


def pick_marker(at: int) -> str:
    """Return the marker of the series with this number; 7 colours and 8 markers tell 56 series apart."""
    return MARKERS[at % len(MARKERS)]
