"""Figures: what is in their data, that they repeat, and that they can be told apart without colours."""

import csv
import io
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_score, recall_score

from unseen.confidence import CoverageCurve
from unseen.data import ZeroShotDataset
from unseen.evaluation import EvaluationResult, evaluate
from unseen.models import ESZSL, JFA, BilinearSVM, Calibrated
from unseen.report import (
    Drawn,
    adaptation_figure,
    confusion_figure,
    coverage_figure,
    per_class_figure,
    seen_unseen_figure,
)
from unseen.report.figures.adaptation import _compute_spaces, embed
from unseen.report.figures.axes import label_classes
from unseen.transduction import PST
from unseen.utils.errors import InputError
from unseen.utils.figures import PALETTE, make_figure, pick_colour, pick_marker, use_style

Results = list[EvaluationResult]


def rows_of(drawn: Drawn) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(drawn.data.to_csv())))


@pytest.fixture(scope="module")
def figures(model: Calibrated, data: ZeroShotDataset, standard: Results, generalized: Results) -> list[Drawn]:
    return [
        adaptation_figure(model, data),
        per_class_figure(standard),
        confusion_figure(standard[0]),
        seen_unseen_figure(generalized),
        coverage_figure(model.curve_),
    ]


def test_the_bars_are_precision_and_recall(standard: Results, data: ZeroShotDataset) -> None:
    rows = rows_of(per_class_figure(standard))
    for name, model in (("JFA", JFA()), ("ESZSL", ESZSL())):
        # A deterministic model: fitted again it gives the same answers.
        model.fit(data.X_train, data.y_train, classes=data.seen_table)
        answers = model.predict(data.X_test_unseen, classes=data.unseen_table)
        for column, score in (("precision", precision_score), ("recall", recall_score)):
            labels = data.unseen_classes
            expected = score(data.y_test_unseen, answers, labels=labels, average=None, zero_division=0)
            np.testing.assert_allclose([float(row[f"{name} {column}"]) for row in rows], 100 * expected)


def test_bars_are_sorted_by_the_recall_of_the_first_method(standard: Results, data: ZeroShotDataset) -> None:
    left, right = per_class_figure(standard).figure.axes
    widths = [bar.get_width() for bar in left.containers[0]]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) > 1
    order = np.argsort(-standard[0].per_class("recall"), kind="stable")
    assert [tick.get_text() for tick in left.get_yticklabels()] == [str(data.unseen_classes[at]) for at in order]
    for result, bars in zip(standard, right.containers, strict=True):
        drawn = [bar.get_width() for bar in bars]
        np.testing.assert_allclose(drawn, 100 * result.per_class("precision")[order])


def test_the_confusion_matrix_counts_every_test_image(standard: Results, data: ZeroShotDataset) -> None:
    drawn = confusion_figure(standard[0])
    rows = rows_of(drawn)
    assert [row["true class"] for row in rows] == [str(label) for label in data.unseen_classes]
    counts = np.array([[float(row[str(label)]) for label in data.unseen_classes] for row in rows])
    assert counts.sum() == len(data.test_unseen)
    right = np.trace(counts) / counts.sum()
    assert right == pytest.approx(standard[0].mean("per-image accuracy"))
    worst = np.max(counts - np.diag(np.diag(counts))) / 10
    assert f"{100 * worst:.0f} %" in drawn.description


def test_the_area_under_the_drawn_curve_is_the_one_measured(generalized: Results) -> None:
    rows = rows_of(seen_unseen_figure(generalized))
    for result in generalized:
        u, s = (
            np.array([float(row[side]) for row in rows if row["model"] == result.name]) for side in ("unseen", "seen")
        )
        assert np.trapezoid(s, u) == pytest.approx(result.mean("AUSUC"))


@settings(max_examples=15, deadline=None)
@given(
    answers=st.lists(st.tuples(st.floats(0, 1, width=32), st.booleans()), min_size=1, max_size=30),
    threshold=st.integers(0, 100).map(lambda percent: percent / 100),
)
def test_the_coverage_data_are_shares_of_the_answers(answers: list[tuple[float, bool]], threshold: float) -> None:
    confidence, correct = (np.array(column) for column in zip(*answers, strict=True))
    row = next(
        row
        for row in rows_of(coverage_figure(CoverageCurve.of(confidence, correct, 5)))
        if float(row["threshold"]) == pytest.approx(threshold, abs=1e-9)
    )
    given_ = confidence >= float(row["threshold"])
    assert float(row["coverage"]) == pytest.approx(given_.mean())
    assert (
        row["accuracy"] == "" if not given_.any() else float(row["accuracy"]) == pytest.approx(correct[given_].mean())
    )


