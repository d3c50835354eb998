"""Define the options that several commands share, so that they read the same everywhere."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

# The largest seed that NumPy's legacy stream takes.
MOST_SEED = 2**32 - 1

ModelArgument = Annotated[Path, typer.Argument(help="A model file, as written by `unseen fit`.")]
ModelOrName = Annotated[str, typer.Argument(help="A model file, or the name of a model to fit: jfa, eszsl, ...")]
Data = Annotated[str, typer.Argument(help="A dataset: its name, file or folder (see `unseen datasets list`).")]
RowsArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="What to recognise: pictures (a folder or a file), or features in any file or folder that `unseen fit` "
        "reads, with or without labels; also .npy.",
    ),
]
Split = Annotated[str | None, typer.Option(help="Split that says which classes are unseen (as for load_dataset).")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the model; repeatable.")
]
UnitNorm = Annotated[bool, typer.Option("--unit-norm", help="Scale each row of features to length 1 first.")]
Components = Annotated[int | None, typer.Option(min=1, help="Reduce features to this many principal components.")]
Whiten = Annotated[bool, typer.Option("--whiten", help="Whiten features, then scale each row to length 1.")]
Refine = Annotated[
    str | None,
    typer.Option(help="Answer all rows of a file together, by a transductive method: spzsr, pst, uda, sms or tmvhlp."),
]
ClassesOfData = Annotated[
    Path | None,
    typer.Option(help="Class table (CSV, Excel or Parquet) for a table of features, or to replace that of a folder."),
]
Candidates = Annotated[
    Path | None,
    typer.Option(
        help="Candidate classes: a CSV, Excel or Parquet file of class descriptions, or a list of classes that the "
        "model knows: .txt, a labelling configuration of Label Studio (.xml) or labels.json of FiftyOne. By default "
        "the classes seen in training."
    ),
]
LabelColumn = Annotated[str | None, typer.Option(help="Column of labels in the class table, if it is not the first.")]
Delimiter = Annotated[
    str | None, typer.Option(help="Delimiter of the cells of the class table, if it could be mistaken.")
]
Sheet = Annotated[str | None, typer.Option(help="Sheet of the class table, in an Excel file that has several.")]
Fill = Annotated[
    Literal["mean", "zero"] | None,
    typer.Option(help="Value for empty cells of the class table, which are refused otherwise."),
]
Label = Annotated[str | None, typer.Option(help="Column of labels in a table of features.")]
LabelLeftOut = Annotated[
    str | None, typer.Option("--label", help="Column of labels in a table of features, which is ignored.")
]
Features = Annotated[str | None, typer.Option(help="Features to use: a file in a folder, or an array in a file.")]
GroupsFile = Annotated[
    Path | None, typer.Option(help="Groups of classes: a CSV, Excel or Parquet file with columns class and group.")
]
EncoderWeights = Annotated[Path | None, typer.Option(help="For pictures: the encoder's weights, if they have moved.")]
PictureBatch = Annotated[int, typer.Option(min=1, help="For pictures: number to encode at once.")]
EncoderDevice = Annotated[str, typer.Option(help="For pictures: device of the encoder, cpu or cuda.")]
PredictionDevice = Annotated[
    str, typer.Option(help="Device of the model, and for pictures of the encoder: cpu, or cuda, which needs PyTorch.")
]
Device = Annotated[
    str | None,
    typer.Option(
        help="Device of PyTorch to send the features to once and work on, such as cuda; by default NumPy works on the "
        "processor."
    ),
]
Host = Annotated[str, typer.Option(help="Address to listen at; one that others can reach needs a token.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 for any that is free.")]
Token = Annotated[
    str | None,
    typer.Option(
        help="Token that requests have to show. Others on this machine can read it here; the environment variable "
        "UNSEEN_TOKEN is for secrets."
    ),
]
Jobs = Annotated[int, typer.Option(min=1, help="Number of processes for selecting parameters.")]
Cluster = Annotated[int, typer.Option(min=0, help="Start this many local Dask workers, of one thread each.")]
Scheduler = Annotated[str, typer.Option(help="Address of a Dask scheduler: tcp://HOST:8786.")]


def _read_seed(value: str | int) -> int:
    """Read a random seed, as NumPy and scikit-learn take them; a default is a number already."""
    text = str(value)
    if not text.isdecimal() or int(text) > MOST_SEED:
        raise typer.BadParameter(f"{text!r} is not a whole number from 0 to {MOST_SEED}")
    return int(text)


def make_seed_option(help_: str) -> Any:
    """Make the option of a random seed."""
    return typer.Option(parser=_read_seed, metavar="INTEGER", help=help_)


Seed = Annotated[int, make_seed_option("Random seed.")]
