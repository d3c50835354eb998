"""The page in a real browser: light and dark, narrow and wide, by keyboard alone, and for screen readers."""

import re
from typing import Any

import numpy as np
import pytest
from browser import assert_all_is_shown
from studio_pages import OpenPage, choose_class, read_shares, settle, wait_until

from unseen.data import ClassTable, ZeroShotDataset
from unseen.models import ESZSL, Calibrated, ConSE
from unseen.studio import Studio, StudioView, open_studio

# Text and the ground it stands on: the contrast of each pair that is in sight.
CONTRAST = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!text || !element.checkVisibility() || element.closest(":disabled, .row-card, option")) continue;
    const [ink, paper] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    found.push([ratio, element.className || element.tagName, element.textContent.slice(0, 30)]);
  }
  return found.sort((one, other) => one[0] - other[0]).slice(0, 3);
}"""


@pytest.fixture(scope="module")
def conse(shares: ZeroShotDataset) -> Calibrated:
    return Calibrated(ConSE(), random_state=0).fit(shares.X_train, shares.y_train, classes=shares.classes)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 700, 960, 1000, 1440, 3840])
def test_all_is_shown_and_nothing_sticks_out(studio: Studio, show: OpenPage, width: int, scheme: str) -> None:
    with show(studio, width, scheme) as page:
        choose_class(page, "55") if width > 700 else page.evaluate("studio.chooseClass(17, {andPicture: true})")
        settle(page)
        wait_until(page, "[...document.images].every(image => image.complete)")
        page.evaluate("document.querySelectorAll('.picture img[hidden]').forEach(image => image.remove())")
        wait_until(page, "[...document.images].every(image => image.naturalWidth > 0)")
        assert_all_is_shown(page, scheme)
        [worst, *_] = page.evaluate(CONTRAST)
        assert worst[0] >= 4.5, worst


def test_the_theme_can_be_chosen(studio: Studio, show: OpenPage) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    with show(studio) as page:
        light = page.evaluate(ground)
        page.keyboard.press("d")
        assert page.evaluate(ground) != light
        page.get_by_role("button", name="Light or dark").click()
        assert page.evaluate(ground) == light


def test_everything_by_keyboard(studio: Studio, show: OpenPage) -> None:
    with show(studio) as page:
        page.keyboard.press("?")
        keys = page.locator("dialog[open] kbd").all_inner_texts()
        assert {"J", "K", "R", "W", "E", "N", "C", "T", "Ctrl Z", "?"} <= set(keys)
        page.keyboard.press("Escape")
        wait_until(page, "document.querySelector('dialog[open]') === null")
        first = page.evaluate("studio.view.picture")
        page.keyboard.press("j")
        settle(page)
        assert page.evaluate("studio.view.picture") != first
        page.keyboard.press("k")
        settle(page)
        assert page.evaluate("studio.view.picture") == first
        page.keyboard.press("2")
        settle(page)
        assert page.evaluate("studio.view.chosen === studio.rank(studio.view.picture)[1]")
        page.keyboard.press("s")
        before = page.evaluate("studio.history.past.length")
        for key in ("ArrowLeft", "ArrowLeft", "PageDown", "ArrowRight"):
            page.keyboard.press(key)
        settle(page)
        assert page.evaluate("studio.history.past.length") > before
        assert page.evaluate("document.activeElement.matches('.range')")
        page.keyboard.press("g")
        page.keyboard.press("End")
        settle(page)
        assert page.evaluate("studio.view.picture === studio.order.at(-1)")
        page.keyboard.press("Home")
        page.keyboard.press("ArrowDown")
        settle(page)
        assert page.evaluate("studio.order.indexOf(studio.view.picture)") > 1
        page.keyboard.press("f")
        page.keyboard.type("ones 3")
        settle(page)
        assert page.locator(".slider").count() == 1


def test_screen_readers_are_told(studio: Studio, show: OpenPage) -> None:
    with show(studio) as page:
        choose_class(page, "55")
        # Everything that can be used has a name, and ids are not given twice.
        unnamed = page.evaluate(
            "[...document.querySelectorAll('button, input, textarea, [role=option], dialog')].filter(element =>"
            "!(element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length"
            "|| element.title)).map(element => element.outerHTML)"
        )
        assert unnamed == []
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map(element => element.id)")
        assert len(ids) == len(set(ids))
        tile = page.locator(".tile").first.get_attribute("aria-label")
        assert re.fullmatch(r"row \d+: .+, [<>]?\d+%, (right|wrong|none of these)", tile)
        assert page.get_by_role("slider", name="Tens 5", exact=True).get_attribute("aria-valuetext") == "100%"
        assert page.locator("[role=status]").count() >= 2


def test_only_pictures_in_sight_are_in_the_document(studio: Studio, show: OpenPage) -> None:
    with show(studio) as page:
        count = page.evaluate("studio.count")
        assert page.locator(".tile").count() < count
        page.evaluate("document.getElementById('grid').scrollTo(0, 1e6)")
        page.wait_for_selector(f"#tile-{count - 1}")
        assert page.locator(".tile").count() < count


def test_a_model_that_a_page_cannot_compute_is_shown_but_not_edited(
    conse: Calibrated, shares: ZeroShotDataset, show: OpenPage
) -> None:
    made = open_studio(conse, shares)
    assert "ConSE" in made.reason
    chances = conse.predict_proba(made.shown.X, classes=made.table.select(made.candidates))
    with show(made) as page:
        best = page.evaluate("Array.from({length: studio.count}, (_, i) => studio.answers.confidence(i))")
        assert best == pytest.approx(chances.max(axis=1).tolist(), abs=1e-6)
        assert "Editing is not available" in page.inner_text(".editor")
        assert page.locator(".range").count() == 0
        page.keyboard.press("n")
        page.keyboard.press("c")
        settle(page)
        assert "cannot be changed on this page" in page.inner_text("dialog[open]")
        assert page.locator("dialog[open] input:visible").count() == 0


def test_labels_are_text_and_never_markup(shares: ZeroShotDataset, show: OpenPage) -> None:
    wild = {str(label): f"</script><img src=x onerror=alert({at})>&{label}" for at, label in enumerate(shares.classes)}
    table = ClassTable(shares.classes.vectors, list(wild.values()), [f"<b>{j}</b>" for j in range(8)])
    named: list[Any] = [wild[str(label)] for label in shares.y]
    data = ZeroShotDataset(shares.X, named, table, shares.train, shares.test_seen, shares.test_unseen, name="<i>")
    model = ESZSL().fit(data.X_train, data.y_train, classes=data.classes)
    with show(open_studio(model, data)) as page:
        page.evaluate("studio.chooseClass(0, {andPicture: true})")
        settle(page)
        assert page.locator("img[src='x']").count() == 0
        assert "onerror" in page.inner_text(".class-choice .chosen")


def test_a_server_computes_what_a_page_cannot(conse: Calibrated, shares: ZeroShotDataset, chromium: Any) -> None:
    """The page asks for the scores of edited candidates, and shows what it is told."""
    made = open_studio(conse, shares)
    X, asked = made.shown.X, []

    def predict(vectors: Any, labels: list[str]) -> np.ndarray:
        return np.asarray(conse.predict_proba(X, classes=ClassTable(np.array(vectors), labels)))

    def answer(route: Any) -> None:
        if route.request.url.endswith("/scores"):
            classes = route.request.post_data_json["classes"]
            asked.append(len(classes))
            chances = predict([one["description"] for one in classes], [one["label"] for one in classes])
            route.fulfill(json={"scores": np.log(chances).T.tolist()})
        else:
            page_of_studio = made.page(server={"base": "/studio", "functions": ["scores"]})
            route.fulfill(body=page_of_studio, content_type="text/html")

    page = chromium.new_page(viewport={"width": 1440, "height": 900})
    page.route("http://studio.test/**", answer)
    page.goto("http://studio.test/")
    wait_until(page, "window.studio !== undefined")
    table = made.table.select(made.candidates)
    np.testing.assert_allclose(read_shares(page), predict(table.vectors, made.candidates), atol=1e-6)
    page.evaluate("studio.chooseClass(2, {andPicture: true})")
    settle(page)
    page.locator(".range").first.focus()
    page.keyboard.press("PageUp")
    wait_until(page, "studio.followed === studio.document && studio.isEdited")
    vectors = page.evaluate("studio.document.active.map(id => [...studio.classOf(id).vector])")
    assert np.abs(np.array(vectors) - table.vectors).max() > 0.05
    np.testing.assert_allclose(read_shares(page), predict(vectors, made.candidates), atol=1e-6)
    page.keyboard.press("Control+z")
    wait_until(page, "studio.followed === studio.document && !studio.isEdited")
    np.testing.assert_allclose(read_shares(page), predict(table.vectors, made.candidates), atol=1e-6)
    assert asked == [len(made.candidates)] * 2
    page.close()


def test_the_frame_of_a_notebook_works(studio: Studio, chromium: Any) -> None:
    page = chromium.new_page(viewport={"width": 1200, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.set_content(StudioView(studio)._repr_html_())
    frame = page.frame_locator("iframe")
    frame.locator(".tile").first.wait_for()
    frame.locator(".candidate").nth(1).click()
    frame.locator(".sliders .range").first.wait_for()
    frame.locator(".take-away").click()
    with page.expect_download() as waiting:
        frame.locator(".take button").first.click()
    assert waiting.value.suggested_filename == "classes.csv"
    assert said == []
    page.close()


def test_pictures_are_filtered(studio: Studio, show: OpenPage) -> None:
    with show(studio) as page:
        counts = {}
        for name in ("all", "right", "wrong", "sure", "unsure", "none", "changed"):
            page.evaluate("filter => studio.look({filter, only: null})", name)
            settle(page)
            counts[name] = page.evaluate("studio.order.length")
            assert page.inner_text(f".segments [data-name={name}] b") == str(counts[name])
        assert (
            counts["all"] == counts["sure"] + counts["unsure"] == sum(counts[one] for one in ("right", "wrong", "none"))
        )
        assert counts["changed"] == 0
        page.evaluate("studio.look({filter: 'all', only: 3})")
        settle(page)
        assert page.evaluate("studio.order.every(row => studio.now[row] === 3)")
