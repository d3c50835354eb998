"""Options that several commands have, so that they read the same everywhere."""

from pathlib import Path
from typing import Annotated

import typer

ModelArgument = Annotated[Path, typer.Argument(help="A model file, as `unseen fit` writes it.")]
ModelOrName = Annotated[str, typer.Argument(help="A model file, or the name of a model to fit: jfa, eszsl, ...")]
Data = Annotated[str, typer.Argument(help="A dataset: a name, or a file or folder (see `unseen datasets list`).")]
RowsArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="What to recognise: pictures (a folder or a file), or features in any file or folder that `unseen fit` "
        "reads, with labels or without; also .npy.",
    ),
]
Split = Annotated[str | None, typer.Option(help="Which classes are unseen (as for load_dataset).")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the model; repeatable.")
]
UnitNorm = Annotated[bool, typer.Option("--unit-norm", help="Bring each row of features to length 1 first.")]
Components = Annotated[int | None, typer.Option(min=1, help="Reduce features to this many principal components.")]
Whiten = Annotated[
    bool, typer.Option("--whiten", help="Even out the directions of features, then bring rows to length 1.")
]
Refine = Annotated[
    str | None,
    typer.Option(help="Answer all rows of a file together, refined by this method: spzsr, pst, uda, sms or tmvhlp."),
]
ClassesOfData = Annotated[
    Path | None, typer.Option(help="The class table (CSV) of a table of features, or instead of a folder's own.")
]
Candidates = Annotated[
    Path | None,
    typer.Option(
        help="The candidates: a CSV file of class descriptions, or a .txt list of classes that the model knows. "
        "Without it, the classes seen in training."
    ),
]
Label = Annotated[str | None, typer.Option(help="The column of labels of a table of features.")]
LabelLeftOut = Annotated[
    str | None, typer.Option("--label", help="A column of labels of a table of features, which is left out.")
]
Features = Annotated[str | None, typer.Option(help="Which features: a file of a folder, an array of a file.")]
EncoderWeights = Annotated[
    Path | None, typer.Option(help="For pictures: the encoder's weights, if they are not where they were.")
]
PictureBatch = Annotated[int, typer.Option(min=1, help="For pictures: how many to encode at once.")]
EncoderDevice = Annotated[str, typer.Option(help="For pictures: where the encoder runs, cpu or cuda.")]
Jobs = Annotated[int, typer.Option(min=1, help="Processes for selecting parameters.")]
Seed = Annotated[int, typer.Option(min=0, help="Random seed.")]
