"""Options that several commands have, so that they read the same everywhere."""

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[str, typer.Argument(help="A dataset: a name, or a file or folder (see `unseen datasets list`).")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the model; repeatable.")
]
UnitNorm = Annotated[bool, typer.Option("--unit-norm", help="Bring each row of features to length 1 first.")]
Components = Annotated[int | None, typer.Option(min=1, help="Reduce features to this many principal components.")]
Whiten = Annotated[
    bool, typer.Option("--whiten", help="Even out the directions of features, then bring rows to length 1.")
]
ClassesOfData = Annotated[
    Path | None, typer.Option(help="The class table (CSV) of a table of features, or instead of a folder's own.")
]
Label = Annotated[str | None, typer.Option(help="The column of labels of a table of features.")]
Features = Annotated[str | None, typer.Option(help="Which features: a file of a folder, an array of a file.")]
