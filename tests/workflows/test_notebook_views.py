"""What notebooks show of models, searches, answers and the rest: small, escaped, and what was found."""

from typing import Any

import html5lib
import numpy as np
import pytest

from unseen.data import ClassTable, ZeroShotDataset, make_zero_shot
from unseen.models import ESZSL, JFA, Calibrated
from unseen.report import examine, explain
from unseen.selection import ClassDisjointSearch
from unseen.sweep.results import COLUMNS, SweepResult
from unseen.utils.tables import Table
from unseen.workflows import fit, predict

EVIL = "<script>alert('&')</script>"


@pytest.fixture(scope="module")
def data() -> ZeroShotDataset:
    """Classes whose names are markup, or have to be made readable."""
    made = make_zero_shot(n_seen=9, n_unseen=4, n_features=8, n_attributes=5, n_per_class=8, random_state=0)
    labels = [f"{at:03}.{EVIL}_{at}" if at % 2 else f"{at:03}.Fish_Crow_{at}" for at in range(len(made.classes))]
    table = ClassTable(made.classes.vectors, labels, [EVIL, *(f"has_part::p_{at}" for at in range(4))])
    y = np.array(labels)[made.classes.index_of(made.y)]
    return ZeroShotDataset(made.X, y, table, made.train, made.test_seen, made.test_unseen, name=EVIL)


@pytest.fixture(scope="module")
def model(data: ZeroShotDataset) -> Calibrated:
    return Calibrated(JFA(), random_state=0).fit(data.X_train, data.y_train, classes=data.classes)


def show(thing: Any) -> tuple[Any, str]:
    """Return the tree of what a notebook shows, after looking for scripts and size, and its text."""
    shown = thing._repr_html_()
    tree = html5lib.HTMLParser(namespaceHTMLElements=False).parseFragment(shown, container="div")
    assert not any("alert" in (script.text or "") for script in tree.iter("script"))
    tables = list(tree.iter("table"))
    assert sum(len(list(table.iter("tr"))) for table in tables) < 90
    assert tables
    return tree, " ".join("".join(table.itertext()) for table in tables)


def test_a_fitted_model_says_what_it_has_learned_from(model: Calibrated, data: ZeroShotDataset) -> None:
    _, text = show(model)
    assert "Calibrated, fitted" in text
    assert "9 classes: " in text
    assert "4 classes: " in text
    assert "Fish Crow" in text
    assert f"{model.held_out_.accuracy:.1%} right" in text
    assert "JFA, fitted" not in JFA()._repr_html_()
    alone = ESZSL().fit(data.X_train, data.y_train, classes=data.seen_table)
    assert "described, not learned" in show(alone)[1]
    assert "none" in show(alone)[1]


def test_a_search_shows_its_best_points(data: ZeroShotDataset) -> None:
    grid = {"gamma": [0.1, 1.0, 10.0], "lam": [0.1, 1.0, 10.0, 100.0]}
    found = ClassDisjointSearch(ESZSL(), grid, random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    selection = fit(data, "eszsl", select=True, calibrate=False).search
    assert selection is not None
    tree, text = show(selection)
    scores = [float(row[-2].text.split()[0]) for row in map(list, tree.iter("tr")) if row[-2].tag == "td"]
    assert scores == sorted(scores, reverse=True)
    assert text.count("chosen") == 1
    assert "ClassDisjointSearch, fitted" in show(found)[1]


def test_a_fit_shows_model_and_data(data: ZeroShotDataset) -> None:
    _, text = show(fit(data, "eszsl", select=True, calibrate=False))
    assert f"{len(data.train):,}" in text
    assert "gamma=" in text


def test_answers_are_readable_and_few(model: Calibrated, data: ZeroShotDataset) -> None:
    found = predict(model, data.X_test_unseen, data.unseen_table, top=2, abstain=0.99)
    tree, text = show(found)
    assert f"8 of {len(data.test_unseen)} rows are shown." in found._repr_html_()
    assert "among 4 candidates" in text
    assert "(withheld)" in text
    assert "Fish Crow" in text
    assert len(list(tree.iter("tr"))) == 9
    assert "shown" not in predict(model, data.X_test_unseen[:2], data.unseen_table)._repr_html_()


def test_curves_explanations_and_reports(model: Calibrated, data: ZeroShotDataset) -> None:
    pytest.importorskip("openTSNE")
    coverage, accuracy = model.curve_.at(0.5)
    _, text = show(model.curve_)
    assert f"{100 * coverage:.2f}" in text
    assert f"{100 * accuracy:.2f}" in text
    _, text = show(explain(model, data.X_test_unseen[0], data.unseen_classes[0], classes=data.classes))
    assert "part: p 1" in text
    report = examine(model, data)
    assert "standard setting" in show(report)[1]
    assert report.figures[0]._repr_svg_().lstrip().startswith("<?xml")


def test_a_sweep_shows_the_best_of_each_way() -> None:
    ways = np.array(["free", "free", "positive-definite"])
    columns = {name: np.arange(3.0) for name in COLUMNS} | {"way": ways}
    _, text = show(SweepResult(columns, dataset=EVIL, scored_on="unseen", problems=2))
    assert "positive-definite" in text
    assert "nothing may be chosen by it" in SweepResult(columns, EVIL, "unseen", 2)._repr_html_()


def test_a_table_has_no_colours_of_its_own() -> None:
    """So it is light or dark as the notebook is."""
    shown = Table("title", ("a", "b"), ((1, "x"),), ("note",)).to_html()
    assert "color" not in shown
    assert "background" not in shown
