"""Take the pictures of pages for the guides, in headless Chromium (`make browser` gets one)."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from unseen import JFA, Calibrated, ZeroShotDataset, load_dataset
from unseen.report import examine, page
from unseen.report.pictures import find_pictures
from unseen.studio import open_studio, write_studio

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from browser import browser_path
from studio_pages import choose_class, settle

IMAGES = Path(__file__).parent / "images"

# Of the animation: the size of the window, how much smaller the picture is, and its number of colours.
_WINDOW, _SHRUNK, _COLOURS = (1280, 820), 0.8, 128
# The class that is edited, its attribute, and where its slider moves, in how many steps, and how long it then rests.
_CLASS, _ATTRIBUTE = "86", "Tens 1"
_MOVES = ((0.2, 10, 2200), (0.5, 12, 1800), (0.2, 10, 3000))
_STEP = 110


def studio_pictures() -> None:
    """Take the page as it opens, with a class edited, and on a phone."""
    data, model = _learn()
    with TemporaryDirectory() as folder:
        path = write_studio(open_studio(model, data), Path(folder) / "s")
        with _opened(path, (1440, 900)) as shown:
            _take(shown, 1.0).save(IMAGES / "studio.png", optimize=True)
        with _opened(path, (1440, 900), "dark") as shown:
            choose_class(shown, _CLASS)
            _move(shown.get_by_role("slider", name=_ATTRIBUTE, exact=True), _MOVES[0][0])
            settle(shown)
            _take(shown, 1.0).save(IMAGES / "studio-editing.png", optimize=True)
        phones = Image.new("RGB", (2 * 375 + 24, 812), "white")
        for at, scheme in enumerate(("light", "dark")):
            with _opened(path, (375, 812), scheme) as shown:
                phones.paste(_take(shown, 1.0), (at * (375 + 24), 0))
        phones.save(IMAGES / "studio-phone.png", optimize=True)


def studio_animation() -> None:
    """Record how a slider of a class moves, and the answers of all pictures follow."""
    data, model = _learn()
    with TemporaryDirectory() as folder, _opened(write_studio(open_studio(model, data), Path(folder) / "s")) as shown:
        frames, times = [_take(shown)], [1500]
        choose_class(shown, _CLASS)
        frames, times = [*frames, _take(shown)], [*times, 1500]
        slider = shown.get_by_role("slider", name=_ATTRIBUTE, exact=True)
        slider.focus()
        at = 0.0
        for to, steps, rest in _MOVES:
            for step in range(1, steps + 1):
                _move(slider, at + (to - at) * step / steps)
                settle(shown)
                frames, times = [*frames, _take(shown)], [*times, _STEP]
            at, times[-1] = to, rest
    # One palette for all frames: with one for each, colours would flicker.
    sheet = Image.new("RGB", (frames[0].width, 3 * frames[0].height))
    for at, frame in enumerate((frames[1], frames[len(frames) // 2], frames[-1])):
        sheet.paste(frame, (0, at * frame.height))
    palette = _reduce(sheet, _COLOURS)
    flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    out = IMAGES / "studio.gif"
    flat[0].save(out, save_all=True, append_images=flat[1:], duration=times, loop=0, optimize=True)


def report_picture() -> None:
    """Take the beginning of a report: headline numbers, and pictures found."""
    data, model = _learn()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_text(page(examine(model, data, pictures=find_pictures(data, "digit-pairs"))), encoding="utf-8")
        with _opened(path, (1100, 1120)) as shown:
            _reduce(_take(shown, 1.0), _COLOURS).save(IMAGES / "report.png", optimize=True)


def _learn() -> tuple[ZeroShotDataset, Calibrated]:
    data = load_dataset("digit-pairs", random_state=0)
    return data, Calibrated(JFA(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)


@contextmanager
def _opened(path: Path, window: tuple[int, int] = _WINDOW, scheme: str = "light") -> Iterator[Any]:
    width, height = window
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path(), args=["--no-sandbox", "--disable-gpu"])
        shown = browser.new_page(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
        )
        shown.goto(path.resolve().as_uri())
        shown.wait_for_timeout(500)
        yield shown
        browser.close()


def _take(shown: Any, shrunk: float = _SHRUNK) -> Image.Image:
    shown.wait_for_timeout(150)
    taken = Image.open(io.BytesIO(shown.screenshot())).convert("RGB")
    size = (round(shrunk * taken.width), round(shrunk * taken.height))
    return taken.resize(size, Image.Resampling.LANCZOS)


def _reduce(picture: Image.Image, colours: int) -> Image.Image:
    # Small marks in colour count as much as large grey areas.
    return picture.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)


def _move(slider: Any, value: float) -> None:
    slider.evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true})); }",
        f"{value:.3f}",
    )
