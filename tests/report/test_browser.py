"""The page in headless Chromium: `make browser` gets one from the registry; skipped where there is none."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unseen.report import Report

playwright = pytest.importorskip("playwright.sync_api")


def browser_path() -> str | None:
    """Return the Chromium named by the environment, that of `make browser`, or one of the system."""
    own = Path(sys.prefix) / "browser" / "chromium"
    names = ("chromium", "chromium-browser", "google-chrome", "chrome-headless-shell")
    known = [os.environ.get("CHROMIUM"), str(own) if own.exists() else None, *map(shutil.which, names)]
    return next(filter(None, known), None)


pytestmark = pytest.mark.skipif(browser_path() is None, reason="no Chromium: `make browser` gets one")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path(), args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(text: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 1200])
def test_all_is_shown_and_nothing_sticks_out(chromium: Any, address: str, scheme: str, width: int) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    assert page.evaluate("[...document.images].every(image => image.naturalWidth > 0)")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [url for url in asked if not url.startswith("data:")] == [address]
    assert not said
    ink, paper = (page.evaluate(f"getComputedStyle(document.body).{name}") for name in ("color", "backgroundColor"))
    lightness = [sum(map(int, shade.removeprefix("rgb(").rstrip(")").split(","))) for shade in (ink, paper)]
    assert (lightness[0] < lightness[1]) == (scheme == "light")
    assert abs(lightness[0] - lightness[1]) > 400
    page.close()


def test_data_can_be_saved(chromium: Any, address: str, report: Report, tmp_path: Path) -> None:
    page = chromium.new_page(accept_downloads=True)
    page.goto(address)
    for drawn in report.figures:
        with page.expect_download() as waiting:
            page.click(f"#figure-{drawn.name} a[download]")
        assert waiting.value.suggested_filename == f"{drawn.name}.csv"
        waiting.value.save_as(tmp_path / "data.csv")
        assert (tmp_path / "data.csv").read_text(encoding="utf-8") == drawn.data.to_csv()
    page.close()


def test_it_prints(chromium: Any, address: str) -> None:
    page = chromium.new_page()
    page.goto(address)
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.close()
