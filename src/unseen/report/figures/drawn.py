"""Hold a figure with its title, caption, text alternative and data."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from unseen.utils.figures import render_figure, use_style
from unseen.utils.storage.writing import create_file
from unseen.utils.tables import Table


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure and its data.

    Attributes
    ----------
    name : str
        Name of its files, without the extension.
    title : str
    caption : str
        Explanation of how to read the figure.
    description : str
        Text alternative for readers who cannot see the figure.
    figure : matplotlib.figure.Figure
    data : Table
        All numbers in the figure.
    """

    name: str
    title: str
    caption: str
    description: str
    figure: Any
    data: Table

    def __post_init__(self) -> None:
        # The layout would move the axes a little with each drawing; computed once, the same data give the same file.
        with use_style():
            self.figure.draw_without_rendering()
            self.figure.set_layout_engine("none")

    def to_bytes(self, kind: Literal["svg", "png"]) -> bytes:
        """Return the figure as the content of a file; the same data give the same bytes."""
        return render_figure(self.figure, kind)

    def _repr_svg_(self) -> str:
        return self.to_bytes("svg").decode()

    def save(self, folder: Path) -> list[Path]:
        """Write NAME.svg, NAME.png and NAME.csv into a folder; return the files."""
        contents = {"svg": self.to_bytes("svg"), "png": self.to_bytes("png"), "csv": self.data.to_csv().encode()}
        paths = [folder / f"{self.name}.{ending}" for ending in contents]
        for path, content in zip(paths, contents.values(), strict=True):
            with create_file(path, force=True) as draft:
                draft.write_bytes(content)
        return paths
