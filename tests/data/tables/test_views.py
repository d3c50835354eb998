"""What notebooks show of tables and datasets: small, whole and with all text escaped."""

import html5lib
import numpy as np
import pytest

from unseen.data import ClassTable, ZeroShotDataset, load_dataset

EVIL = "<script>alert('&')</script>"


def parsed(text: str):
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    return parser.parseFragment(text, container="div")


def cells(text: str) -> list[list[str]]:
    return [["".join(cell.itertext()) for cell in row] for row in parsed(text).iter("tr")]


def test_a_small_table_is_shown_whole():
    table = ClassTable([[1, 0.25], [1e-6, 12345.678]], ["zebra", "okapi"], ["stripes", "size"])
    assert cells(table._repr_html_()) == [
        ["class", "stripes", "size"],
        ["zebra", "1", "0.25"],
        ["okapi", "1e-06", "1.235e+04"],
    ]
    assert "shown" not in table._repr_html_()


def test_a_large_table_is_cut():
    table = ClassTable(np.arange(500.0).reshape(25, 20), np.arange(25))
    rows = cells(table._repr_html_())
    assert (len(rows), len(rows[0])) == (9, 9)
    assert rows[0] == ["class", *map(str, range(8))]
    assert "8 of 25 classes and 8 of 20 attributes are shown." in table._repr_html_()


def test_a_dataset_is_shown_by_its_parts():
    data = load_dataset("digit-pairs")
    text = data._repr_html_()
    assert cells(text) == [
        ["part", "examples", "classes"],
        ["train", "2100", "70"],
        ["test_seen", "700", "70"],
        ["test_unseen", "900", "30"],
    ]
    assert "digit-pairs" in text
    assert "128 features, 100 classes described by 20 attributes." in text


@pytest.mark.parametrize("what", ["table", "dataset"])
def test_all_text_is_escaped(what):
    table = ClassTable([[1, 0], [0, 1], [1, 1]], [EVIL, "b", "c"], [EVIL, "q"])
    if what == "dataset":
        shown = ZeroShotDataset(np.eye(4), [EVIL, "b", EVIL, "c"], table, [0, 1], [2], [3], name=EVIL, source=EVIL)
    else:
        shown = table
    tree = parsed(shown._repr_html_())
    assert not list(tree.iter("script"))
    assert EVIL in "".join(tree.itertext())
