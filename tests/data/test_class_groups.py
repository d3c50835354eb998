"""Groups of classes, from files as people keep them."""

from pathlib import Path

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
    with pytest.raises(InputError, match="did you mean 'cats'"):
        GROUPS.choose(TABLE, ["cat"])
    with pytest.raises(InputError, match="no candidate is in the group 'cats'"):
        GROUPS.choose(ClassTable.one_hot(["zebra"]), ["cats"])
    with pytest.raises(InputError, match="has the candidate 'tapir' in none"):
        GROUPS.find_membership(np.array(["zebra", "tapir"]))
    with pytest.raises(InputError, match="has the candidate 'lion' in 'cats', 'big'"):
        ClassGroups.make({"cats": ["lion"], "big": ["lion"]}).find_membership(np.array(["lion"]))
