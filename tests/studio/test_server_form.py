"""The studio with a server: what its page asks is answered, and belongs to this page alone."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import opened
from picture_files import attributes, write_folder, write_onnx, write_picture
from serving import Client, running
from studio_pages import read_shares, settle

from unseen.data import ClassTable, ZeroShotDataset
from unseen.files import read_model_file
from unseen.models import Calibrated, ConSE, GaussianJFA
from unseen.server import Access, Limits, Service
from unseen.studio import Studio, open_studio
from unseen.studio.routes import MOST_PAGES, make_app
from unseen.workflows import extract, fit, refine


@contextmanager
def serving_studio(studio: Studio, access: Access | None = None) -> Iterator[Client]:
    service = Service(studio.file, studio.table.select(studio.candidates), limits=Limits(pixels=10_000))
    with running(make_app(studio, service, access or Access("127.0.0.1")), service.limits) as client:
        yield client


def read_server(page: bytes) -> dict[str, Any]:
    found = re.search(rb'"server":(\{.*?\})', page)
    assert found is not None
    announced: dict[str, Any] = json.loads(found.group(1))
    return announced


@pytest.fixture(scope="module")
def gaussian(digits: ZeroShotDataset) -> Studio:
    model = Calibrated(GaussianJFA(), random_state=0)
    return open_studio(model.fit(digits.X_train, digits.y_train, classes=digits.classes), digits, level=0.0)


@pytest.fixture(scope="module")
def client(gaussian: Studio) -> Iterator[Client]:
    with serving_studio(gaussian) as found:
        yield found


@pytest.fixture
def base(client: Client) -> str:
    return str(read_server(client.ask("/").content)["base"])


def describe(studio: Studio, labels: list[Any]) -> list[dict[str, Any]]:
    vectors = studio.table.select(labels).vectors.tolist()
    return [{"label": str(label), "description": row} for label, row in zip(labels, vectors, strict=True)]


def test_the_page_knows_what_it_may_ask(client: Client, digits: ZeroShotDataset) -> None:
    found = client.ask("/")
    assert found.headers["x-frame-options"] == "DENY"
    assert b"connect-src &#x27;self&#x27;" in found.content or b"connect-src 'self'" in found.content
    assert read_server(found.content)["functions"] == ["rows", "refine", "model"]
    answered = client.ask("/predict", {"rows": digits.X_test_unseen[:1].tolist()})
    assert answered.status == 200, "what `unseen serve` answers is there too"


def test_rows_are_those_of_the_page(client: Client, base: str, gaussian: Studio, digits: ZeroShotDataset) -> None:
    X = digits.X_test_seen[:3]
    found = client.ask(f"{base}/rows", {"features": X.tolist()}).json["rows"]
    assert [row["key"] for row in found] == [0, 1, 2]
    for term, expected in enumerate(gaussian.write_rows(X)):
        np.testing.assert_allclose([row["terms"][term] for row in found], expected)
    assert client.ask(f"{base}/rows", {"features": X[:1].tolist()}).json["rows"][0]["key"] == 3


def test_marks_refine_the_model_in_closed_form(client: Client, base: str, gaussian: Studio) -> None:
    truth, marked = gaussian.shown.truth, [0, 50, 100]
    before = gaussian.file.model.predict(gaussian.shown.X, classes=gaussian.table)
    marks = [{"row": row, "label": truth[row]} for row in marked]
    found = client.ask(f"{base}/refine", {"marks": marks, "classes": []})
    assert found.status == 200, found.content
    expected = refine(gaussian.file, gaussian.shown.X[marked], [truth[row] for row in marked])
    assert found.json["how"] == expected.said
    left = [at for at in range(len(truth)) if at not in marked]
    table = gaussian.table.select(gaussian.candidates)
    answers = expected.file.model.predict(gaussian.shown.X[left], classes=table)
    assert found.json["after"] == {"right": int(sum(answers == np.array(truth)[left])), "of": len(left)}
    assert {truth[row] for row in marked} <= set(found.json["model"]["seen"])
    np.testing.assert_array_equal(before, gaussian.file.model.predict(gaussian.shown.X, classes=gaussian.table))
    # The refined model can be taken away, with all classes as the page describes them.
    content = client.ask(f"{base}/model", {"classes": describe(gaussian, gaussian.candidates), "refined": True})
    assert content.headers["content-type"] == "application/octet-stream"


def test_models_are_taken_away_with_edited_classes(client: Client, base: str, gaussian: Studio, tmp_path: Path) -> None:
    first, second, *_ = gaussian.candidates
    classes = [*describe(gaussian, [first]), describe(gaussian, [second])[0] | {"label": "new class"}]
    (tmp_path / "edited.unseen").write_bytes(client.ask(f"{base}/model", {"classes": classes}).content)
    file = read_model_file(tmp_path / "edited.unseen")
    X = gaussian.shown.X[:20]
    found = file.model.decision_function(X, classes=[first, "new class"])
    np.testing.assert_allclose(found, gaussian.file.model.decision_function(X, classes=[first, second]), atol=1e-9)


def test_a_page_is_a_world_of_its_own(client: Client, base: str, gaussian: Studio) -> None:
    other = read_server(client.ask("/").content)["base"]
    assert other != base
    marks = [{"row": 0, "label": gaussian.shown.truth[0]}]
    assert client.ask(f"{base}/refine", {"marks": marks}).status == 200
    refused = client.ask(f"{other}/model", {"classes": describe(gaussian, gaussian.candidates), "refined": True})
    assert refused.status == 400
    assert "has not refined its model" in refused.error["message"]
    for _ in range(MOST_PAGES):
        client.ask("/")
    gone = client.ask(f"{base}/refine", {"marks": marks})
    assert (gone.status, gone.error["type"]) == (404, "not_found")
    assert "load it again" in gone.error["message"]


@pytest.mark.parametrize(
    ("function", "body", "words"),
    [
        ("rows", {}, "features is missing"),
        ("rows", {"features": [[1.0]]}, "rows has 1 features in each row"),
        ("rows", {"rows": []}, "fields features"),
        ("rows", [], "fields features"),
        ("refine", {}, "marks is missing"),
        ("refine", {"marks": [1]}, "marks is missing"),
        ("refine", {"marks": [{"row": 10**6, "label": "02"}]}, "row must be a whole number"),
        ("refine", {"marks": [{"row": 0, "label": "02"}] * 2}, "twice"),
        ("refine", {"marks": [{"row": 0, "label": "okapi"}]}, "'okapi'"),
        ("refine", {"marks": [{"row": 0, "label": None}]}, "label=None"),
        ("refine", {"marks": [{"row": 0, "label": "02"}], "added": [5]}, "added must be"),
        ("refine", {"marks": [{"row": 0, "label": "02"}], "added": "x"}, "added='x'"),
        ("model", {}, "classes is missing"),
        ("model", {"classes": [{"label": "a", "description": [1.0]}]}, "width 1"),
        ("model", {"classes": [{"label": "a", "description": None}]}, "classes has a NoneType"),
        ("model", {"classes": [{"label": "a", "description": ["x"]}]}, "classes must hold real numbers"),
    ],
)
def test_bad_questions_get_a_sentence(client: Client, base: str, function: str, body: Any, words: str) -> None:
    found = client.ask(f"{base}/{function}", body)
    assert found.status == 400, found.content
    assert words in found.error["message"]


def test_a_token_is_part_of_the_address_of_the_page_only(gaussian: Studio) -> None:
    with serving_studio(gaussian, Access("127.0.0.1", "secret")) as client:
        assert client.ask("/").status == 401
        assert client.ask("/?token=wrong").status == 401
        assert client.ask("/classes?token=secret").status == 401
        announced = read_server(client.ask("/?token=secret").content)
        assert announced["token"] == "secret"
        asked = f"{announced['base']}/rows"
        assert client.ask(asked, {}).status == 401
        assert client.ask(asked, {}, Authorization="Bearer secret").status == 400


def test_models_that_a_page_cannot_compute_are_asked_for_scores(digits: ZeroShotDataset) -> None:
    model = ConSE().fit(digits.X_train, digits.y_train, classes=digits.classes)
    studio = open_studio(model, digits)
    with serving_studio(studio) as client:
        announced = read_server(client.ask("/").content)
        assert announced["functions"] == ["scores", "model"]
        found = client.ask(f"{announced['base']}/scores", {"classes": describe(studio, studio.candidates[:4])}).json
        expected = model.predict_proba(studio.shown.X, classes=studio.candidates[:4])
        np.testing.assert_allclose(np.exp(found["scores"]).T, expected, atol=1e-9)
        assert client.ask(f"{announced['base']}/refine", {}).status == 404


class LettersEncoder:
    name, width, fingerprint = "letters", 20, "0123456789abcdef"

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.array([[text.count(chr(97 + at)) for at in range(20)] for text in texts], dtype=np.float32)


def test_a_class_is_described_by_a_text(digits: ZeroShotDataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unseen.workflows.texts.text_encoder", lambda name, **_: LettersEncoder())
    names = [f"letters 01234567 {at}" for at in range(20)]
    named = replace(digits, classes=ClassTable(digits.classes.vectors, digits.classes.labels, names))
    model = GaussianJFA().fit(named.X_train, named.y_train, classes=named.classes)
    with serving_studio(open_studio(model, named)) as client:
        announced = read_server(client.ask("/").content)
        assert "text" in announced["functions"]
        found = client.ask(f"{announced['base']}/text", {"text": " a bad bee "}).json["description"]
        assert found == LettersEncoder().encode(["a bad bee"])[0].tolist()
        for text, words in (("", "text is empty"), (None, "text is empty"), ("a" * 3000, "3,000 letters")):
            assert words in client.ask(f"{announced['base']}/text", {"text": text}).error["message"]


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("birds")
    write_onnx(here / "tiny.onnx")
    write_folder(here / "birds")
    extract(here / "birds", here / "features", encoder=str(here / "tiny.onnx"))
    fit(here / "features", "gaussian", calibrate=False).save(here / "birds.unseen")
    write_picture(here / "new.png", attributes(8)[6], seed=1006)
    return here


def test_dropped_pictures_are_encoded(birds: Path) -> None:
    pytest.importorskip("onnxruntime")
    studio = open_studio(birds / "birds.unseen", birds / "birds" / "images")
    content = (birds / "new.png").read_bytes()
    with serving_studio(studio) as client:
        announced = read_server(client.ask("/").content)
        assert "pictures" in announced["functions"]
        address = f"{announced['base']}/pictures"
        found = client.ask(address, content, "image/png", X_Name="new%20one.png")
        assert found.json["key"] == 0
        assert len(found.json["terms"]) == len(studio.terms or [])
        broken = client.ask(address, b"x", "image/png", X_Name="broken%20one.png")
        assert broken.status == 400
        assert "broken one.png" in broken.error["message"]
        assert client.ask(address, content, "text/plain").status == 415


def test_the_page_refines_its_model_in_a_browser(gaussian: Studio, digits: ZeroShotDataset, chromium: Any) -> None:
    """Drop rows, mark some of them, refine: the page then shows what Python computes with the refined model."""
    truth = gaussian.shown.truth
    X_new, y_new = digits.X_test_seen[:3], digits.y_test_seen[:3].tolist()
    n = len(truth)
    rows = [0, 40, 80, n]
    labels = [truth[0], truth[40], truth[80], str(y_new[0])]
    with serving_studio(gaussian) as client, opened(chromium, f"http://127.0.0.1:{client.port}/") as (page, asked):
        wait_until(page, "window.studio !== undefined")
        drop_csv(page, X_new)
        wait_until(page, f"studio.count === {n + 3}")
        marks = {str(row): {"label": label} for row, label in zip(rows, labels, strict=True)}
        page.evaluate("marks => { studio.change({...studio.document, marks}); studio.settle(); }", marks)
        settle(page)
        page.click("text=Refine by 4 marks")
        page.wait_for_selector("table.before-after")
        assert "in closed form" in page.inner_text("dialog[open]")
        X = np.concatenate([gaussian.shown.X, X_new.round(8)])
        refined = refine(gaussian.file, X[rows], labels).file.model
        table = gaussian.table.select(gaussian.candidates)
        np.testing.assert_allclose(read_shares(page), refined.predict_proba(X, classes=table), atol=1e-5)
        assert all(url.startswith((f"http://127.0.0.1:{client.port}/", "blob:", "data:")) for url in asked)


def wait_until(page: Any, expression: str) -> None:
    """Wait for something on the page, whose policy forbids Playwright's own way of doing so."""
    for _ in range(200):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{expression}: {page.inner_text('body')[:500]}")


def drop_csv(page: Any, X: np.ndarray) -> None:
    """Drop a file of features onto the page."""
    header = ",".join(["name", *(f"f{at}" for at in range(X.shape[1]))])
    lines = [",".join([f"new {at}", *(f"{value:.8f}" for value in row)]) for at, row in enumerate(X)]
    page.evaluate(
        """content => {
            const files = new DataTransfer();
            files.items.add(new File([content], "new.csv", {type: "text/csv"}));
            document.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}));
        }""",
        "\n".join([header, *lines]),
    )
