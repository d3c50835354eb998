"""Measure the page of a studio in a browser: from the input of a slider to the painted page.

Made-up pictures and classes, and the headless Chromium of `make browser` (or the one that CHROMIUM names).
"""

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tools.ratios import Row, ratio_options, show
from unseen.data import ClassTable
from unseen.models import JFA
from unseen.report.pictures import encode_picture
from unseen.studio.session import Studio
from unseen.studio.shown import Shown
from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional
from unseen.workflows import open_model

# Seconds from the input to the painted page that a person does not notice.
ALLOWED = 0.05
MOVES = 40

# Move a slider, and wait until the frame in which the page follows is painted: a message is only read after it.
MEASURE = """async (moves) => {
  const slider = document.querySelector(".slider .range");
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done(performance.now());
    port2.postMessage(null);
  }));
  const waits = [];
  for (let move = 0; move < moves; move++) {
    await new Promise((done) => setTimeout(done, 30));
    const start = performance.now();
    slider.value = String(move % 2 ? 0.1 + move / 200 : 0.9 - move / 200);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    waits.push((await painted()) - start);
  }
  return waits;
}"""


def main(arguments: list[str]) -> None:
    options = ratio_options(__name__, __doc__).parse_args(arguments)
    sizes = (60, 12, 16) if options.small else (5000, 200, 312)
    title = "studio_page: {:,} pictures, {} classes, {} attributes".format(*sizes)
    show(measure(*sizes), title, options.json)


def measure(n: int, n_classes: int, width: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.html"
        path.write_text(make_studio(n, n_classes, width).page(), encoding="utf-8")
        started, first, *waits = _measure_in_browser(path)
    floor = ("s allowed", ALLOWED)
    return [
        Row("input to paint, first touch of a class", first, *floor, at_most=1),
        Row("input to paint, median", statistics.median(waits), *floor, at_most=1),
        Row("input to paint, longest", max(waits), *floor, at_most=1),
        Row("opening the page", started, *floor),
    ]


def make_studio(n: int, n_classes: int, width: int) -> Studio:
    """Make a studio of random pictures, whose features are random functions of random descriptions."""
    rng = np.random.default_rng(0)
    labels = [f"class {at}" for at in range(n_classes)]
    names = [f"part {at // 12} colour::{at % 12}" for at in range(width)]
    table = ClassTable(rng.random((n_classes, width)), labels, names)
    to_features = rng.normal(size=(width, 300))

    def draw(y: Any) -> Any:
        noise = rng.normal(scale=20, size=(len(y), 300))
        return (table.vectors[y] @ to_features + noise).astype(np.float32)

    seen, shown = np.repeat(np.arange(n_classes), 6), rng.integers(0, n_classes, n)
    model = JFA().fit(draw(seen), table.labels[seen], classes=table)
    truth = [labels[at] for at in shown]
    rows = Shown(draw(shown), [f"row {at}" for at in range(n)], truth, _draw_picture, None, "made up")
    return Studio(open_model(model), rows, table, labels, 0.25)


def _draw_picture(at: int) -> str:
    image = import_optional("PIL.Image", "figures", "pictures")
    colours = np.random.default_rng(at).integers(0, 256, (12, 12, 3), dtype=np.uint8)
    return encode_picture(image.fromarray(colours).resize((120, 120)), "JPEG")


def _measure_in_browser(path: Path) -> list[float]:
    """Return the seconds until the page was there, and then those of each move of a slider."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from browser import browser_path

    api = import_optional("playwright.sync_api", "test", "a browser")
    if browser_path() is None:
        raise InputError("there is no Chromium here: `make browser` gets one, or name one in CHROMIUM")
    with api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(path.as_uri())
        page.wait_for_selector(".tile", timeout=60_000)
        started = page.evaluate("performance.now()")
        page.evaluate("studio.chooseClass(3, {andPicture: true})")
        page.wait_for_selector(".slider .range")
        page.wait_for_timeout(500)  # nobody touches a slider sooner
        waits = page.evaluate(MEASURE, MOVES)
        browser.close()
    return [milliseconds / 1000 for milliseconds in (started, *waits)]
