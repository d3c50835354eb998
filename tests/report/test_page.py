"""The page: whole, valid, readable by machines and screen readers, and in a browser where one is at hand."""

import base64
import re
from dataclasses import replace
from importlib.resources import files
from typing import Any

import html5lib
import numpy as np
import pytest

from unseen.data import ClassTable, ZeroShotDataset
from unseen.models import ESZSL, JFA, Calibrated
from unseen.report import Report, examine, page
from unseen.report.inline import inline_figure
from unseen.report.retrieval import retrieve
from unseen.transduction import PST, SPZSR
from unseen.utils.errors import InputError


@pytest.fixture(scope="module")
def tree(text: str) -> Any:
    # Strict: what the standard calls a parse error is one here.
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    return parser.parse(text)


def test_nothing_comes_from_elsewhere(tree: Any) -> None:
    for element in tree.iter():
        for name in ("src", "href"):
            assert re.match(r"data:|#", element.get(name, "data:")), element.get(name)
    assert not list(tree.iter("script"))
    styles = "".join(element.text for element in tree.iter("style"))
    assert "url(" not in styles
    assert "@import" not in styles


def test_everything_has_a_name_for_those_who_cannot_see_it(tree: Any) -> None:
    assert all(image.get("alt") for image in tree.iter("img"))
    assert all(drawing.get("aria-label") for drawing in tree.iter("svg"))
    assert all(header.get("scope") for header in tree.iter("th"))
    identifiers = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(identifiers) == len(set(identifiers))
    targets = {link.get("href")[1:] for link in tree.iter("a") if link.get("href").startswith("#")}
    assert targets <= set(identifiers)


def test_each_figure_carries_its_data(tree: Any, report: Report) -> None:
    links = {link.get("download"): link.get("href") for link in tree.iter("a") if link.get("download")}
    for drawn in report.figures:
        content = base64.b64decode(links[f"{drawn.name}.csv"].partition(",")[2]).decode()
        assert content == drawn.data.to_csv()
    assert [drawn.name for drawn in report.figures] == [
        "adaptation",
        "per-class",
        "confusion",
        "seen-unseen",
        "coverage",
    ]


def test_figures_have_the_colours_of_the_page(report: Report) -> None:
    names = re.findall(r"(--[a-z]+):", files("unseen.report").joinpath("page.css").read_text())
    for drawn in report.figures:
        svg = inline_figure(drawn)
        colours = re.findall(r"#[0-9a-fA-F]{6}\b", re.sub(r'href="data:[^"]*"', "", svg))
        assert colours == [], f"{drawn.name} has colours that the page does not know"
        assert set(re.findall(r"var\((--[a-z]+)\)", svg)) <= set(names)
        identifiers = re.findall(r' id="([^"]+)"', svg)
        assert all(identifier.startswith(f"{drawn.name}-") for identifier in identifiers)
        assert set(re.findall(r"#([\w-]+)", svg)) <= set(identifiers)


def test_pictures_come_before_numbers_under_readable_names(data: ZeroShotDataset) -> None:
    labels = [f"{at:03}.Kind_{at}_of_bird" for at in range(len(data.classes))]
    named = replace(
        data,
        y=np.array(labels)[data.classes.index_of(data.y)],
        classes=ClassTable(data.classes.vectors, labels),
    )
    fitted = ESZSL().fit(named.X_train, named.y_train, classes=named.seen_table)
    report = examine(fitted, named, pictures=lambda row: "data:,")
    text = page(report)
    assert text.index('id="headline"') < text.index('id="pictures"') < text.index('id="numbers"')
    label = str(named.unseen_classes[0])
    name = label.partition(".")[2].replace("_", " ")
    assert f"<h3>{name} <small>" in text
    assert f"<td>{name}</td>" in text
    assert f"<td>{label}</td>" not in text
    assert label in next(drawn for drawn in report.figures if drawn.name == "confusion").data.to_csv()


