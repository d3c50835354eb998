"""Groups of classes, from files as people keep them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.data import ClassTable
from unseen.data.class_groups import ClassGroups
from unseen.utils.errors import InputError

TABLE = ClassTable.one_hot(["zebra", "lion", "snow_leopard", "okapi"])
GROUPS = ClassGroups.make({"cats": ["Lion", "snow leopard", "lynx"], "others": ["zebra", "okapi"]})


@pytest.mark.parametrize(
    "text",
    [
        "class,group\nlion,cats\nzebra,others\n",
        "Class;Notes;Group\nlion;sleeps;cats\nzebra;;others\n",
        "species\tfamily\nlion\tcats\nzebra\tothers\n",
        "what,where\nlion,cats\nzebra,others\n",
        "group,class\ncats,lion\nothers,zebra\n",
    ],
)
def test_files_are_read_as_people_keep_them(text: str, tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(text)
    assert ClassGroups.make(tmp_path / "g.csv").members == {"cats": ("lion",), "others": ("zebra",)}


def test_spelling_and_classes_that_are_not_candidates_do_not_matter() -> None:
    assert list(GROUPS.choose(TABLE, ["cats"])) == ["lion", "snow_leopard"]
    assert list(GROUPS.choose(TABLE, "others")) == ["zebra", "okapi"]
    assert list(GROUPS.choose(TABLE, ["others", "cats"])) == list(TABLE)


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_sums_are_those_of_the_members(chances: list[float]) -> None:
    found = GROUPS.add_up(np.array([chances]), TABLE.labels)
    assert found.groups.tolist() == ["cats", "others"]
    np.testing.assert_allclose(found.probabilities, [[chances[1] + chances[2], chances[0] + chances[3]]], rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("class,group\nlion,\n", "line 2 lacks its class or its group"),
        ("a,b,c\nlion,cats,3\n", "name the column of classes 'class'"),
    ],
)
def test_files_that_say_too_little_are_refused(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(text)
    with pytest.raises(InputError, match=sentence):
        ClassGroups.make(tmp_path / "g.csv")


def test_bad_questions_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a file: give a CSV file"):
        ClassGroups.make(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="not a file nor a mapping"):
        ClassGroups.make(3)
    with pytest.raises(InputError, match=r"only=\[\] is not a group in groups: name one of 'cats'"):
        GROUPS.choose(TABLE, [])
    with pytest.raises(InputError, match="did you mean 'cats'"):
        GROUPS.choose(TABLE, ["cat"])
    with pytest.raises(InputError, match="only='cats' leaves no candidate"):
        GROUPS.choose(ClassTable.one_hot(["zebra"]), ["cats"])
    with pytest.raises(InputError, match="has the candidate 'tapir' in none"):
        GROUPS.find_membership(np.array(["zebra", "tapir"]))
    with pytest.raises(InputError, match="has the candidate 'lion' in 'cats', 'big'"):
        ClassGroups.make({"cats": ["lion"], "big": ["lion"]}).find_membership(np.array(["lion"]))


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ({}, "groups is empty: give a mapping"),
        ({"a": 3}, "groups has a value of the type int for 'a'"),
        ({"a": None}, "groups has a value of the type NoneType for 'a'"),
        ({"a": {"lion": 1}}, "groups has a value of the type dict for 'a'"),
        ({"a": [["lion"]]}, "groups has a value of the type list in 'a'"),
        ({"a": ["lion", None]}, "groups has a value of the type NoneType in 'a'"),
        ({"a": []}, "groups has 'a' without any class"),
    ],
)
def test_mappings_that_are_not_groups_get_a_sentence(groups: Any, sentence: str) -> None:
    for make in (ClassGroups.make, ClassGroups.from_mapping):
        with pytest.raises(InputError, match=sentence):
            make(groups)


def test_a_mapping_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("class,group\nlion,cats\n")
    with pytest.raises(InputError, match="groups is of the type str: give a mapping"):
        ClassGroups.from_mapping(str(tmp_path / "g.csv"))  # type: ignore[arg-type]


def test_a_spelling_that_two_candidates_share_is_refused() -> None:
    with pytest.raises(InputError, match="which may mean"):
        GROUPS.find_membership(np.array(["snow_leopard", "snow-leopard"]))


@given(st.data())
def test_sums_do_not_depend_on_the_order_of_classes_or_groups(data: st.DataObject) -> None:
    labels = [f"class {'abcdefgh'[at]}" for at in range(8)]
    of = data.draw(st.lists(st.sampled_from("xyz"), min_size=8, max_size=8))
    members = {name: [label for label, group in zip(labels, of, strict=True) if group == name] for name in set(of)}
    chances = np.array(data.draw(st.lists(st.lists(st.floats(0, 1), min_size=8, max_size=8), min_size=1, max_size=3)))
    order = data.draw(st.permutations(range(8)))
    groups = ClassGroups.make({name: members[name] for name in data.draw(st.permutations(sorted(members)))})
    found = groups.add_up(chances[:, order], np.array(labels)[order])
    expected = [chances[:, np.array(of) == name].sum(axis=1) for name in found.groups]
    np.testing.assert_allclose(found.probabilities, np.transpose(expected), atol=1e-12)
