"""A headless Chromium for the tests that look at pages: `make browser` gets one from the registry."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


def browser_path() -> str | None:
    """Return the Chromium named by the environment, that of `make browser`, or one of the system."""
    own = Path(sys.prefix) / "browser" / "chromium"
    names = ("chromium", "chromium-browser", "google-chrome", "chrome-headless-shell")
    known = [os.environ.get("CHROMIUM"), str(own) if own.exists() else None, *map(shutil.which, names)]
    return next(filter(None, known), None)


@contextmanager
def started() -> Iterator[Any]:
    """Start a browser, or skip the test where there is none."""
    playwright = pytest.importorskip("playwright.sync_api")
    if browser_path() is None:
        pytest.skip("no Chromium: `make browser` gets one")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path(), args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, address: str, width: int = 1200, scheme: str = "light") -> Iterator[tuple[Any, list[str]]]:
    """Open a page and list the addresses that it asks for; fail if it has complained by the end."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    yield page, asked
    assert said == []
    page.close()


def assert_all_is_shown(page: Any, scheme: str) -> None:
    """Fail if a picture is missing, something sticks out, or text does not stand out from a light or dark ground."""
    assert page.evaluate("[...document.images].every(image => image.naturalWidth > 0)")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shades = [page.evaluate(f"getComputedStyle(document.body).{name}") for name in ("color", "backgroundColor")]
    ink, paper = (sum(map(int, re.findall(r"\d+", shade)[:3])) for shade in shades)
    assert (ink < paper) == (scheme == "light")
    assert abs(ink - paper) > 400
