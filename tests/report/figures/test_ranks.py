"""The picture of average ranks over class splits."""

import csv
import io
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from unseen.data import make_zero_shot
from unseen.evaluation import SplitComparison, SplitResult, evaluate
from unseen.models import ESZSL
from unseen.report import Drawn, critical_difference_figure
from unseen.report.figures.ranks import _stack
from unseen.utils.figures import BLUE

N = 12


@pytest.fixture(scope="module")
def results() -> list[SplitResult]:
    """Two models that are alike, one that is far better, and one that is far worse."""
    data = make_zero_shot(n_seen=6, n_unseen=3, n_features=10, n_per_class=4, n_test_per_class=3, random_state=0)
    base = evaluate(ESZSL(), data, class_splits=N)
    random = np.random.default_rng(0)

    def make(name: str, mean: float) -> SplitResult:
        values = random.normal(mean, 0.01, N)
        trials = (replace(t, metrics=dict.fromkeys(t.metrics, v)) for t, v in zip(base.trials, values, strict=True))
        return replace(base, name=name, trials=tuple(trials))

    return [make("worse", 0.3), make("one", 0.5), make("two", 0.5), make("a better one", 0.7)]


def find_bars(drawn: Drawn) -> list[tuple[float, float]]:
    """Return the ends of the thick lines."""
    lines = [line for line in drawn.figure.axes[0].lines if line.get_color() == BLUE and line.get_linewidth() > 3]
    return [(float(min(line.get_xdata())), float(max(line.get_xdata()))) for line in lines]


def test_a_bar_joins_those_that_do_not_differ(results: list[SplitResult]) -> None:
    drawn = critical_difference_figure(results)
    ranks = SplitComparison(results).ranks()
    [(low, high)] = find_bars(drawn)
    assert 1 < low < min(ranks["one"], ranks["two"]) <= max(ranks["one"], ranks["two"]) < high < 4
    assert "a better one 1.00" in drawn.description
    assert "Not told apart: " in drawn.description
    assert find_bars(critical_difference_figure(results[2:])) == []


def test_every_name_is_inside_the_picture_with_its_rank_and_mean(results: list[SplitResult]) -> None:
    long = [replace(result, name=f"{result.name} with a very long name of many words") for result in results]
    for chosen in (results, long):
        figure = critical_difference_figure(chosen).figure
        texts = figure.axes[0].texts
        assert len(texts) == 4
        assert texts[0].get_text().startswith(chosen[3].name)
        assert "1.00  (70." in texts[0].get_text()
        for text in [*texts, figure._supxlabel]:
            box = text.get_window_extent()
            assert box.x0 >= 0
            assert box.x1 <= figure.bbox.width
            assert box.y0 >= 0


def test_numbers_of_many_ranks_do_not_touch(results: list[SplitResult]) -> None:
    many = [replace(results[at % 4], name=f"model {at}") for at in range(32)]
    figure = critical_difference_figure(many).figure
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in figure.axes[0].get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_the_data_hold_all_p_values(results: list[SplitResult]) -> None:
    rows = list(csv.DictReader(io.StringIO(critical_difference_figure(results).data.to_csv())))
    p_values = SplitComparison(results).p_values()
    assert [row["model"] for row in rows] == list(SplitComparison(results).ranks())
    for (one, two), p in p_values.items():
        row = next(row for row in rows if row["model"] == one)
        assert float(row[f"p against {two}"]) == p
    assert rows[0]["groups"] == ""
    assert rows[1]["groups"] == rows[2]["groups"] == "1"


def test_the_same_results_give_the_same_file(results: list[SplitResult]) -> None:
    first, second = (critical_difference_figure(results).to_bytes("svg") for _ in range(2))
    assert first == second


def test_too_few_splits_are_said_to_be_too_few(results: list[SplitResult]) -> None:
    few = [replace(result, trials=result.trials[:4], candidates=result.candidates[:4]) for result in results]
    drawn = critical_difference_figure(few)
    assert "With 4 splits and 6 comparison(s)" in drawn.caption
    assert len(find_bars(drawn)) == 1


def test_bars_share_a_line_unless_they_would_touch() -> None:
    assert _stack([(1.0, 2.0), (1.5, 3.0), (2.5, 3.5)]) == [[(1.0, 2.0), (2.5, 3.5)], [(1.5, 3.0)]]
