"""Editing in a real browser: what a person does, and what the page then says."""

import csv
import io
from typing import Any

import numpy as np
import pytest
from studio_pages import OpenPage, choose_class, read_shares, settle, wait_until

from unseen.data import ClassTable
from unseen.models import Calibrated
from unseen.studio import Studio, open_studio


def move_slider(page: Any, words: str, value: float) -> None:
    """Move the slider whose label is `words`, and let it go."""
    slider = page.get_by_role("slider", name=words, exact=True)
    slider.evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true}));"
        "slider.dispatchEvent(new Event('change', {bubbles: true})); }",
        str(value),
    )
    settle(page)


def predict(studio: Studio, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    table = ClassTable(vectors, studio.candidates)
    chances = np.asarray(studio.file.model.predict_proba(studio.shown.X.astype(np.float64), classes=table))
    answers = table.labels[chances.argmax(axis=1)]
    return chances, np.where(chances.max(axis=1) < studio.level, "", answers)


@pytest.fixture
def vectors(studio: Studio) -> np.ndarray:
    return np.array(studio.table.select(studio.candidates).vectors)


def test_a_slider_moves_all_answers_and_they_are_counted(studio: Studio, show: OpenPage, vectors: np.ndarray) -> None:
    truth = np.array(studio.shown.truth)
    _, before = predict(studio, vectors)
    id_ = studio.candidates.index("55")
    with show(studio) as page:
        choose_class(page, "55")
        move_slider(page, "Tens 5", 0.3)
        # What sums to one still does: the others made room, all alike because they were all 0.
        vectors[id_, :10] = 0.7 / 9
        vectors[id_, 5] = 0.3
        chances, after = predict(studio, vectors)
        np.testing.assert_allclose(read_shares(page), chances, atol=1e-5)
        changed = before != after
        better = changed & (after == truth)
        worse = changed & (before == truth)
        assert changed.sum() > 0
        said = page.inner_text(".changes")
        assert said.startswith(f"{changed.sum()} answer")
        assert (f"{better.sum()} now right" in said) == bool(better.any())
        assert (f"{worse.sum()} no longer right" in said) == bool(worse.any())
        assert "fitted to them" in said
        assert page.evaluate("studio.counts.changed") == changed.sum()
        page.click("text=Show them")
        settle(page)
        assert page.locator(".tile.changed").count() == min(changed.sum(), page.locator(".tile").count())


def test_undo_and_redo(studio: Studio, show: OpenPage) -> None:
    with show(studio) as page:
        start = read_shares(page)
        choose_class(page, "55")
        move_slider(page, "Tens 5", 0.3)
        once = read_shares(page)
        move_slider(page, "Ones 5", 0.4)
        twice = read_shares(page)
        assert np.abs(twice - once).max() > 0.01
        page.keyboard.press("Control+z")
        settle(page)
        np.testing.assert_allclose(read_shares(page), once, atol=1e-12)
        page.get_by_role("button", name="Undo").click()
        settle(page)
        np.testing.assert_allclose(read_shares(page), start, atol=1e-12)
        assert page.get_by_role("button", name="Undo").is_disabled()
        page.keyboard.press("Control+Shift+z")
        page.get_by_role("button", name="Redo").click()
        settle(page)
        np.testing.assert_allclose(read_shares(page), twice, atol=1e-12)
        page.click("text=Reset class")
        settle(page)
        np.testing.assert_allclose(read_shares(page), start, atol=1e-12)


def test_a_drag_is_one_step_and_moves_nothing_else(studio: Studio, show: OpenPage) -> None:
    with show(studio) as page:
        choose_class(page, "55")
        order = page.evaluate("studio.order")
        first = page.get_by_role("slider", name="Tens 5", exact=True)
        first.evaluate(
            "slider => [0.9, 0.7, 0.5, 0.3].forEach(value => { slider.value = value;"
            "slider.dispatchEvent(new Event('input', {bubbles: true})); })"
        )
        settle(page)
        assert page.evaluate("studio.order") == order
        first.evaluate("slider => slider.dispatchEvent(new Event('change', {bubbles: true}))")
        assert page.evaluate("studio.history.past.length") == 1
        assert page.evaluate("studio.order") == order


def test_values_can_be_typed(studio: Studio, show: OpenPage) -> None:
    with show(studio) as page:
        choose_class(page, "55")
        typed = page.get_by_role("textbox", name="Tens 5, typed", exact=True)
        typed.fill("25")
        typed.press("Enter")
        settle(page)
        id_ = studio.candidates.index("55")
        assert page.evaluate(f"studio.classOf({id_}).vector[5]") == 0.25
        assert "was 100" in page.locator(".slider.edited").first.inner_text() or typed.input_value() == "25"
        # Beyond the end is the end, and nonsense is nothing.
        typed.fill("300")
        typed.press("Enter")
        settle(page)
        assert page.evaluate(f"studio.classOf({id_}).vector[5]") == 1
        typed.fill("many")
        typed.press("Enter")
        settle(page)
        assert typed.input_value() == "100"


def test_all_parts_move_together(studio: Studio, show: OpenPage, vectors: np.ndarray) -> None:
    id_ = studio.candidates.index("55")
    with show(studio) as page:
        choose_class(page, "55")
        page.click("text=All parts")
        settle(page)
        move_slider(page, "Tens and ones 5", 0.5)
        made = page.evaluate(f"[...studio.classOf({id_}).vector]")
        assert made[5] == made[15] == pytest.approx(0.5)
        assert sum(made[:10]) == sum(made[10:]) == pytest.approx(1)


def test_shares_are_told_where_no_answer_changes(studio: Studio, show: OpenPage) -> None:
    with show(studio) as page:
        choose_class(page, "55")
        move_slider(page, "Tens 5", 0.999)
        said = page.inner_text(".changes")
        assert said.startswith("No answer changed")
        assert "moved by up to" in said or "hardly moved" in said


def test_a_new_class_by_each_way(studio: Studio, show: OpenPage, vectors: np.ndarray) -> None:
    with show(studio) as page:
        page.keyboard.press("n")
        settle(page)
        page.fill("#new-name", "11 pasted")
        page.click("text=Paste a row")
        row = np.zeros(20)
        row[[1, 11]] = 1
        page.fill("textarea >> nth=0", "\t".join(f"{value:g}" for value in row[:-1]))
        assert "19 values" in page.inner_text(".preview")
        assert page.get_by_role("button", name="Add class").is_disabled()
        page.fill("textarea >> nth=0", "\t".join(f"{value:g}" for value in row))
        assert page.inner_text(".preview").startswith("Would answer")
        page.click("text=Add class")
        settle(page)
        table = ClassTable(np.vstack([vectors, row]), [*studio.candidates, "11 pasted"])
        chances = studio.file.model.predict_proba(studio.shown.X.astype(np.float64), classes=table)
        np.testing.assert_allclose(read_shares(page), chances, atol=1e-5)
        # A name that is taken is refused, and a copy is a copy.
        page.keyboard.press("Escape")
        page.click("text=New class")
        page.fill("#new-name", "55")
        assert page.get_by_role("button", name="Add class").is_disabled()
        page.fill("#new-name", "average")
        page.get_by_role("button", name="Average", exact=True).click()
        page.click("text=Add class")
        settle(page)
        assert page.evaluate("studio.document.active.length") == 32
        page.click("text=Remove")
        settle(page)
        assert page.evaluate("studio.document.active.length") == 31


def test_candidates_by_a_group_in_one_switch(studio: Studio, show: OpenPage) -> None:
    with show(studio) as page:
        page.click(".candidates")
        page.get_by_role("button", name="Only seen, 70 classes").click()
        settle(page)
        assert page.evaluate("studio.document.active.every(id => studio.classOf(id).seen)")
        expected = studio.file.model.predict_proba(
            studio.shown.X.astype(np.float64), classes=studio.table.select(studio.table.labels[30:])
        )
        np.testing.assert_allclose(read_shares(page), expected, atol=1e-5)
        page.get_by_role("group", name="Tens").get_by_role("button", name="Only 5, 10 classes").click()
        settle(page)
        assert page.evaluate("studio.document.active.map(id => studio.classOf(id).label[0])") == ["5"] * 10


def test_shares_are_summed_over_groups(studio: Studio, show: OpenPage) -> None:
    with show(studio) as page:
        sums = read_shares(page)
        row = page.evaluate("studio.view.picture")
        page.get_by_role("button", name="Sum shares over groups").click()
        page.get_by_role("option", name="Tens").click()
        settle(page)
        tens = np.array([label[0] for label in studio.candidates])
        best = max(sums[row, tens == ten].sum() for ten in set(tens))
        shown = page.inner_text(".candidate.first .share")
        assert shown in (f"{round(100 * best)}%", ">99%")


def test_marks_and_running_accuracy(studio: Studio, show: OpenPage) -> None:
    with show(studio) as page:
        page.locator(".switch").click()
        settle(page)
        assert page.inner_text(".big") == "–"
        for key in ("r", "w", "r"):
            page.keyboard.press(key)
            page.keyboard.press("j")
            settle(page)
        assert page.inner_text(".big") == "66.7%"
        assert "of 3 marked" in page.inner_text(".detail")
        # "Wrong" without the truth says nothing of another answer.
        wrong = page.evaluate("Number(Object.keys(studio.document.marks).find(row => studio.document.marks[row].not))")
        page.evaluate("studio.change({...studio.document, level: 1})")
        assert page.evaluate(f"studio.judge({wrong})") == "none"


def test_what_is_taken_away(studio: Studio, show: OpenPage, vectors: np.ndarray, tmp_path: Any) -> None:
    with show(studio) as page:
        choose_class(page, "55")
        move_slider(page, "Tens 5", 0.25)
        saved = {}
        for name, at in (("classes.csv", 0), ("answers.csv", 1)):
            page.keyboard.press("t")
            with page.expect_download() as waiting:
                page.locator(".take button").nth(at).click()
            assert waiting.value.suggested_filename == name
            waiting.value.save_as(tmp_path / name)
            saved[name] = list(csv.reader(io.StringIO((tmp_path / name).read_text(encoding="utf-8"))))
            page.keyboard.press("Escape")
            wait_until(page, "document.querySelector('dialog[open]') === null")
        id_ = studio.candidates.index("55")
        vectors[id_, :10] = 0.75 / 9
        vectors[id_, 5] = 0.25
        heads, *rows = saved["classes.csv"]
        assert heads == ["class", *studio.table.attributes]
        np.testing.assert_allclose([[float(cell) for cell in row[1:]] for row in rows], vectors, atol=1e-12)
        chances, labels = predict(studio, vectors)
        answers = saved["answers.csv"][1:]
        assert [row[1] for row in answers] == labels.tolist()
        np.testing.assert_allclose([float(row[2]) for row in answers], chances.max(axis=1), atol=1e-5)
        # A link shows the same again.
        link = page.evaluate("studio.link()")
        shares = read_shares(page)
    with show(studio, link=f"#{link}") as page:
        np.testing.assert_allclose(read_shares(page), shares, atol=1e-7)
        assert "55" in page.inner_text(".class-choice .chosen")


def test_features_can_be_dropped(studio: Studio, show: OpenPage) -> None:
    X = studio.shown.X[:3].astype(np.float64)
    text = "\n".join(",".join(repr(float(value)) for value in row) for row in X)
    with show(studio) as page:
        before = read_shares(page)
        drop(page, "rows.csv", list(text.encode()))
        wait_until(page, f"studio.count === {len(before) + 3}")
        np.testing.assert_allclose(read_shares(page)[-3:], before[:3], atol=1e-5)
        array = io.BytesIO()
        np.save(array, X.astype(np.float32))
        drop(page, "rows.npy", list(array.getvalue()))
        wait_until(page, f"studio.count === {len(before) + 6}")
        np.testing.assert_allclose(read_shares(page)[-3:], before[:3], atol=1e-5)
        # What does not fit is told in a sentence.
        drop(page, "short.csv", list(b"1,2,3\n"))
        page.wait_for_selector("text=the model takes 128 features")
        drop(page, "bird.jpg", [255, 216], "image/jpeg")
        page.wait_for_selector("text=encoding one takes the server")


def drop(page: Any, name: str, content: list[int], kind: str = "") -> None:
    page.evaluate(
        "([name, content, kind]) => { const data = new DataTransfer();"
        "data.items.add(new File([new Uint8Array(content)], name, {type: kind}));"
        "document.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true})); }",
        [name, content, kind],
    )


def test_a_page_may_begin_with_nothing(model: Calibrated, studio: Studio, show: OpenPage) -> None:
    empty = open_studio(model, classes=studio.candidates)
    X = studio.shown.X[:2].astype(np.float64)
    with show(empty) as page:
        assert "drop pictures or features" in page.inner_text("#grid")
        assert not page.locator(".stage").is_visible()
        text = "\n".join(",".join(repr(float(value)) for value in row) for row in X)
        drop(page, "rows.csv", list(text.encode()))
        wait_until(page, "studio.count === 2")
        settle(page)
        assert page.locator(".stage").is_visible()
        expected = model.predict_proba(X, classes=studio.table.select(studio.candidates))
        np.testing.assert_allclose(read_shares(page), expected, atol=1e-5)
