"""For the eyes: figures of what was measured, and one page that shows them all."""

from unseen.report.adaptation import adaptation_figure
from unseen.report.confusion import confusion_figure
from unseen.report.curves import coverage_figure, seen_unseen_figure
from unseen.report.drawn import Drawn
from unseen.report.examine import Report, examine
from unseen.report.page import page
from unseen.report.per_class import per_class_figure

__all__ = [
    "Drawn",
    "Report",
    "adaptation_figure",
    "confusion_figure",
    "coverage_figure",
    "examine",
    "page",
    "per_class_figure",
    "seen_unseen_figure",
]
