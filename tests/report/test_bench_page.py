"""The page of stored experiments: ranks, intervals, published numbers, and what is left out and why."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import html5lib
import pytest
from browser import assert_all_is_shown, opened, started
from stored_experiments import fill_store

from unseen.evaluation.comparison import compare
from unseen.experiments import StoredRun, read_store
from unseen.experiments.spec import ExperimentReference
from unseen.report import BenchPage, bench_page
from unseen.report.bench_page import is_over_trials

METRIC = "mean per-class accuracy"
PUBLISHED = ExperimentReference("JFA <b>", METRIC, 91.5, 0.5, "trials", "A paper & its table", "", True)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> BenchPage:
    runs = read_store(fill_store(tmp_path_factory.mktemp("bench")))
    return BenchPage("trials.sqlite", [_publish(run) for run in runs], "unseen report --bench trials.sqlite")


def _publish(run: StoredRun) -> StoredRun:
    """Give the experiment on JFA a published number."""
    if run.outcome is None or run.name != "digit-pairs-jfa":
        return run
    experiment = replace(run.outcome.experiment, published=(PUBLISHED,))
    return replace(run, outcome=replace(run.outcome, experiment=experiment))


@pytest.fixture(scope="module")
def text(page: BenchPage) -> str:
    return bench_page(page)


@pytest.fixture(scope="module")
def cells(text: str) -> list[list[str]]:
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    return [["".join(cell.itertext()) for cell in row.iter("td")] for row in tree.iter("tr")]


def test_ranks_intervals_and_published_numbers(page: BenchPage, cells: list[list[str]]) -> None:
    [group] = page.groups
    assert [outcome.experiment.name for outcome in group] == ["digit-pairs-jfa", "digit-pairs-eszsl"]
    for rank, outcome in enumerate(group, start=1):
        result = outcome.result
        interval = result.interval(METRIC)
        start = [outcome.experiment.name, str(rank), METRIC, f"{100 * result.mean(METRIC):.2f}"]
        ends = [f"{100 * end:.2f}" for end in (interval.low, interval.high)]
        [row] = [row for row in cells if row[:4] == start]
        assert row[4:7] == [*ends, interval.over]
    found = compare(group[0].result, PUBLISHED)
    row = next(row for row in cells if row[:2] == ["digit-pairs-jfa", "1"])
    assert row[8:] == ["91.50 ± 0.50", f"{found.difference:+.2f}", found.verdict, "JFA <b> [1]"]


def test_of_several_runs_the_last_counts_and_the_others_are_named(page: BenchPage, cells: list[list[str]]) -> None:
    reasons = [row[-1] for row in cells if len(row) == 7 and row[0] == "digit-pairs-eszsl"]
    assert len(reasons) == 2
    assert any("see above" in reason for reason in reasons)
    assert any("other data" in reason for reason in reasons)
    assert any("no experiment of this name" in row[-1] for row in cells if row and row[0] == "own")
    shown = [outcome.experiment.name for outcome in page.outcomes]
    assert len(shown) == len(set(shown))


def test_class_splits_are_compared_with_ranks(page: BenchPage, text: str) -> None:
    [comparison] = page.over_splits.comparisons
    assert comparison.table().title in text
    assert [drawn.name for drawn in page.figures] == ["experiments-digit-pairs-standard", "ranks"]
    assert len(page.over_splits.groups) == 2


def test_names_and_sources_are_escaped(text: str) -> None:
    assert "<b>" not in text
    assert "A paper &amp; its table; recalled, not checked against a copy" in text


def test_equal_means_share_a_rank(page: BenchPage) -> None:
    [run] = [run for run in page.runs if run.name == "digit-pairs-jfa"]
    assert run.outcome is not None
    assert is_over_trials(run.outcome)
    other = replace(run.outcome.experiment, name="the-same")
    twins = [run, replace(run, name="the-same", outcome=replace(run.outcome, experiment=other))]
    text = bench_page(BenchPage("twins", twins))
    for name in ("digit-pairs-jfa", "the-same"):
        assert f'<td>{name}</td><td style="text-align: right">1</td>' in text


def test_the_figure_has_intervals_and_diamonds(page: BenchPage) -> None:
    drawn = page.figures[0]
    diamonds = [line for line in drawn.figure.axes[0].lines if line.get_marker() == "D"]
    assert [float(line.get_xdata()[0]) for line in diamonds] == [91.5]
    [row, _] = drawn.data.rows
    interval = page.groups[0][0].result.interval(METRIC)
    assert row[2:] == (100 * interval.low, 100 * interval.high, 91.5)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1200])
def test_it_is_shown_in_a_browser(text: str, tmp_path: Path, scheme: str, width: int) -> None:
    path = tmp_path / "bench.html"
    path.write_text(text, encoding="utf-8")
    browser: Any
    with started() as browser, opened(browser, path.as_uri(), width, scheme) as (page, asked):
        assert_all_is_shown(page, scheme)
        assert asked == [path.as_uri()]
