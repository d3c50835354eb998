"""Choosing parameters on seen classes only, some of which stand in for unseen ones."""

from unseen.selection.grid import GridFitter, fit_grid
from unseen.selection.search import ClassDisjointSearch
from unseen.selection.splitters import SPLITTERS, ClassKFold, HoldOutClasses
from unseen.selection.trials import Selection, select

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
