"""Test that names are readable, distinct and never empty."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.data.tables.names import simplify_name
from unseen.utils.names import readable_attribute, readable_name, readable_names


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("012.Yellow_headed_Blackbird", "Yellow headed Blackbird"),
        ("grizzly+bear", "grizzly bear"),
        ("inn/indoor", "inn/indoor"),
        ("C++", "C++"),
        ("1+1", "1+1"),
        ("02", "02"),
        ("0.5", "0.5"),
        ("12.", "12."),
        ("__", "__"),
        ("", ""),
        ("  two   spaces ", "two spaces"),
        ("東京_タワー", "東京 タワー"),
        (7, "7"),
        (("a", 1), "('a', 1)"),
    ],
)
def test_labels_are_written_as_people_write_them(label: object, name: str) -> None:
    assert readable_name(label) == name


@settings(max_examples=400)
@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=30) | st.text("ab_+ 01.", max_size=8))
def test_a_readable_name_means_the_same_class(label: str) -> None:
    name = readable_name(label)
    assert bool(name) == bool(label)
    assert readable_name(name) == name
    if simplify_name(label):
        assert simplify_name(name) == simplify_name(label)


@given(st.lists(st.text("ab_+ 01.", max_size=5), unique=True, max_size=12))
def test_different_labels_get_different_names(labels: list[str]) -> None:
    assert len(set(readable_names(labels))) == len(labels)


def test_labels_that_would_look_alike_stay_as_they_are() -> None:
    assert readable_names(["fish_crow", "fish crow", "1.x_y"]) == ["fish_crow", "fish crow", "x y"]
    assert readable_names(["a_b", "a_b"]) == ["a b", "a b"]


@pytest.mark.parametrize(
    ("attribute", "name"),
    [
        ("has_wing_color::blue", "wing color: blue"),
        ("has_tail", "has tail"),
        ("::x", "::x"),
        ("new world", "new world"),
        ("a::", "a::"),
    ],
)
def test_attributes_are_written_as_people_write_them(attribute: str, name: str) -> None:
    assert readable_attribute(attribute) == name
