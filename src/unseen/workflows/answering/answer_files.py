"""Write answers block by block: as CSV, JSON or Parquet, or in the file of another program."""

import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import IO, TYPE_CHECKING, Any, Protocol

from numpy.typing import NDArray

from unseen.utils.optional import import_optional
from unseen.utils.storage.csv_cells import write_rows
from unseen.utils.storage.writing import create_file
from unseen.workflows.answering.answers import AnswerFormat, Columns, choose_format, list_rows, write_json_rows

if TYPE_CHECKING:
    from unseen.workflows.answering.exchanged import ExchangeFormat

# Rows that a Parquet file keeps together: enough to be read fast, and few enough to be held while they are collected.
ROWS_OF_GROUP = 2**15


class AnswerWriter(Protocol):
    """Something that takes the columns of one block of rows after the other."""

    def write(self, columns: Columns) -> None:
        """Write the columns of further rows."""


@contextmanager
def open_answers(
    out: str | os.PathLike[str] | IO[str],
    labels: NDArray[Any],
    wanted: "AnswerFormat | ExchangeFormat | None" = None,
    *,
    force: bool = False,
) -> Iterator[AnswerWriter]:
    """Yield a writer of answers; a file appears completely at the end, or not at all.

    Parameters
    ----------
    out : path-like or text file
        The file to write; one that is open already is written to as blocks come in, and left open.
    labels : ndarray of shape (m,)
        The labels of all candidates.
    wanted : "csv", "json", "parquet" or ExchangeFormat, optional
        By default what the extension of the file says, or CSV.
    force : bool, default False
        Whether to replace an existing file.
    """
    if not isinstance(out, str | os.PathLike):
        with _open_text(out, wanted or "csv", labels) as writer:
            yield writer
        return
    kind = choose_format(out, wanted) if wanted is None or isinstance(wanted, str) else wanted
    with create_file(out, force) as draft:
        if kind == "parquet":
            writer = _ParquetWriter(draft, labels)
            with closing(writer):
                yield writer
                writer.flush()
        else:
            with open(draft, "w", encoding="utf-8", newline="") as file, _open_text(file, kind, labels) as writer:
                yield writer


@contextmanager
def _open_text(file: IO[str], kind: "AnswerFormat | ExchangeFormat", labels: NDArray[Any]) -> Iterator[AnswerWriter]:
    if not isinstance(kind, str):
        from unseen.workflows.answering.exchanged import open_exchange

        with open_exchange(
            file, [label for label in dict.fromkeys(labels.tolist()) if label is not None], kind
        ) as exchange:
            yield exchange
        return
    if kind == "csv":
        yield _CsvWriter(file)
        return
    writer = _JsonWriter(file)
    yield writer
    writer.finish()


class _CsvWriter:
    def __init__(self, file: IO[str]) -> None:
        self._file, self._begun = file, False

    def write(self, columns: Columns) -> None:
        header: list[Iterable[Any]] = [] if self._begun else [columns]
        write_rows(self._file, [*header, *list_rows(columns)])
        self._begun = True


class _JsonWriter:
    def __init__(self, file: IO[str]) -> None:
        self._file, self._begun = file, False

    def write(self, columns: Columns) -> None:
        self._file.write((", " if self._begun else "[") + write_json_rows(columns))
        self._begun = True

    def finish(self) -> None:
        self._file.write("]\n" if self._begun else "[]\n")


class _ParquetWriter:
    """Collect blocks until they are a group of rows.

    Types are those of the row names and of the candidates' labels: a block of withheld labels alone would not tell.
    """

    def __init__(self, draft: os.PathLike[str], labels: NDArray[Any]) -> None:
        self._arrow = import_optional("pyarrow", "parquet", "writing Parquet")
        self._parquet = import_optional("pyarrow.parquet", "parquet", "writing Parquet")
        self._draft, self._labels = draft, labels
        self._file: Any = None
        self._waiting: dict[str, list[Any]] = {}

    def write(self, columns: Columns) -> None:
        for name, values in columns.items():
            self._waiting.setdefault(name, []).extend(values)
        if len(self._waiting["row"]) >= ROWS_OF_GROUP:
            self.flush()

    def flush(self) -> None:
        """Write what was collected as one group of rows."""
        if self._waiting:
            if self._file is None:
                self._file = self._parquet.ParquetWriter(self._draft, self._make_schema())
            self._file.write_table(self._arrow.table(self._waiting, schema=self._file.schema))
        self._waiting = {}

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _make_schema(self) -> Any:
        of_names, of_labels = (self._arrow.array(v).type for v in (self._waiting["row"], self._labels[:1].tolist()))
        kinds = {"row": of_names, "label": of_labels, "probability": self._arrow.float64()}
        return self._arrow.schema([(name, kinds[name.partition("_")[0]]) for name in self._waiting])
