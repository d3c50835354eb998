import csv
import html
import io
import re

import pytest

from unseen.utils.tables import Measure, Table

NASTY = r"50% of A&B_c|d <e> {f} $g #h \i ~j ^k *l* `m` [n]"
TABLE = Table(
    "A title & more", ("class", "score"), ((NASTY, Measure(81.034, 0.879)), ("dog, the", Measure(7.0))), ("A note_1.",)
)


def test_text_is_aligned_whatever_the_width_of_characters():
    lines = Table("t", ("class", "n"), (("日本", 1), ("ab", 100))).to_text().splitlines()
    assert lines[-2:] == ["日本     1", "ab     100"]


def test_markdown_has_one_cell_per_column():
    rows = [line for line in TABLE.to_markdown().splitlines() if line.startswith("|")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 3 for row in rows)
    assert r"\*l\*" in TABLE.to_markdown()


def test_latex_escapes_what_latex_would_take_for_commands():
    text = TABLE.to_latex()
    cell = text.splitlines()[7]
    assert r"50\% of A\&B\_c\textbar{}d \textless{}e\textgreater{} \{f\} \$g \#h \textbackslash{}i" in cell
    assert r"81.03 $\pm$ 0.88 \\" in cell
    assert len(re.findall(r"(?<!\\)&", cell)) == 1
    assert text.count(r"\begin{") == text.count(r"\end{") == 2


def test_csv_reads_back_with_all_digits():
    rows = list(csv.reader(io.StringIO(TABLE.to_csv())))
    assert rows == [["class", "score", "score std"], [NASTY, "81.034", "0.879"], ["dog, the", "7.0", ""]]


def test_html_shows_the_text_and_runs_nothing():
    table = Table("<b>", ("class",), (("<script>alert('x')</script>",),))
    assert "<script>" not in table.to_html()
    assert "<b>" not in table.to_html()
    cell = re.search("<td>(.*)</td>", table.to_html())[1]
    assert html.unescape(cell) == "<script>alert('x')</script>"


@pytest.mark.parametrize("format_", ["text", "markdown", "latex"])
def test_a_cell_stays_on_its_line(format_):
    table = Table("t", ("class",), (("two\nlines",),))
    assert "two lines" in getattr(table, f"to_{format_}")()


def test_empty_cells_and_numbers():
    table = Table("t", ("a", "b", "c"), ((None, 3, 2.345),))
    assert table.to_markdown().splitlines()[-1] == "|  | 3 | 2.35 |"
    assert table.to_csv() == "a,b,c\n,3,2.345\n"
