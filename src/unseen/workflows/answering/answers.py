"""Write answers as columns, in CSV, JSON or Parquet."""

import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from unseen.confidence.answers import Answers
from unseen.utils.storage.csv_cells import write_rows

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
        # A row of few candidates may have none left.
        chances = [None if chance != chance else chance for chance in rounded[:, at].tolist()]
        columns["probability" if not at else f"probability_{at + 1}"] = chances
    return columns


def list_rows(columns: Columns) -> Iterator[tuple[Any, ...]]:
    """Return the rows of columns."""
    return zip(*columns.values(), strict=True)


def to_csv(columns: Columns) -> str:
    """Write columns as CSV; None is an empty cell.

    >>> to_csv({"row": [0, 1], "label": ["zebra", None]}).splitlines()
    ['row,label', '0,zebra', '1,']
    """
    file = io.StringIO()
    write_rows(file, [columns, *list_rows(columns)])
    return file.getvalue()


def to_json(columns: Columns) -> str:
    """Write columns as a JSON list of rows."""
    return f"[{write_json_rows(columns)}]\n"


def write_json_rows(columns: Columns) -> str:
    """Write columns as rows of JSON with commas between them.

    >>> write_json_rows({"row": [0, 1], "label": ["zebra", None]})
    '{"row": 0, "label": "zebra"}, {"row": 1, "label": null}'
    """
    return json.dumps([dict(zip(columns, row, strict=True)) for row in list_rows(columns)])[1:-1]


def choose_format(out: str | os.PathLike[str] | None, wanted: AnswerFormat | None = None) -> AnswerFormat:
    """Return the requested format, or the one of the file's extension, or CSV.

    >>> choose_format("labels.parquet"), choose_format("labels.txt"), choose_format("labels.txt", "json")
    ('parquet', 'csv', 'json')
    """
    endings: dict[str, AnswerFormat] = {".json": "json", ".parquet": "parquet"}
    return wanted or endings.get(Path(out).suffix.casefold() if out else "", "csv")
