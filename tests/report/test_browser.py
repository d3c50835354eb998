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
@pytest.mark.parametrize("width", [375, 1200])
def test_all_is_shown_and_nothing_sticks_out(chromium: Any, address: str, scheme: str, width: int) -> None:
    with opened(chromium, address, width, scheme) as (page, asked):
        assert_all_is_shown(page, scheme)
        assert [url for url in asked if not url.startswith("data:")] == [address]


def test_figures_follow_light_and_dark(chromium: Any, address: str) -> None:
    inks = []
    for scheme in ("light", "dark"):
        with opened(chromium, address, scheme=scheme) as (page, _):
            # Whatever is drawn in a fixed black or white would vanish in one of the schemes.
            drawn = page.evaluate(
                """[...document.querySelectorAll("figure svg *")].flatMap(element =>
                    [getComputedStyle(element).fill, getComputedStyle(element).stroke])"""
            )
            paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
            inks.append(page.evaluate("getComputedStyle(document.querySelector('figure svg')).fill"))
            assert not {"rgb(0, 0, 0)", "rgb(255, 255, 255)"} & (set(drawn) - {paper})
            assert inks[-1] in drawn
    assert inks[0] != inks[1]


def test_three_pictures_stand_in_a_row_on_a_telephone(chromium: Any, address: str) -> None:
    with opened(chromium, address, 375) as (page, _):
        places = page.evaluate(
            "[...document.querySelector('.shelf ul').children].map(item => item.getBoundingClientRect())"
        )
        assert [place["top"] == places[0]["top"] for place in places] == [True, True, True, False, False, False]
        assert all(place["width"] > 100 for place in places)


def test_what_is_too_wide_scrolls_by_itself_and_keeps_the_names_in_view(chromium: Any, address: str) -> None:
    with opened(chromium, address, 375) as (page, _):
        wide = page.locator("#numbers .wide", has_text="AUSUC").first
        assert wide.evaluate("box => box.scrollWidth > box.clientWidth")
        assert "local" in wide.evaluate("box => getComputedStyle(box).backgroundAttachment")
        name = wide.locator("td").first
        before = name.bounding_box()
        wide.evaluate("box => box.scrollLeft = 200")
        assert name.bounding_box() == before
        figure = page.locator("#figure-per-class .wide")
        assert figure.evaluate("box => box.scrollWidth > box.clientWidth")


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
