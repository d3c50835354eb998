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


def is_list_of_names(path: Path) -> bool:
    """Tell by its extension whether a file names classes without describing them."""
    return path.suffix.casefold() in (".txt", ".xml", ".json")


def _read_names(path: Path) -> list[str]:
    if path.suffix.casefold() == ".txt":
        return read_lines(path)
    from unseen.data.exchange.labelling import read_choices

    return read_choices(path)


def find_candidates(model: Any, classes: Any = None) -> ClassTable:
    """Return the table of candidates.

    Parameters
    ----------
    model : estimator
        The fitted model.
    classes : path-like, ClassTable, data frame, mapping or sequence of labels, optional
        A CSV, Excel or Parquet file of class descriptions, a list of classes that the model knows (a .txt file, the
        .xml labelling configuration of Label Studio or the labels.json of FiftyOne), or candidates as any model takes
        them. By default the classes seen in training.
    """
    known: ClassTable = model.table_
    if classes is None:
        return known.select(model.classes_)
    if not isinstance(classes, str | os.PathLike):
        return make_candidate_table(classes, known)
    path = Path(classes)
    if not path.is_file():
        raise InputError(f"classes={path} is not a file: give a CSV file of class descriptions, or a list of names")
    if is_list_of_names(path):
        names = _read_names(path)
        return known.select(match_labels(names, list(known), str(path)).values())
    return make_candidate_table(read_and_warn(path), known)
