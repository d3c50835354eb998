"""The page in headless Chromium: `make browser` gets one from the registry; skipped where there is none."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import assert_all_is_shown, opened, started

from unseen.report import Report


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with started() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(text: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 1200])
def test_all_is_shown_and_nothing_sticks_out(chromium: Any, address: str, scheme: str, width: int) -> None:
    with opened(chromium, address, width, scheme) as (page, asked):
        assert_all_is_shown(page, scheme)
        assert [url for url in asked if not url.startswith("data:")] == [address]


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
