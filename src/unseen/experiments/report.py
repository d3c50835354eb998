"""Compare the results of all experiments with published numbers in one table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from unseen.evaluation.comparison import RULE, compare
from unseen.evaluation.result import EvaluationResult
from unseen.evaluation.significance import PairedTest, comparable, paired_test
from unseen.experiments.runner import Outcome
from unseen.experiments.spec import Experiment, ExperimentReference
from unseen.utils.tables import Cell, Rendered, Table

COLUMNS = ("experiment", "metric", "ours (%)", "trials", "published (%)", "difference", "within the spread", "by")


@dataclass(frozen=True)
class BenchReport(Rendered):
    """Results of experiments, with one table row for each metric and each published number of it.

    Parameters
    ----------
    outcomes : sequence of Outcome
    """

    outcomes: Sequence[Outcome[EvaluationResult]]

    def table(self) -> Table:
        """Return the table; numbers in square brackets refer to the sources listed below it."""
        references = [reference for outcome in self.outcomes for reference in outcome.experiment.published]
        sources = list(dict.fromkeys(map(cite_source, references)))
        rows = [row for outcome in self.outcomes for row in _make_rows(outcome.experiment, outcome.result, sources)]
        cited = [RULE, *(f"[{at}] {source}" for at, source in enumerate(sources, start=1))] if sources else []
        about = [
            f"{outcome.experiment.name}: {note}" for outcome in self.outcomes for note in _write_notes(outcome.result)
        ]
        tests = [str(test) for test in self.paired_tests()]
        return Table("Our results and the published numbers", COLUMNS, tuple(rows), (*cited, *tests, *about))

    def paired_tests(self) -> list[PairedTest]:
        """Test each pair of experiments with the same data and setting for a difference over the classes."""
        results = [replace(outcome.result, name=outcome.experiment.name) for outcome in self.outcomes]
        return [paired_test(one, two) for one, two in combinations(results, 2) if comparable(one, two)]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return everything as plain values for JSON."""
        return [
            {
                "experiment": outcome.experiment.name,
                "title": outcome.experiment.title,
                "result": outcome.result.to_dict(),
                "published": _list_references(outcome.experiment, outcome.result),
            }
            for outcome in self.outcomes
        ]


def _make_rows(experiment: Experiment, result: EvaluationResult, sources: list[str]) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for metric in result.metrics:
        ours: tuple[Cell, ...] = (experiment.name, metric, result.measure(metric), len(result.trials))
        references = [reference for reference in experiment.published if reference.metric == metric]
        for reference in references:
            found = compare(result, reference)
            by = f"{reference.method} [{sources.index(cite_source(reference)) + 1}]"
            rows.append((*ours, found.theirs, f"{found.difference:+.2f}", found.verdict, by))
        if not references:
            rows.append((*ours, None, "", "", ""))
    return rows


def _write_notes(result: EvaluationResult) -> list[str]:
    """Note what the table does not show: that trials do not differ, and which parameters were chosen."""
    same = ["one trial, because the model has no random_state"] if not result.random else []
    if result.random and result.deterministic:
        same = [f"all {len(result.trials)} trials gave the same answers"]
    return [*same, *(_describe_choices(result) or [" ".join(result.model.split())])]


def _describe_choices(result: EvaluationResult) -> list[str]:
    """Describe what a search chose, and in how many trials."""
    choices = Counter(_format_parameters(trial.parameters) for trial in result.trials if trial.parameters is not None)
    return [f"{choice} chosen in {n} of {len(result.trials)} trials" for choice, n in choices.most_common()]


def _format_parameters(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in parameters.items())


def cite_source(reference: ExperimentReference) -> str:
    """Cite the source of a number, with any caveats."""
    recalled = ["recalled, not checked against a copy"] if reference.recalled else []
    return "; ".join([reference.source, *recalled, *([reference.note] if reference.note else [])])


def _list_references(experiment: Experiment, result: EvaluationResult) -> list[dict[str, Any]]:
    found = [(reference, compare(result, reference)) for reference in experiment.published]
    return [
        {
            "method": reference.method,
            "metric": reference.metric,
            "mean": reference.mean,
            "std": reference.std,
            "source": cite_source(reference),
            "difference": comparison.difference,
            "within_the_spread": comparison.within,
        }
        for reference, comparison in found
    ]
