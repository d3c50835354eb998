"""Groups of candidates."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.confidence import Groups
from unseen.data import ClassTable
from unseen.utils.errors import InputError

TABLE = ClassTable(np.eye(5), ["zebra", "okapi", "seal", "whale", "012.Yellow_Warbler"])
MEMBERS = {"hoofed": ["okapi", "Zebra"], "swims": ["seal", "whale"], "mammals": ["whale", "zebra"]}


def test_labels_come_in_the_order_of_the_table() -> None:
    groups = Groups(MEMBERS, TABLE)
    assert groups.labels(["hoofed"]) == ["zebra", "okapi"]
    assert groups.labels(["swims", "hoofed"]) == groups.labels() == ["zebra", "okapi", "seal", "whale"]
    assert Groups({"birds": ["yellow warbler"]}, TABLE).labels() == ["012.Yellow_Warbler"]


@given(st.lists(st.floats(0, 1), min_size=5, max_size=5), st.permutations(range(5)))
def test_probabilities_are_summed_by_label(chances: list[float], order: list[int]) -> None:
    labels = TABLE.labels[order]
    by_label = dict(zip(labels.tolist(), chances, strict=True))
    found = Groups(MEMBERS, TABLE).sum(np.array([chances]), labels)
    expected = [by_label["okapi"] + by_label["zebra"], by_label["seal"] + by_label["whale"]]
    np.testing.assert_allclose(found[0], [*expected, by_label["whale"] + by_label["zebra"]], atol=1e-12)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({}, "at least one group"),
        (["zebra"], "not a mapping"),
        ({"a": "zebra"}, "'zebra' for 'a'"),
        ({"a": []}, "at least one label"),
        ({"a": [["zebra"]]}, "not a label"),
        ({"a": ["zebre"]}, "did you mean 'zebra'"),
    ],
)
def test_wrong_groups_get_a_sentence(members: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Groups(members, TABLE)


@pytest.mark.parametrize(("only", "words"), [(["hofed"], "did you mean 'hoofed'"), ([], "no group")])
def test_wrong_names_of_groups_get_a_sentence(only: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Groups(MEMBERS, TABLE).labels(only)
