"""Take the pictures of the studio, on digit-pairs, in the headless Chromium of `make browser`."""

import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

from unseen import JFA, Calibrated, load_dataset
from unseen.studio import open_studio, write_studio

ROOT = Path(__file__).parents[1]
IMAGES = Path(__file__).parent / "images"

# A class that answers too often, the attribute that mends it, and where its slider goes.
CLASS, ATTRIBUTE, PLACE = "95", "Tens 8", 8
VALUES = [0.02, 0.05, 0.08, 0.12, 0.16, 0.2, 0.24, 0.27, 0.3]

MOVE = """([name, value, ends]) => {
  const slider = [...document.querySelectorAll(".range")].find((one) => one.getAttribute("aria-label") === name);
  slider.value = value;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  if (ends) slider.dispatchEvent(new Event("change", { bubbles: true }));
}"""


def studio() -> None:
    """Take the page as it opens, a class edited, a phone, and a slider that moves."""
    data = load_dataset("digit-pairs", random_state=0)
    model = Calibrated(JFA(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    with tempfile.TemporaryDirectory() as folder, _browser() as browser:
        page = write_studio(open_studio(model, data), folder).as_uri()
        with _opened(browser, page, 1440, 900) as shown:
            _take(shown).save(IMAGES / "studio.png", optimize=True)
        with _opened(browser, page, 1440, 900, "dark") as shown:
            _choose(shown)
            shown.evaluate(MOVE, [ATTRIBUTE, VALUES[-1], True])
            _take(shown).save(IMAGES / "studio-editing.png", optimize=True)
        _take_phones(browser, page).save(IMAGES / "studio-phone.png", optimize=True)
        with _opened(browser, page, 1300, 760) as shown:
            _write_animation(_film(shown), IMAGES / "studio.gif")


def _take_phones(browser: Any, page: str) -> Image.Image:
    both = Image.new("RGB", (375 * 2 + 24, 812), "white")
    for at, scheme in enumerate(("light", "dark")):
        with _opened(browser, page, 375, 812, scheme) as shown:
            if at:
                _choose(shown)
            both.paste(_take(shown), (at * (375 + 24), 0))
    return both


def _film(page: Any) -> list[Image.Image]:
    """Move the slider down and up again; one frame for each place."""
    frames = [_take(page)]
    _choose(page)
    frames.append(_take(page))
    for value in [*VALUES, *VALUES[::-3]]:
        page.evaluate(MOVE, [ATTRIBUTE, value, False])
        frames.append(_take(page))
    return frames


def _write_animation(frames: list[Image.Image], path: Path) -> None:
    palette = _make_palette()
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    waits = [1400, 1200, *[220] * len(VALUES), *[220] * (len(frames) - 2 - len(VALUES))]
    waits[1 + len(VALUES)] = 2200
    drawn[0].save(path, save_all=True, append_images=drawn[1:], duration=waits, loop=0, optimize=True)


def _make_palette() -> Image.Image:
    """Make a palette of greys and the two hues of the page, which are too rare to be found by themselves."""
    greys = [(at, at, at) for at in range(0, 256, 4)]
    hues = [(11, 102, 183), (191, 68, 7)]
    mixed = [tuple(255 - (255 - part) * share // 12 for part in hue) for hue in hues for share in range(1, 13)]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in [*greys, *mixed] for part in colour])
    return palette


def _choose(page: Any) -> None:
    page.evaluate(
        "name => studio.chooseClass(studio.document.classes.findIndex(one => one.name === name), {andPicture: true})",
        CLASS,
    )
    page.evaluate("place => studio.look({wanted: place})", PLACE)


def _take(page: Any) -> Image.Image:
    page.wait_for_timeout(500)
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


@contextmanager
def _opened(browser: Any, address: str, width: int, height: int, scheme: str = "light") -> Iterator[Any]:
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(address)
    page.wait_for_selector(".tile")
    yield page
    page.close()


@contextmanager
def _browser() -> Iterator[Any]:
    sys.path.insert(0, str(ROOT / "tests"))
    from browser import browser_path
    from playwright.sync_api import sync_playwright

    if browser_path() is None:
        sys.exit("the pictures of the studio need a Chromium: `make browser` gets one")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path(), args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


if __name__ == "__main__":
    studio()
