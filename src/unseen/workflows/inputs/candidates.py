"""Find the candidate classes to choose among."""

import os
from pathlib import Path
from typing import Any

from unseen.data import ClassTable
from unseen.data.candidates import make_candidate_table
from unseen.data.class_files import read_and_warn
from unseen.data.tables.lists import read_lines
from unseen.data.tables.names import match_labels
from unseen.utils.errors import InputError


def find_candidates(model: Any, classes: Any = None) -> ClassTable:
    """Return the table of candidates.

    Parameters
    ----------
    model : estimator
        The fitted model.
    classes : path-like, ClassTable, data frame, mapping or sequence of labels, optional
        A CSV, Excel or Parquet file of class descriptions, a .txt list of classes that the model knows, or candidates
        as any model takes them. By default the classes seen in training.
    """
    known: ClassTable = model.table_
    if classes is None:
        return known.select(model.classes_)
    if not isinstance(classes, str | os.PathLike):
        return make_candidate_table(classes, known)
    path = Path(classes)
    if not path.is_file():
        raise InputError(f"classes={path} is not a file: give a CSV file of class descriptions, or a list of names")
    if path.suffix.casefold() == ".txt":
        names = read_lines(path)
        return known.select(match_labels(names, list(known), str(path)).values())
    return make_candidate_table(read_and_warn(path), known)
