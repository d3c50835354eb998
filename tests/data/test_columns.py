"""Columns are found by name; numbers in a header are data."""

import numpy as np
import pytest

from unseen.data import load_rows
from unseen.data.columns import match_columns, order_features, refuse_data_for_names
from unseen.utils.errors import InputError


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["a", "b"], "new.csv lacks the feature 'c', compared with what the model was fitted on: mend it"),
        (["a", "b", "c", "d"], "new.csv has the unknown feature 'd'"),
        (["a", "b", "d"], "new.csv lacks the feature 'c' and has the unknown feature 'd'"),
        (["a", "b", "c", "c"], "new.csv repeats the feature 'c'"),
    ],
)
def test_names_that_do_not_match_are_named(given, sentence):
    with pytest.raises(InputError, match=sentence):
        match_columns(given, ["a", "b", "c"], "new.csv", "feature", "mend it")


def test_columns_are_ordered_by_name_where_both_have_names():
    X = np.array([[1.0, 2.0, 3.0]])
    assert order_features(X, ("c", "a", "b"), ("a", "b", "c"), "X").tolist() == [[2.0, 3.0, 1.0]]
    assert order_features(X, None, ("a", "b", "c"), "X") is X
    assert order_features(X, ("c", "a", "b"), None, "X") is X


@pytest.mark.parametrize("text", ["0.5,0.25\n1,2\n", "zebra.jpg,0.5,0.25\nlion.jpg,1,2\n", "3,1\n2,5\n"])
def test_a_file_without_header_keeps_its_first_row(text, tmp_path):
    (tmp_path / "new.csv").write_text(text)
    with pytest.raises(InputError, match="the first line looks like data: add a header line"):
        load_rows(tmp_path / "new.csv")


@pytest.mark.parametrize("names", [["0", "1", "2"], ["1", "2", "3"], ["f1", "2", "3"], []])
def test_numbered_columns_are_names(names):
    refuse_data_for_names(names, "new.csv")
