"""Answers as CSV, JSON or Parquet."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from unseen.utils.errors import InputError

if TYPE_CHECKING:
    from unseen.confidence import Answers

AnswerFormat = Literal["csv", "json", "parquet"]

# Digits of a probability that mean anything.
DIGITS = 6


def format_for(chosen: AnswerFormat | None, out: Path | None) -> AnswerFormat:
    """Return the format asked for, or that of the file's ending, or CSV."""
    endings: dict[str, AnswerFormat] = {".json": "json", ".parquet": "parquet"}
    found = chosen or endings.get(out.suffix.casefold() if out else "", "csv")
    if found == "parquet" and out is None:
        raise InputError("--format parquet is no text to print: name a file with --out")
    return found


def as_columns(names: Sequence[Any], found: "Answers") -> dict[str, list[Any]]:
    """Return row, label and probability, then label_2, probability_2 and so on; None is a withheld label."""
    columns: dict[str, list[Any]] = {"row": list(names), "label": found.best()}
    rounded = found.probabilities.astype(float).round(DIGITS)
    for at in range(found.labels.shape[1]):
        if at:
            columns[f"label_{at + 1}"] = found.labels[:, at].tolist()
        columns["probability" if not at else f"probability_{at + 1}"] = rounded[:, at].tolist()
    return columns


def to_csv(columns: dict[str, list[Any]]) -> str:
    """Write columns as CSV; None is an empty cell."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return file.getvalue()


def to_json(columns: dict[str, list[Any]]) -> str:
    """Write columns as a list of rows."""
    return json.dumps([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]) + "\n"


def write_parquet(columns: dict[str, list[Any]], path: Path) -> None:
    """Write columns to a Parquet file."""
    from unseen.utils.optional import optional_module

    arrow = optional_module("pyarrow", "parquet", "writing Parquet")
    optional_module("pyarrow.parquet", "parquet", "writing Parquet").write_table(arrow.table(columns), path)
