"""A figure together with what it says: title, description for those who cannot see it, and its data."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from unseen.utils.figures import render_figure, use_style
from unseen.utils.tables import Table
from unseen.utils.writing import create_file


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure and its data.

    Attributes
    ----------
    name : str
        What files of it are called, without ending.
    title : str
    caption : str
        How to read it.
    description : str
        What is to be seen, for those who cannot see it.
    figure : matplotlib.figure.Figure
    data : Table
        All numbers that are drawn.
    """

    name: str
    title: str
    caption: str
    description: str
    figure: Any
    data: Table

    def __post_init__(self) -> None:
        # Each drawing would move the axes a little further; laid out once, the same data give the same file.
        with use_style():
            self.figure.draw_without_rendering()
            self.figure.set_layout_engine("none")

    def to_bytes(self, kind: Literal["svg", "png"]) -> bytes:
        """Return the figure as the content of a file; the same data give the same bytes."""
        return render_figure(self.figure, kind)

    def save(self, folder: Path) -> list[Path]:
        """Write NAME.svg, NAME.png and NAME.csv into a folder; return the files."""
        contents = {"svg": self.to_bytes("svg"), "png": self.to_bytes("png"), "csv": self.data.to_csv().encode()}
        paths = [folder / f"{self.name}.{ending}" for ending in contents]
        for path, content in zip(paths, contents.values(), strict=True):
            with create_file(path, force=True) as draft:
                draft.write_bytes(content)
        return paths
