"""Render the stored experiments of `unseen bench` as one HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from unseen.evaluation import EvaluationResult, SplitResult
from unseen.evaluation.comparison import RULE, compare
from unseen.evaluation.measured import Measured
from unseen.evaluation.metrics import choose_headline
from unseen.evaluation.significance import comparable
from unseen.experiments import SplitReport
from unseen.experiments.report import cite_source
from unseen.experiments.runner import Outcome
from unseen.experiments.stored import StoredRun
from unseen.report.figures.drawn import Drawn
from unseen.report.figures.experiments import experiments_figure
from unseen.report.figures.ranks import critical_difference_figure
from unseen.report.shell import escape, make_page, render_download, render_drawn, render_facts, render_table
from unseen.utils.tables import Cell, Measure, Table
from unseen.utils.versions import list_versions

_PACKAGES = ("unseen", "numpy", "scipy", "scikit-learn", "matplotlib")
_COLUMNS = ("experiment", "rank", "metric", "ours (%)", "95% low", "95% high", "over", "trials")
_PUBLISHED = ("published (%)", "difference", "within the spread", "by")


@dataclass(frozen=True, eq=False)
class BenchPage:
    """What a store of experiments holds, for a page.

    Attributes
    ----------
    name : str
        Name of the store.
    runs : sequence of StoredRun
        As `read_store` gives them; of several runs of an experiment the last counts.
    command : str
        Command that made the page.
    """

    name: str
    runs: Sequence[StoredRun]
    command: str = ""

    def _repr_html_(self) -> str:
        sources = _list_sources(self.outcomes)
        return "\n".join(_tabulate(group, sources).to_html() for group in self.groups)

    @property
    def outcomes(self) -> list[Outcome[EvaluationResult]]:
        """The last outcome of each experiment on the split of its data."""
        return [outcome for _, outcome in self._last() if is_over_trials(outcome)]

    @property
    def over_splits(self) -> SplitReport:
        """The last outcome of each experiment over random class splits."""
        results = [outcome.result for _, outcome in self._last()]
        return SplitReport([result for result in results if isinstance(result, SplitResult)])

    @property
    def others(self) -> list[tuple[StoredRun, str]]:
        """What is stored but not among these, with the reasons."""
        shown = [run for run, _ in self._last()]
        return [(run, run.reason or "run again later, see above") for run in self.runs if run not in shown]

    @property
    def groups(self) -> list[list[Outcome[EvaluationResult]]]:
        """Outcomes on the same data in the same setting, best first."""
        found: list[list[Outcome[EvaluationResult]]] = []
        for outcome in self.outcomes:
            group = next((group for group in found if comparable(group[0].result, outcome.result)), None)
            if group is None:
                found.append([outcome])
            else:
                group.append(outcome)
        return [sorted(group, key=lambda one: -one.result.mean(_headline(one.result))) for group in found]

    @property
    def figures(self) -> list[Drawn]:
        """A figure of each group, and of the ranks over class splits."""
        ranks = [critical_difference_figure(one.results) for one in self.over_splits.comparisons]
        return _name_apart([*map(experiments_figure, self.groups), *ranks])

    def _last(self) -> list[tuple[StoredRun, Outcome[Measured]]]:
        found = {run.name: (run, run.outcome) for run in self.runs if run.outcome is not None}
        return list(found.values())


def bench_page(page: BenchPage) -> str:
    """Return the stored experiments as one HTML page: intervals, ranks, and the published numbers beside ours."""
    figures = page.figures
    return make_page(
        f"Experiments in {page.name}",
        {
            "experiments": ("Beside the published numbers", _render_groups(page, figures)),
            "splits": ("Over random class splits", _render_splits(page, figures)),
            "others": ("Stored, but not shown above", _render_others(page)),
            "settings": ("Store, versions", _render_settings(page)),
        },
    )


def is_over_trials(outcome: Outcome[Measured]) -> TypeGuard[Outcome[EvaluationResult]]:
    """Tell whether an outcome is over trials on one split, rather than over class splits."""
    return isinstance(outcome.result, EvaluationResult)


def _headline(result: EvaluationResult) -> str:
    return choose_headline(result.metrics)


def _render_groups(page: BenchPage, figures: Sequence[Drawn]) -> str:
    if not page.groups:
        return ""
    sources = _list_sources(page.outcomes)
    parts = []
    for group, drawn in zip(page.groups, figures, strict=False):
        table = _tabulate(group, sources)
        parts.append(
            render_drawn(drawn) + render_table(table) + f"<p>{render_download(f'{drawn.name}-table', table)}</p>"
        )
    notes = "".join(f"<li>{escape(source)}</li>" for source in sources)
    rule = f'<p class="note">{escape(RULE)}</p>' if sources else ""
    return "".join(parts) + rule + (f'<ol class="note">{notes}</ol>' if notes else "")


def _tabulate(group: Sequence[Outcome[EvaluationResult]], sources: Sequence[str]) -> Table:
    """Return a table of the headline metric of each experiment and of all that have a published number."""
    means = [round(one.result.mean(_headline(one.result)), 6) for one in group]
    rows = [row for one in group for row in _make_rows(one, means, sources)]
    columns: tuple[str, ...] = (*_COLUMNS, *_PUBLISHED)
    if not any(one.experiment.published for one in group):
        columns, rows = _COLUMNS, [row[: len(_COLUMNS)] for row in rows]
    first = group[0].result
    return Table(f"{first.dataset}, {first.setting} setting, best first", columns, tuple(rows))


def _make_rows(
    outcome: Outcome[EvaluationResult], means: Sequence[float], sources: Sequence[str]
) -> list[tuple[Cell, ...]]:
    result, references = outcome.result, outcome.experiment.published
    headline = _headline(result)
    named = {headline, *(reference.metric for reference in references)}
    rows: list[tuple[Cell, ...]] = []
    for metric in (metric for metric in result.metrics if metric in named):
        # Equal means share the better rank.
        rank = 1 + means.index(round(result.mean(metric), 6)) if metric == headline else None
        ours: tuple[Cell, ...] = (outcome.experiment.name, rank, metric, *_measure(result, metric))
        numbers = [reference for reference in references if reference.metric == metric]
        for reference in numbers:
            found = compare(result, reference)
            by = f"{reference.method} [{sources.index(cite_source(reference)) + 1}]"
            rows.append((*ours, found.theirs, f"{found.difference:+.2f}", found.verdict, by))
        if not numbers:
            rows.append((*ours, None, "", "", ""))
    return rows


def _measure(result: EvaluationResult, metric: str) -> tuple[Cell, ...]:
    n = len(result.trials)
    if result.spread(metric) is None:
        return result.measure(metric), None, None, "", n
    interval = result.interval(metric)
    return result.measure(metric), 100 * interval.low, 100 * interval.high, interval.over, n


def _list_sources(outcomes: Sequence[Outcome[EvaluationResult]]) -> list[str]:
    return list(dict.fromkeys(cite_source(number) for outcome in outcomes for number in outcome.experiment.published))


def _render_splits(page: BenchPage, figures: Sequence[Drawn]) -> str:
    if not page.over_splits.results:
        return ""
    drawn = "".join(map(render_drawn, figures[len(page.groups) :]))
    return drawn + "".join(map(render_table, page.over_splits.tables()))


def _render_others(page: BenchPage) -> str:
    rows: list[tuple[Cell, ...]] = []
    for run, reason in page.others:
        metric = choose_headline(list(run.trials[0].metrics))
        values = 100 * np.array([trial.metrics[metric] for trial in run.trials])
        measure = Measure(float(values.mean()), float(values.std(ddof=1)) if np.ptp(values) else None)
        rows.append((run.name, metric, measure, len(values), run.version, run.finished[:10], reason))
    if not rows:
        return ""
    columns = ("experiment", "metric", "mean (%)", "trials", "version", "finished", "why")
    return render_table(Table("Means ± standard deviation over the stored trials", columns, tuple(rows)))


def _render_settings(page: BenchPage) -> str:
    finished = [run.finished for run in page.runs]
    return render_facts(
        {
            "store": page.name,
            "finished trials": f"{sum(len(run.trials) for run in page.runs):,} of {len(page.runs)} runs",
            "run between": f"{min(finished)} and {max(finished)} (UTC)" if finished else "",
            "versions that ran them": ", ".join(sorted({run.version for run in page.runs})),
            "versions of this page": ", ".join(f"{name}={n}" for name, n in list_versions(_PACKAGES).items()),
            "made by": page.command,
        }
    )


def _name_apart(figures: Sequence[Drawn]) -> list[Drawn]:
    """Give figures of the same name numbers, because names are addresses on the page."""
    names = [drawn.name for drawn in figures]
    return [
        replace(drawn, name=f"{drawn.name}-{names[:at].count(drawn.name) + 1}") if drawn.name in names[:at] else drawn
        for at, drawn in enumerate(figures)
    ]
