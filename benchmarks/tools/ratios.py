"""Print benchmark results: a measured number, its baseline, their ratio and the bound on the ratio."""

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """A measurement with the baseline of the same run.

    `at_most` or `at_least` bound the ratio measured / floor; without either, there is no bound.
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


def show(rows: list[Row], title: str) -> None:
    table = Table("measurement", "value", "against", "floor", "ratio", "wanted", "", title=title)
    for row in rows:
        mark = {True: "kept", False: "[bold]missed[/bold]", None: ""}[row.kept]
        table.add_row(
            row.name, f"{row.measured:.4g} {row.unit}", row.floor_name, f"{row.floor:.4g} {row.unit}",
            f"{row.ratio:.3g}", row.bound, mark,
        )  # fmt: skip
    Console().print(table)
