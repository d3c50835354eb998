"""Write answers in the files of other programs: FiftyOne and Label Studio."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from unseen.data.exchange.fiftyone import FiftyOneWriter
from unseen.data.exchange.label_studio import LabelStudioWriter
from unseen.data.exchange.labelling_config import LabellingConfig, read_labelling_config
from unseen.utils.errors import InputError
from unseen.workflows.answering.answers import Columns, list_rows

ExchangeKind = Literal["fiftyone", "label-studio"]
KINDS: tuple[ExchangeKind, ...] = ("fiftyone", "label-studio")


@dataclass(frozen=True)
class ExchangeFormat:
    """The file of another program, as the format of answers.

    Attributes
    ----------
    kind : "fiftyone" or "label-studio"
    config : LabellingConfig
        For Label Studio: the names that predictions refer to, by default those of its own template.
    prefix : str
        For Label Studio: what stands before the path of a picture in its address.
    """

    kind: ExchangeKind
    config: LabellingConfig = field(default_factory=LabellingConfig)
    prefix: str = ""

    @classmethod
    def make(cls, kind: ExchangeKind, config: Path | None = None, prefix: str = "") -> "ExchangeFormat":
        """Return the format; options of Label Studio are refused for FiftyOne, which has no use for them."""
        if kind == "fiftyone" and (config is not None or prefix):
            raise InputError(
                "--labelling and --prefix are for Label Studio: leave them out, or give --format label-studio"
            )
        return cls(kind, LabellingConfig() if config is None else read_labelling_config(config), prefix)


@contextmanager
def open_exchange(file: IO[str], labels: Sequence[Any], wanted: ExchangeFormat) -> Iterator["ExchangeWriter"]:
    """Yield a writer that takes columns of answers, block by block.

    Parameters
    ----------
    file : text file
    labels : sequence
        The candidates.
    wanted : ExchangeFormat
    """
    inside = (
        FiftyOneWriter(file, labels)
        if wanted.kind == "fiftyone"
        else LabelStudioWriter(file, labels, wanted.config, wanted.prefix)
    )
    yield ExchangeWriter(inside)
    inside.finish()


class ExchangeWriter:
    """Give each row of the columns of answers to a writer of another program's file."""

    def __init__(self, inside: FiftyOneWriter | LabelStudioWriter) -> None:
        self._inside = inside

    def write(self, columns: Columns) -> None:
        """Write the columns of further rows."""
        for name, *cells in list_rows(columns):
            if not isinstance(name, str):
                raise InputError(
                    f"row {name} has no picture, and the file of another program is about pictures: give a folder of "
                    "pictures, or features that `unseen extract` wrote"
                )
            # Labels and probabilities take turns; a withheld label withholds those after it too.
            pairs = list(zip(cells[::2], cells[1::2], strict=True))
            known = [] if pairs[0][0] is None else [pair for pair in pairs if None not in pair]
            self._inside.write_answers(name, known)
