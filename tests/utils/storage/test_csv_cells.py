"""No spreadsheet runs a cell that was written here, and reading gives the cell again."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.utils.storage.csv_cells import guard, unguard, write_rows
from unseen.utils.tables import Table
from unseen.workflows.answering.answers import to_csv

FORMULAS = ['=HYPERLINK("http://a.b")', "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"]


@given(st.text(st.sampled_from("'=+-@\t\r a1.")) | st.text())
def test_reading_gives_the_text_again(text: str) -> None:
    assert unguard(guard(text)) == text


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_written_as_text(text: str) -> None:
    assert guard(text) == "'" + text
    for written in (to_csv({"label": [text]}), Table("", ("label",), ((text,),)).to_csv()):
        [_, [cell]] = csv.reader(io.StringIO(written, newline=""))
        assert cell == "'" + text


@pytest.mark.parametrize("cell", ["zebra", "-0.5", "+1e-3", "", "a=b", "'tis", -0.5, None, 3])
def test_all_else_is_written_as_it_is(cell: object) -> None:
    assert guard(cell) == cell
    file = io.StringIO()
    write_rows(file, [[cell, "x"]])
    assert file.getvalue() == f"{'' if cell is None else cell},x\n"
