"""Draw figures and write the report page."""

from unseen.report.bench_page import BenchPage, bench_page
from unseen.report.examine import Report, examine
from unseen.report.explain import Explanation, explain
from unseen.report.figures.adaptation import adaptation_figure
from unseen.report.figures.confusion import confusion_figure
from unseen.report.figures.curves import coverage_figure, seen_unseen_figure
from unseen.report.figures.drawn import Drawn
from unseen.report.figures.experiments import experiments_figure
from unseen.report.figures.per_class import per_class_figure
from unseen.report.figures.ranks import critical_difference_figure
from unseen.report.page import page

__all__ = [
    "BenchPage",
    "Drawn",
    "Explanation",
    "Report",
    "adaptation_figure",
    "bench_page",
    "confusion_figure",
    "coverage_figure",
    "critical_difference_figure",
    "examine",
    "experiments_figure",
    "explain",
    "page",
    "per_class_figure",
    "seen_unseen_figure",
]
