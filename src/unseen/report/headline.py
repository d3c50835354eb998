"""Compute the headline numbers at the top of a page."""

from dataclasses import dataclass

from unseen.evaluation import EvaluationResult
from unseen.report.examine import Report

_SURE = 0.9


@dataclass(frozen=True)
class Card:
    """A number with its title and its uncertainty."""

    title: str
    number: str
    detail: str


def cards(report: Report) -> list[Card]:
    """Return the headline of a report: accuracy in each setting, and accuracy of the confident answers."""
    first = report.among_unseen[0]
    metric = "mean per-class accuracy"
    chance = 100 / len(report.dataset.unseen_classes)
    detail = f"{_format_interval(first, metric)}; chance is {chance:.1f} %"
    found = [Card("mean accuracy per unseen class", _format_percent(first, metric), detail)]
    for setting, form in (("generalized", " calibrated"), ("transductive-generalized", "")):
        for result in report.results.get(setting, [])[:1]:
            u, s = (100 * result.mean(f"{side}{form}") for side in ("u", "s"))
            detail = f"unseen {u:.1f} %, seen {s:.1f} %; {_format_interval(result, f'H{form}')}"
            found.append(Card("seen and unseen, harmonic mean", _format_percent(result, f"H{form}"), detail))
    if report.coverage is not None:
        coverage, accuracy = report.coverage.at(_SURE)
        if coverage:
            detail = (
                f"of the {100 * coverage:.1f} % of unseen images whose answer is at least {100 * _SURE:.0f} % probable"
            )
            found.append(Card("accuracy of confident answers", f"{100 * accuracy:.1f} %", detail))
    return found


def _format_percent(result: EvaluationResult, metric: str) -> str:
    return f"{100 * result.mean(metric):.1f} %"


def _format_interval(result: EvaluationResult, metric: str) -> str:
    interval = result.interval(metric)
    return f"95 % interval {100 * interval.low:.1f} to {100 * interval.high:.1f} over {interval.over}"