def test_figures_are_files_that_repeat(figures: list[Drawn], tmp_path: Path) -> None:
    for drawn in figures:
        svg, png, data = drawn.save(tmp_path)
        assert svg.read_bytes() == drawn.to_bytes("svg")
        assert b"<svg" in svg.read_bytes()
        assert png.read_bytes().startswith(b"\x89PNG")
        assert data.read_text() == drawn.data.to_csv()
        assert len(drawn.description) > 30
        assert drawn.caption


def test_the_same_seed_gives_the_same_maps(model: Calibrated, data: ZeroShotDataset, figures: list[Drawn]) -> None:
    assert adaptation_figure(model, data).to_bytes("svg") == figures[0].to_bytes("svg")
    other = adaptation_figure(model, data, random_state=1)
    assert other.data.to_csv() != figures[0].data.to_csv()


def test_maps_keep_groups_together() -> None:
    random = np.random.default_rng(0)
    labels = np.repeat([0, 1], 20)
    X = random.normal(size=(40, 5)) + 30 * labels[:, None]
    places = embed(X)
    distances = np.linalg.norm(places[:, None] - places[None], axis=-1) + 1e9 * np.eye(40)
    assert (labels[distances.argmin(axis=1)] == labels).all()


def test_adaptation_looks_at_no_label_of_a_test_image(model: Calibrated, data: ZeroShotDataset) -> None:
    shuffled = data.y.copy()
    shuffled[data.test_unseen] = np.random.default_rng(0).permutation(shuffled[data.test_unseen])
    for one, two in zip(
        _compute_spaces(model, data, data.test_unseen),
        _compute_spaces(model, replace(data, y=shuffled), data.test_unseen),
        strict=True,
    ):
        np.testing.assert_array_equal(one, two)


def test_adaptation_of_a_refinement_goes_by_its_answers_to_the_whole_batch(data: ZeroShotDataset) -> None:
    model = PST(JFA(), alpha=0.9).fit(data.X_train, data.y_train, classes=data.seen_table)
    answers = model.predict(data.X_test_unseen, classes=data.unseen_table)
    rows = slice(0, 20)
    expected = model.model_.adapt(data.X_test_unseen[rows], answers[rows], classes=data.unseen_table)
    _, z_t, z_s = _compute_spaces(model, data, data.test_unseen[rows])
    np.testing.assert_allclose(z_t, expected.z_t)
    np.testing.assert_allclose(z_s, expected.z_s)
    alone = model.predict(data.X_test_unseen[rows], classes=data.unseen_table)
    assert (alone != answers[rows]).any(), "the data tell nothing"


def test_the_settings_of_the_user_are_left_alone(standard: Results) -> None:
    with matplotlib.rc_context({"font.size": 31, "axes.spines.top": True}):
        before = dict(matplotlib.rcParams)
        drawn = per_class_figure(standard)
        drawn.to_bytes("png")
        assert dict(matplotlib.rcParams) == before
        loud = drawn.to_bytes("svg")
    assert per_class_figure(standard).to_bytes("svg") == loud


def test_series_differ_without_colours() -> None:
    assert len({(pick_colour(at), pick_marker(at)) for at in range(56)}) == 56
    lightness = [np.dot(matplotlib.colors.to_rgb(shade), (0.2126, 0.7152, 0.0722)) for shade in PALETTE]
    assert all(abs(one - two) > 0.1 for one, two in pairwise(lightness))


@pytest.mark.parametrize("n_classes", [3, 40, 700])
def test_class_names_never_overlap(n_classes: int) -> None:
    with use_style():
        figure = make_figure(6, 3)
        axes = figure.subplots()
        axes.set_xlim(-0.5, n_classes - 0.5)
        label_classes(axes.xaxis, [f"a class with a long name, number {at}" for at in range(n_classes)], 5)
        figure.canvas.draw()
        boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
    assert len(boxes) <= n_classes
    assert all(left.x1 <= right.x0 + 1 for left, right in pairwise(boxes))


def test_what_cannot_be_drawn_is_refused(model: Calibrated, data: ZeroShotDataset, standard: Results) -> None:
    ranking = evaluate(ESZSL(), data, "retrieval")
    bilinear = BilinearSVM().fit(data.X_train, data.y_train, classes=data.seen_table)
    for draw, message in (
        (lambda: per_class_figure([ranking]), "give results of the standard setting"),
        (lambda: per_class_figure([]), "results is empty"),
        (lambda: confusion_figure(ranking), "no confusion matrix"),
        (lambda: seen_unseen_figure(standard), "give results of the generalized setting"),
        (lambda: adaptation_figure(bilinear, data), "give a fitted JFA"),
        (lambda: adaptation_figure(model, data, n_classes=0), "n_classes"),
    ):
        with pytest.raises(InputError, match=message):
            draw()