def test_the_headline_is_what_was_measured(tree: Any, report: Report) -> None:
    shown = [element.text for element in tree.iter("strong")]
    standard, generalized = report.results["standard"][0], report.results["generalized"][0]
    assert shown[0] == f"{100 * standard.mean('mean per-class accuracy'):.1f} %"
    assert shown[1] == f"{100 * generalized.mean('H calibrated'):.1f} %"


def test_the_same_report_gives_the_same_page(text: str, report: Report) -> None:
    assert page(report) == text


def test_names_cannot_break_out(data: ZeroShotDataset, model: Calibrated) -> None:
    evil = [f'<script>alert({at})</script>"&' for at in range(len(data.classes))]
    table = ClassTable(data.classes.vectors, evil)
    renamed = replace(
        data, y=np.array(evil)[data.classes.index_of(data.y)], classes=table, name='"><img src=x onerror=y>'
    )
    fitted = ESZSL().fit(renamed.X_train, renamed.y_train, classes=renamed.seen_table)
    text = page(examine(fitted, renamed, pictures=lambda row: "data:,"))
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    assert not list(tree.iter("script"))
    assert not [element for element in tree.iter() if element.get("onerror")]


def test_what_is_missing_is_said(data: ZeroShotDataset) -> None:
    alone = replace(data, test_seen=np.array([], dtype=int))
    fitted = ESZSL().fit(data.X_train, data.y_train, classes=data.seen_table)
    report = examine(fitted, alone)
    assert [drawn.name for drawn in report.figures] == ["per-class", "confusion"]
    text = page(report)
    for reason in ("no test images of seen classes", "ESZSL adapts none", "is not calibrated", "pictures behind"):
        assert reason in text
    assert 'id="pictures"' not in text


@pytest.mark.parametrize("wrap", [lambda model: model, Calibrated], ids=["alone", "calibrated"])
def test_a_refinement_is_shown_in_its_own_settings(wrap: Any, data: ZeroShotDataset) -> None:
    model = wrap(SPZSR(JFA(), n_runs=2)).fit(data.X_train, data.y_train, classes=data.seen_table)
    report = examine(model, data, [PST(ESZSL())], pictures=lambda row: "data:,")
    assert list(report.results) == ["transductive", "transductive-generalized"]
    assert [result.name for result in report.among_unseen] == ["JFA + SPZSR", "ESZSL + PST"]
    expected = ["adaptation", "per-class", "confusion"] + (["coverage"] if isinstance(model, Calibrated) else [])
    assert [drawn.name for drawn in report.figures] == expected
    text = page(report)
    html5lib.HTMLParser(strict=True).parse(text)
    for sentence in ("as one batch", "features of the whole test batch were used", "No seen-unseen curve"):
        assert sentence in text
    shown = f"{100 * report.results['transductive-generalized'][0].mean('H'):.1f} %"
    assert f"<strong>{shown}</strong>" in text


def test_a_refinement_is_not_set_beside_models_that_answer_row_by_row(data: ZeroShotDataset) -> None:
    model = PST(ESZSL()).fit(data.X_train, data.y_train, classes=data.seen_table)
    with pytest.raises(InputError, match="answers each row by itself"):
        examine(model, data, [JFA()])


def test_a_method_is_named_once(model: Calibrated, data: ZeroShotDataset) -> None:
    with pytest.raises(InputError, match="methods has 'ESZSL' twice"):
        examine(model, data, [ESZSL(), ESZSL(gamma=2.0)])


def test_a_model_that_saw_the_unseen_is_refused(data: ZeroShotDataset) -> None:
    fitted = ESZSL().fit(data.X, data.y, classes=data.classes)
    with pytest.raises(InputError, match="leaves unseen"):
        examine(fitted, data)


def test_retrieval_ranks_by_score(model: Calibrated, data: ZeroShotDataset) -> None:
    scores = model.decision_function(data.X_test_unseen, classes=data.unseen_table)
    for column, entry in enumerate(retrieve(model, data, top=4)):
        best = sorted(range(len(scores)), key=lambda row: -scores[row, column])[:4]
        assert [found.row for found in entry.found] == data.test_unseen[best].tolist()
        assert entry.right == sum(data.y_test_unseen[row] == entry.label for row in best)
