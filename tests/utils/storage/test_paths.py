"""Names that come from a file stay in their folder."""

import os
from pathlib import Path

import pytest

from unseen.utils.errors import InputError
from unseen.utils.storage.paths import join_inside


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "../a",
        "a/../../b",
        "a/..",
        "/etc/passwd",
        "//server/share",
        "..\\a",
        "a\\..\\..\\b",
        "C:\\a",
        "C:a",
        "\\a",
        "\\\\server\\share",
        "a\0b",
        "a\nb",
        "a\rb",
        "\x1b[2Ja",
        "a\u2028b",
        "\udcff",
        "",
        None,
        7,
        ["a"],
    ],
)
def test_names_that_are_refused(name: object, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        join_inside(tmp_path, name)
    assert repr(name) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["a", "a/b", "a b", "..a", "a..", "ä.txt", "a\\b", ".hidden", ".", "at 3\u202fPM", "\u3000"]
)
def test_names_that_are_joined(name: str, tmp_path: Path) -> None:
    assert join_inside(tmp_path, name) == tmp_path / name


def test_links_that_lead_out(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    for place in (folder / "real", elsewhere):
        place.mkdir(parents=True)
    (elsewhere / "secret").write_text("s")
    (folder / "file").symlink_to(elsewhere / "secret")
    (folder / "sub").symlink_to(elsewhere)
    (folder / "dangling").symlink_to(elsewhere / "not-yet")
    (folder / "circle").symlink_to("circle")
    for name in ("file", "sub/secret", "sub/new", "dangling", "circle"):
        with pytest.raises(InputError, match="leads out"):
            join_inside(folder, name)
    # Links within the folder, and a folder that is itself a link, are fine.
    (folder / "within").symlink_to("real")
    assert join_inside(folder, "within/a") == folder / "within" / "a"
    os.symlink(folder, tmp_path / "alias")
    assert join_inside(tmp_path / "alias", "real/a") == tmp_path / "alias" / "real" / "a"
