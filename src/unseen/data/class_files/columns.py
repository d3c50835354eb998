"""What a column of cells means: numbers, per cent, yes and no, or words; what could mean two things is refused."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unseen.utils.errors import InputError

Kind = Literal["numbers", "per cent", "yes/no", "words", "mixed", "empty"]
Fill = Literal["mean", "zero"]

MISSING = {"", "na", "n/a"}
_YES_NO = {"yes": 1.0, "y": 1.0, "true": 1.0, "no": 0.0, "n": 0.0, "false": 0.0}
_POINT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+")


@dataclass(frozen=True, eq=False)
class Column:
    """A column below the header: its name, its cells, what they mean, and where it is (for messages)."""

    name: str
    cells: list[str]
    kind: Kind
    where: list[str]

    @property
    def has_decimal_commas(self) -> bool:
        """Whether its numbers are written as 0,5."""
        return any("," in cell for cell in self.cells)

    @property
    def has_decimal_points(self) -> bool:
        """Whether its numbers are written as 0.5."""
        return any("." in cell for cell in self.cells)


def understand(name: str, cells: Sequence[str], where: Sequence[str]) -> Column:
    """Tell what a column means."""
    stripped = [cell.strip() for cell in cells]
    kinds = {tell_kind(cell) for cell in stripped} - {"empty"}
    kind: Kind = "mixed" if len(kinds) > 1 else next(iter(kinds), "empty")
    return Column(name, stripped, kind, list(where))


def refuse_mixture(column: Column) -> None:
    """Refuse a column of attributes that has nothing in it, or numbers beside words, and name the first odd cell."""
    if column.kind == "empty":
        raise InputError(f"{column.where[0]}, column {column.name!r}: all its cells are empty; fill it or delete it")
    if column.kind != "mixed":
        return
    kinds = [tell_kind(cell) for cell in column.cells]
    common = max(sorted({*kinds} - {"empty"}), key=kinds.count)
    odd = next(at for at, kind in enumerate(kinds) if kind not in (common, "empty"))
    fault = "is not a number" if kinds[odd] == "words" else f"is not like the other cells, which are {common}"
    raise InputError(
        f"{column.where[odd]}, column {column.name!r}: {column.cells[odd]!r} {fault}; write all of them alike"
    )


def tell_kind(cell: str) -> Kind:
    """Tell what a single cell, stripped, looks like."""
    if cell.casefold() in MISSING:
        return "empty"
    if cell.casefold() in _YES_NO:
        return "yes/no"
    if cell.casefold().lstrip("+-") in ("nan", "inf", "infinity"):
        return "numbers"
    number = cell.removesuffix("%").rstrip()
    if _POINT.fullmatch(number) or _COMMA.fullmatch(number) or _THOUSANDS.fullmatch(number):
        return "per cent" if cell.endswith("%") else "numbers"
    return "words"


def check_decimal_mark(columns: Sequence[Column], path: object) -> bool:
    """Tell whether numbers are written with decimal commas; a file that has both marks is refused."""
    commas = [column for column in columns if column.has_decimal_commas]
    points = [column for column in columns if column.has_decimal_points]
    if commas and points:
        raise InputError(
            f"{path} writes numbers with a comma in column {commas[0].name!r} and with a point in column "
            f"{points[0].name!r}: write all with the same decimal mark"
        )
    for column in commas:
        written = [cell.removesuffix("%").rstrip() for cell in column.cells if "," in cell]
        if all(map(_THOUSANDS.fullmatch, written)):
            raise InputError(
                f"{path}, column {column.name!r}: {written[0]!r} may be a fraction or thousands; write it "
                "without a comma"
            )
    return bool(commas)


def convert(column: Column, fill: Fill | None) -> NDArray[np.float64]:
    """Return the numbers of a column of shape (n,); empty cells are filled on request and refused otherwise."""
    numbers = np.array([_number(cell, column, at) for at, cell in enumerate(column.cells)])
    empty = np.isnan(numbers)
    if empty.any() and fill is None:
        at = int(np.flatnonzero(empty)[0])
        raise InputError(
            f"{column.where[at]}, column {column.name!r}: the cell is empty; write a number, or fill empty cells with "
            "fill='mean' (--fill mean on the command line)"
        )
    numbers[empty] = numbers[~empty].mean() if fill == "mean" else 0.0
    return numbers


def _number(cell: str, column: Column, at: int) -> float:
    if cell.casefold() in MISSING:
        return np.nan
    if column.kind == "yes/no":
        return _YES_NO[cell.casefold()]
    value = float(cell.removesuffix("%").rstrip().replace(",", "."))
    if not np.isfinite(value):
        raise InputError(f"{column.where[at]}, column {column.name!r}: {cell!r} is not finite; write a finite number")
    return value / 100 if column.kind == "per cent" else value
