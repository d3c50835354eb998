import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.data import ClassTable
from unseen.utils.errors import InputError


@given(
    st.dictionaries(
        st.text("abc", max_size=3), st.lists(st.floats(-9, 9), min_size=2, max_size=2), min_size=1, max_size=6
    )
)
def test_mappings_give_back_what_they_hold(mapping):
    table = ClassTable.from_mapping(mapping)
    assert dict(zip(table, table.vectors.tolist(), strict=True)) == mapping
    named = {label: {"p": p, "q": q} for label, (p, q) in mapping.items()}
    assert ClassTable.from_mapping(named) == ClassTable(table.vectors, table.labels, ["p", "q"])


def test_the_order_of_attributes_is_free():
    table = ClassTable.from_mapping({1: {"p": 1, "q": 2}, 2: {"q": 4, "p": 3}})
    assert table == ClassTable([[1, 2], [3, 4]], [1, 2], ["p", "q"])


def test_vectors_may_be_arrays():
    assert ClassTable.from_mapping({"a": np.array([1, 0]), "b": (0, 1)}) == ClassTable.one_hot(["a", "b"])


@pytest.mark.parametrize(
    ("mapping", "sentence"),
    [
        ([("a", [1])], "mapping must map labels to descriptions, got list"),
        ({}, "mapping is empty"),
        ({"a": [1], "b": {"p": 1}}, "both vectors and {attribute: value} descriptions"),
        ({"a": [1, 2], "b": [1]}, "class 'b' by 1 values, but 'a' by 2"),
        ({"a": {"p": 1, "q": 2}, "b": {"p": 1}}, "lacks the attribute 'q' of class 'b'"),
        ({"a": {"p": 1}, "b": {"p": 1, "q": 2}}, "gives class 'b' the attribute 'q', which the first class lacks"),
        ({"a": {"p": "much"}}, "'much' for class 'a', attribute 'p': give a number"),
        ({"a": [1, None]}, "None for class 'a', attribute 1: give a number"),
        ({"a": "striped"}, "describes class 'a' by 'striped'"),
        ({"a": 3}, "describes class 'a' by 3"),
        ({"a": [float("nan")]}, "vectors has nan for class 'a', attribute 0"),
        ({"a": []}, "describes nothing"),
    ],
)
def test_bad_mapping_gets_a_sentence(mapping, sentence):
    with pytest.raises(InputError, match=sentence):
        ClassTable.from_mapping(mapping)
