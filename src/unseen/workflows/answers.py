"""Write answers as columns, in CSV, JSON or Parquet."""

import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from unseen.confidence import Answers
from unseen.utils.optional import import_optional
from unseen.utils.storage.csv_cells import write_rows
from unseen.utils.storage.writing import create_file

AnswerFormat = Literal["csv", "json", "parquet"]
Columns = Mapping[str, Sequence[Any]]

# Significant digits of a probability.
DIGITS = 6


def as_columns(names: Sequence[Any], found: Answers) -> dict[str, list[Any]]:
    """Return the columns row, label, probability, label_2, probability_2 and so on; None is a withheld label."""
    columns: dict[str, list[Any]] = {"row": list(names), "label": found.best()}
    rounded = found.probabilities.astype(float).round(DIGITS)
    for at in range(found.labels.shape[1]):
        if at:
            columns[f"label_{at + 1}"] = found.labels[:, at].tolist()
        columns["probability" if not at else f"probability_{at + 1}"] = rounded[:, at].tolist()
    return columns


def to_csv(columns: Columns) -> str:
    """Write columns as CSV; None is an empty cell.

    >>> to_csv({"row": [0, 1], "label": ["zebra", None]}).splitlines()
    ['row,label', '0,zebra', '1,']
    """
    file = io.StringIO()
    write_rows(file, [columns, *zip(*columns.values(), strict=True)])
    return file.getvalue()


def to_json(columns: Columns) -> str:
    """Write columns as a JSON list of rows."""
    return json.dumps([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]) + "\n"


def choose_format(out: str | os.PathLike[str] | None, wanted: AnswerFormat | None = None) -> AnswerFormat:
    """Return the requested format, or the one of the file's extension, or CSV.

    >>> choose_format("labels.parquet"), choose_format("labels.txt"), choose_format("labels.txt", "json")
    ('parquet', 'csv', 'json')
    """
    endings: dict[str, AnswerFormat] = {".json": "json", ".parquet": "parquet"}
    return wanted or endings.get(Path(out).suffix.casefold() if out else "", "csv")


def write_columns(
    columns: Columns, out: str | os.PathLike[str], wanted: AnswerFormat | None = None, *, force: bool = False
) -> None:
    """Write columns to a file, completely or not at all.

    Parameters
    ----------
    columns : mapping of str to sequence
    out : path-like
    wanted : "csv", "json" or "parquet", optional
        Format of the file; by default that of its extension.
    force : bool, default False
        Whether to replace an existing file.
    """
    kind = choose_format(out, wanted)
    with create_file(out, force) as draft:
        if kind == "parquet":
            arrow = import_optional("pyarrow", "parquet", "writing Parquet")
            parquet = import_optional("pyarrow.parquet", "parquet", "writing Parquet")
            parquet.write_table(arrow.table(dict(columns)), draft)
        else:
            draft.write_text(to_json(columns) if kind == "json" else to_csv(columns), encoding="utf-8")
