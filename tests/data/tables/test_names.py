import pytest

from unseen.data.tables.names import match_labels, simplify_name
from unseen.utils.errors import InputError


@pytest.mark.parametrize(
    "spellings",
    [
        ["persian+cat", "persian cat", "Persian_Cat", " persian-cat "],
        ["001.Black_footed_Albatross", "Black footed albatross", "black-footed albatross"],
        ["inn/indoor", "inn_indoor"],
    ],
)
def test_spellings_of_one_name(spellings):
    assert len({simplify_name(name) for name in spellings}) == 1


def test_numbers_that_belong_to_a_name_stay():
    assert simplify_name("3 toed sloth") == "3 toed sloth"
    assert simplify_name(7) == simplify_name("7") == "7"


def test_the_very_label_wins_over_another_spelling():
    known = ["cat_1", "cat 1"]
    assert match_labels(["cat 1"], known, "split") == {"cat 1": "cat 1"}
    with pytest.raises(InputError, match="split names 'Cat-1', which may mean 'cat_1', 'cat 1'"):
        match_labels(["Cat-1"], known, "split")


def test_unknown_name_gets_a_sentence():
    with pytest.raises(InputError, match=r"split names classes .* 'okapy' \(did you mean 'okapi'\?\)"):
        match_labels(["zebra", "okapy"], ["zebra", "okapi"], "split")
