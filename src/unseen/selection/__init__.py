"""Choose parameters on seen classes, some of which are held out in place of unseen ones."""

from unseen.selection.grid import GridFitter, fit_grid
from unseen.selection.results import Selection
from unseen.selection.search import ClassDisjointSearch
from unseen.selection.selecting import select
from unseen.selection.splitters import SPLITTERS, ClassKFold, HoldOutClasses

__all__ = [
    "SPLITTERS",
    "ClassDisjointSearch",
    "ClassKFold",
    "GridFitter",
    "HoldOutClasses",
    "Selection",
    "fit_grid",
    "select",
]
