"""Grids of omega and lambda, as they are written and as they are refused."""

import pytest

from unseen.sweep.settings import make_settings, parse_values
from unseen.utils.errors import InputError


@pytest.mark.parametrize(("text", "expected"), [("-1:1:2", [0.1, 10.0]), ("2", [100.0]), ("1,5", [1.0, 5.0])])
def test_values(text, expected):
    assert parse_values(text, "grid") == expected


@pytest.mark.parametrize("text", ["5:-5", "a:b", "1:2:0", "x", ""])
def test_bad_values_are_refused_with_a_sentence(text):
    with pytest.raises(InputError, match=r"give e\.g\. -5:5"):
        parse_values(text, "grid")


def test_bad_grids_are_refused_with_a_sentence():
    with pytest.raises(InputError, match=r"grid holds 0\.0: give values that are positive"):
        make_settings([0.0, 1.0], [1.0])
    with pytest.raises(InputError, match="lambda holds nothing"):
        make_settings([1.0], [])
    with pytest.raises(InputError, match="more than 2,000,000"):
        make_settings(range(1, 100), [1.0])
