"""The site of `make docs`: built without a warning, whole when opened from the disk, and found by its own search."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import assert_all_is_shown, opened, started

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocstrings", reason="the group docs is not installed")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with started() as browser:
        yield browser


def test_every_guide_and_package_has_a_page(site: Path) -> None:
    pages = {path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")}
    guides = {path.stem for path in (ROOT / "docs").glob("*.md")}
    packages = {f"reference/{path.parent.name}" for path in (ROOT / "src" / "unseen").glob("*/__init__.py")}
    scripts = {f"gallery/{path.stem}" for path in (ROOT / "docs" / "gallery").glob("*.py")}
    wanted = guides | packages | scripts | {"contributing", "changelog", "reference/commands"}
    assert wanted - {"reference/cli"} <= pages


def test_nothing_is_fetched(site: Path) -> None:
    for path in site.rglob("*.html"):
        fetched = re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(?:https?:)?//[^"]*', path.read_text())
        assert not fetched, path


def test_guides_lead_to_the_reference(site: Path) -> None:
    assert 'href="reference/models.html#unseen.models.Prepared"' in (site / "selection.html").read_text()


def test_formulas_are_typeset(site: Path) -> None:
    text = (site / "model.html").read_text()
    assert "<math" in text
    assert "arithmatex" not in text
    # Latin letters that are left over from a command which the converter does not know.
    assert not re.search(r"<mi>\\|<mtext>\\", text)


@pytest.mark.parametrize(("width", "scheme"), [(375, "light"), (375, "dark"), (1200, "dark")])
@pytest.mark.parametrize("name", ["index", "model", "results", "reference/models", "reference/commands"])
def test_pages_are_readable_from_the_disk(chromium: Any, site: Path, name: str, width: int, scheme: str) -> None:
    with opened(chromium, (site / f"{name}.html").as_uri(), width, scheme) as (page, asked):
        assert_all_is_shown(page, scheme)
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_search_works_from_the_disk(chromium: Any, site: Path) -> None:
    with opened(chromium, (site / "index.html").as_uri()) as (page, _):
        page.click("input.md-search__input")
        # Without a hyphen: the theme warns of half-written words that end in one.
        page.keyboard.type("splitter selection")
        page.wait_for_selector(".md-search-result__item a")
        found = page.eval_on_selector_all(".md-search-result__item a", "links => links.map(link => link.href)")
        assert any("selection.html" in address for address in found)


def test_light_and_dark_can_be_chosen(chromium: Any, site: Path) -> None:
    with opened(chromium, (site / "index.html").as_uri(), scheme="dark") as (page, _):
        page.click("label[title^='Follow the system']")
        assert_all_is_shown(page, "light")
        page.click("label[title^='Light']")
        assert_all_is_shown(page, "dark")
