"""Write tables of results as text, Markdown, LaTeX, CSV or HTML."""

import html
import io
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from unseen.utils.storage.csv_cells import write_rows


@dataclass(frozen=True)
class Measure:
    """A percentage, with a standard deviation if it has one.

    >>> str(Measure(81.03, 0.88)), str(Measure(66.7))
    ('81.03 ± 0.88', '66.70')
    """

    mean: float
    std: float | None = None

    def __str__(self) -> str:
        return f"{self.mean:.2f}" if self.std is None else f"{self.mean:.2f} ± {self.std:.2f}"


# Types of a cell; None is an empty cell.
Cell = str | int | float | Measure | None


class Rendered(ABC):
    """An object that can be shown as a table in several formats."""

    @abstractmethod
    def table(self) -> "Table":
        """Return the table to show."""

    def to_text(self) -> str:
        """Return the table as aligned plain text."""
        return self.table().to_text()

    def to_markdown(self) -> str:
        """Return the table in GitHub's Markdown."""
        return self.table().to_markdown()

    def to_latex(self) -> str:
        """Return the table as a LaTeX `table` environment that needs no package."""
        return self.table().to_latex()

    def to_csv(self) -> str:
        """Return the numbers with all their digits as CSV."""
        return self.table().to_csv()

    def to_html(self) -> str:
        """Return the table as HTML."""
        return self.table().to_html()

    def _repr_html_(self) -> str:
        return self.to_html()


@dataclass(frozen=True)
class Table:
    """A table with a title above it and notes below it.

    Examples
    --------
    >>> table = Table("AwA", ("method", "accuracy"), (("JFA", Measure(81.03, 0.88)), ("SJE", Measure(66.7))))
    >>> print(table.to_markdown())
    **AwA**
    <BLANKLINE>
    | method | accuracy |
    | --- | ---: |
    | JFA | 81.03 ± 0.88 |
    | SJE | 66.70 |
    >>> print(table.to_csv(), end="")
    method,accuracy,accuracy std
    JFA,81.03,0.88
    SJE,66.7,
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def to_text(self) -> str:
        """Return the table as aligned plain text."""
        lines = [list(self.columns), *(list(map(_to_plain, row)) for row in self.rows)]
        widths = [max(_measure_width(line[at]) for line in lines) for at in range(len(self.columns))]
        right = self._find_numeric()
        header, *body = ("  ".join(map(_pad, line, widths, right)).rstrip() for line in lines)
        rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
        return "\n".join([self.title, "", header, rule, *body, *([""] if self.notes else []), *self.notes])

    def to_markdown(self) -> str:
        """Return the table in GitHub's Markdown."""
        rules = ["---:" if numeric else "---" for numeric in self._find_numeric()]
        rows = [[_escape_markdown(_to_plain(cell)) for cell in row] for row in (self.columns, *self.rows)]
        lines = [f"| {' | '.join(row)} |" for row in (rows[0], rules, *rows[1:])]
        notes = [line for note in self.notes for line in ("", _escape_markdown(note))]
        return "\n".join([f"**{_escape_markdown(self.title)}**", "", *lines, *notes])

    def to_latex(self) -> str:
        """Return the table as a LaTeX `table` environment that needs no package."""
        rows = [
            " & ".join(_escape_latex(_to_plain(cell)) for cell in row) + r" \\" for row in (self.columns, *self.rows)
        ]
        alignment = "".join("r" if numeric else "l" for numeric in self._find_numeric())
        notes = [rf"\par\footnotesize {_escape_latex(note)}" for note in self.notes]
        return "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                rf"\caption{{{_escape_latex(self.title)}}}",
                rf"\begin{{tabular}}{{{alignment}}}",
                r"\hline",
                rows[0],
                r"\hline",
                *rows[1:],
                r"\hline",
                r"\end{tabular}",
                *notes,
                r"\end{table}",
            ]
        )

    def to_csv(self) -> str:
        """Return the numbers with all their digits as CSV; standard deviations have their own columns, "NAME std"."""
        spread = [any(_split_measure(row[at])[1] is not None for row in self.rows) for at in range(len(self.columns))]
        file = io.StringIO()
        header = _spread_out([(name, f"{name} std") for name in self.columns], spread)
        write_rows(file, [header, *(_spread_out(list(map(_split_measure, row)), spread) for row in self.rows)])
        return file.getvalue()

    def to_html(self) -> str:
        """Return the table as an HTML `table` element, followed by one paragraph for each note."""
        return "\n".join([self.to_html_table(), *(f"<p>{html.escape(note)}</p>" for note in self.notes)])

    def to_html_table(self) -> str:
        """Return the table as an HTML `table` element, without its notes."""
        numeric = self._find_numeric()
        header = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in self.columns)
        rows = ["".join(map(_write_html_cell, row, numeric)) for row in self.rows]
        return "\n".join(
            [
                "<table>",
                f"<caption>{html.escape(self.title)}</caption>",
                f"<thead><tr>{header}</tr></thead>",
                "<tbody>",
                *(f"<tr>{row}</tr>" for row in rows),
                "</tbody>",
                "</table>",
            ]
        )

    def _repr_html_(self) -> str:
        return self.to_html()

    def _find_numeric(self) -> list[bool]:
        """Tell which columns hold numbers, which are aligned to the right."""
        return [not any(isinstance(row[at], str) for row in self.rows) for at in range(len(self.columns))]


def _to_plain(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:.2f}" if isinstance(cell, float) else " ".join(str(cell).split())


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - _measure_width(text))
    return space + text if right else text + space


def _measure_width(text: str) -> int:
    """Return the width of a text in columns of a terminal."""
    from rich.cells import cell_len

    return cell_len(text)


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", text)


LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "−": "$-$",
} | {character: f"\\{character}" for character in "&%$#_{}"}


def _escape_latex(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in text)


def _write_html_cell(cell: Cell, numeric: bool) -> str:
    style = ' style="text-align: right"' if numeric else ""
    return f"<td{style}>{html.escape(_to_plain(cell))}</td>"


def _split_measure(cell: Cell) -> tuple[Any, Any]:
    """Return the number in a cell and its standard deviation."""
    return (cell.mean, cell.std) if isinstance(cell, Measure) else (cell, None)


def _spread_out(pairs: list[tuple[Any, Any]], spread: list[bool]) -> list[Any]:
    """List the first of each pair, and also the second in columns with standard deviations."""
    return [value for pair, wide in zip(pairs, spread, strict=True) for value in (pair if wide else pair[:1])]
