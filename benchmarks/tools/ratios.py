"""Print benchmark results, and keep them: a measured number, its baseline, their ratio and the bound on the ratio."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.tools.options import benchmark_options


@dataclass(frozen=True)
class Row:
    """A measurement with the baseline of the same run.

    `at_most` or `at_least` bound the ratio measured / floor; without either, there is no bound. A floor whose name ends
    in "allowed" is a constant, not a measurement.
    """

    name: str
    measured: float
    floor_name: str
    floor: float
    at_most: float | None = None
    at_least: float | None = None
    unit: str = "s"

    @property
    def ratio(self) -> float:
        return self.measured / self.floor

    @property
    def compared(self) -> float:
        """What to compare between revisions: the ratio, or the number itself where the floor is a constant."""
        return self.measured if self._has_constant_floor else self.ratio

    @property
    def compared_in(self) -> str:
        """The unit of what to compare."""
        return self.unit if self._has_constant_floor else self.floor_name

    @property
    def _has_constant_floor(self) -> bool:
        return self.floor_name.endswith("allowed")

    @property
    def of_speed(self) -> bool:
        """Whether more is better: a number per second, or a ratio that is bounded from below."""
        return self.at_least is not None or self.unit.endswith("/s")

    @property
    def kept(self) -> bool | None:
        """Whether the ratio is within its bound; None without a bound."""
        if self.at_most is not None:
            return self.ratio <= self.at_most
        return None if self.at_least is None else self.ratio >= self.at_least

    @property
    def bound(self) -> str:
        if self.at_most is not None:
            return f"<= {self.at_most:g}"
        return "" if self.at_least is None else f">= {self.at_least:g}"


def ratio_options(module: str, description: str | None) -> ArgumentParser:
    """Make the option parser of a benchmark that shows rows, with `--json` besides what every benchmark has."""
    parser = benchmark_options(module, description)
    parser.add_argument(
        "--json", type=_file_to_append, metavar="FILE", help="also append each row to this file, as a line of JSON"
    )
    return parser


def _file_to_append(name: str) -> Path:
    """Refuse a file that cannot be written before anything is measured."""
    try:
        Path(name).open("a").close()
    except OSError as error:
        raise ArgumentTypeError(f"{name!r} cannot be written ({error.strerror}): name another file") from None
    return Path(name)


def show(rows: list[Row], title: str, kept: Path | None = None) -> None:
    """Print a table of rows, and append them to the file of `--json` if there is one."""
    table = Table("measurement", "value", "against", "floor", "ratio", "wanted", "", title=title)
    for row in rows:
        mark = {True: "kept", False: "[bold]missed[/bold]", None: ""}[row.kept]
        table.add_row(
            row.name, f"{row.measured:.4g} {row.unit}", row.floor_name, f"{row.floor:.4g} {row.unit}",
            f"{row.ratio:.3g}", row.bound, mark,
        )  # fmt: skip
    Console().print(table)
    if kept:
        with kept.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({"title": title, **asdict(row), "ratio": row.ratio}) + "\n" for row in rows)


def read_rows(path: Path) -> list[Row]:
    """Read the rows that `--json` kept; fields that this version does not know are left out."""
    known = {field.name for field in fields(Row)}
    records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Row(**{name: value for name, value in record.items() if name in known}) for record in records]
