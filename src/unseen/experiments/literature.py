"""Look up published numbers: the tables of the JFA paper and of related papers.

Published facts about the datasets themselves (the paper's Table 1, GBU's splits) are in `unseen.data.benchmarks.known`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from unseen.experiments.yaml_file import list_yaml_files, read_yaml
from unseen.utils.errors import InputError
from unseen.utils.registry import make_unknown_error
from unseen.utils.tables import Measure

FOLDER = files("unseen.experiments") / "published"

NUMBER = re.compile(r"(?P<mean>\d*\.?\d+)(±(?P<std>\d*\.?\d+))?")


@dataclass(frozen=True)
class PublishedNumber:
    """A number from a paper, in per cent as printed there.

    Attributes
    ----------
    table : str
        Name of the table that holds it, e.g. "jfa-table-2".
    method, acronym : str
        Name of the method in the table, and its usual acronym (or the same name if it has none).
    dataset, split, features, setting, metric : str
        What was measured, in the terms of `unseen.evaluate`.
    mean : float
    std : float or None
        Standard deviation as printed.
    spread : "trials" or "classes"
        Over what `std` is taken.
    recalled : bool
        Whether the number was recalled from memory and not checked against a copy of the paper.
    source : str
        Publication that has the number.
    """

    table: str
    method: str
    acronym: str
    dataset: str
    split: str
    features: str
    setting: str
    metric: str
    mean: float
    std: float | None
    spread: Literal["trials", "classes"]
    recalled: bool
    source: str

    @property
    def measure(self) -> Measure:
        """Mean and standard deviation, for a table."""
        return Measure(self.mean, self.std)


def published(
    *,
    table: str | None = None,
    method: str | None = None,
    dataset: str | None = None,
    metric: str | None = None,
    split: str | None = None,
    features: str | None = None,
    setting: str | None = None,
) -> tuple[PublishedNumber, ...]:
    """Return the published numbers that match all arguments, in the order of their tables.

    Parameters
    ----------
    table, method, dataset, metric, split, features, setting : str, optional
        Values to match, in upper or lower case; a method may be given by its acronym.

    Examples
    --------
    >>> [number] = published(table="jfa-table-2", method="JFA", dataset="AwA")
    >>> number.mean, number.std
    (81.03, 0.88)
    >>> [number.mean for number in published(method="ESZSL", dataset="CUB", setting="generalized")]
    [12.6, 63.8, 21.0]
    """
    wanted = {
        "table": table,
        "method": method,
        "dataset": dataset,
        "metric": metric,
        "split": split,
        "features": features,
        "setting": setting,
    }
    found: Sequence[PublishedNumber] = _read_all_numbers()
    for field, value in wanted.items():
        if value is not None:
            found = _find_agreeing(found, field, value)
    return tuple(found)


def check_method(name: Any, where: str) -> str:
    """Return the name of a method if a published table has it; raise an error that names the place otherwise."""
    known = {known: None for number in _read_all_numbers() for known in _list_names(number, "method")}
    if str(name).casefold() not in known:
        raise make_unknown_error(name, known, where)
    return str(name)


def parse_cell(cell: Any) -> tuple[list[tuple[float, float | None]], bool]:
    """Read a printed cell: numbers separated by "/", each with an optional "±std", and a final "*" if recalled.

    >>> parse_cell("81.03±0.88"), parse_cell("4.2/25.1/7.2*")
    (([(81.03, 0.88)], False), ([(4.2, None), (25.1, None), (7.2, None)], True))
    """
    text = str(cell).strip()
    parts = [NUMBER.fullmatch(part) for part in text.removesuffix("*").split("/")]
    pairs = [(float(part["mean"]), float(part["std"]) if part["std"] else None) for part in parts if part is not None]
    if len(pairs) < len(parts):
        raise InputError(
            f"cell {text!r} is not a published number: write 81.03, 81.03±0.88 or 4.2/25.1/7.2, and a final '*' if it "
            "was recalled"
        )
    return pairs, text.endswith("*")


@cache
def _read_all_numbers() -> tuple[PublishedNumber, ...]:
    return tuple(number for raw in _read_tables() for number in _read_numbers(raw))


def _read_tables() -> list[dict[str, Any]]:
    return [read_yaml(path) for path in list_yaml_files(FOLDER).values()]


def _read_numbers(raw: dict[str, Any]) -> Iterator[PublishedNumber]:
    """Read a table: rows of cells in blocks, where a block may override values of the whole table."""
    columns = [column if isinstance(column, dict) else {"dataset": column} for column in raw["columns"]]
    for block in raw["blocks"]:
        shared = {name: value for name, value in (raw | block).items() if name not in ("blocks", "rows", "columns")}
        metrics = shared.pop("metrics")
        for row in block["rows"]:
            names = {"method": row["method"], "acronym": row.get("acronym", row["method"])}
            for column, cell in zip(columns, row["values"], strict=True):
                if cell is not None:
                    yield from _read_cell(cell, metrics, shared | names | column)


def _read_cell(cell: Any, metrics: list[str], what: dict[str, Any]) -> Iterator[PublishedNumber]:
    pairs, recalled = parse_cell(cell)
    for metric, (mean, std) in zip(metrics, pairs, strict=True):
        yield PublishedNumber(**what, metric=metric, mean=mean, std=std, recalled=recalled)


def _find_agreeing(numbers: Sequence[PublishedNumber], field: str, value: str) -> list[PublishedNumber]:
    found = [number for number in numbers if value.casefold() in _list_names(number, field)]
    if not found:
        known = {name: None for number in _read_all_numbers() for name in _list_names(number, field)}
        if value.casefold() not in known:
            raise make_unknown_error(value, known, field)
    return found


def _list_names(number: PublishedNumber, field: str) -> tuple[str, ...]:
    """Return the names of a field's value in lower case; a method also has its acronym."""
    names = (number.method, number.acronym) if field == "method" else (getattr(number, field),)
    return tuple(name.casefold() for name in names)
