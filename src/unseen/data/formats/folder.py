"""Read a dataset from a folder that the user prepared.

===========================  ==========================================================================================
``features.npy``             features, one row per example; or ``features.csv`` or ``features.parquet``
``labels.txt``               the class of each row, one name on each line; not needed if the first column of
                             ``features.csv`` or ``features.parquet`` holds the labels
``classes.csv``              the class table, as `read_class_table` reads it; or give it as ``classes``
``unseen.txt``               optional: the unseen classes, one on each line
``test_seen.txt``            optional: the rows (from 0) that are test examples of seen classes
``manifest.json``            optional, by `unseen extract`: digests, against which the files are checked
===========================  ==========================================================================================
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.class_table import ClassTable
from unseen.data.formats.contents import Contents, RowSplit
from unseen.data.formats.extracted import refuse_changed
from unseen.data.formats.feature_table import (
    LabelledColumns,
    as_class_table,
    as_labels,
    read_labelled_columns,
    read_table_rows,
)
from unseen.data.formats.numpy_file import map_npy
from unseen.data.rows import FeatureRows
from unseen.data.tables.lists import read_lines
from unseen.data.tables.names import match_labels
from unseen.utils.errors import InputError, shorten

CLASSES, LABELS, UNSEEN = "classes.csv", "labels.txt", "unseen.txt"
FEATURES = ("features.npy", "features.csv", "features.parquet")


def is_folder(path: Path) -> bool:
    """Tell whether the path is a folder with features, a class table or a list of labels."""
    return path.is_dir() and any((path / name).is_file() for name in (*FEATURES, CLASSES, LABELS))


def read_folder(
    path: Path,
    features: str | None = None,
    *,
    label: str | None = None,
    classes: Any = None,
) -> Contents:
    """Read a dataset from a folder in the layout above.

    Parameters
    ----------
    path : Path
        The folder.
    features : str, optional
        Name of the feature file, if it is not ``features.*``.
    label : str, optional
        The column of labels of a feature table, by default the first; not read if there is a ``labels.txt``.
    classes : ClassTable, path-like, mapping or data frame, optional
        The class table, if it is not the folder's ``classes.csv``.
    """
    file = _find_feature_file(path, features)
    refuse_changed(path, [file.name, LABELS, UNSEEN, *([CLASSES] if classes is None else [])])
    table = _read_class_table(path, classes)
    X, names, feature_names = _read_examples(path, file, label)
    y = as_labels(names, table, f"{path}: labels")
    unseen = read_lines(path / UNSEEN) if (path / UNSEEN).is_file() else []
    rows = _make_row_split(path, y, table, unseen) if (path / "test_seen.txt").is_file() else None
    own = {"own": tuple(unseen)} if unseen else {}
    return Contents(X, y, table, path.name, str(path), rows=rows, unseen=own, feature_names=feature_names)


def read_folder_rows(path: Path, features: str | None = None, *, label: str | None = None) -> FeatureRows:
    """Read the features of a folder, with or without labels and a class table.

    Parameters
    ----------
    path, features
        As for `read_folder`.
    label : str, optional
        The column of labels of a feature table, which is left out.
    """
    file = _find_feature_file(path, features)
    refuse_changed(path, [file.name])
    return FeatureRows.from_matrix(map_npy(file)) if file.suffix == ".npy" else read_table_rows(file, label=label)


def _read_class_table(path: Path, classes: Any) -> ClassTable:
    if classes is not None:
        return as_class_table(classes)
    if not (path / CLASSES).is_file():
        raise InputError(f"{path} has no {CLASSES}: write a table that describes each class, or name one with classes=")
    return as_class_table(path / CLASSES)


def _find_feature_file(path: Path, features: str | None) -> Path:
    names = FEATURES if features is None else (features,)
    found = [path / name for name in names if (path / name).is_file()]
    if not found:
        inside = sorted(entry.name for entry in path.iterdir())
        raise InputError(
            f"{path} has no {' or '.join(names)}, only {shorten(inside)}: put the features there, one row per "
            "example (pictures must be turned into features first), or name the file with features="
        )
    return found[0]


def _read_examples(path: Path, file: Path, label: str | None) -> LabelledColumns:
    if file.suffix != ".npy":
        return _read_table_examples(path, file, label)
    X = map_npy(file)
    if not (path / LABELS).is_file():
        raise InputError(f"{path} has no labels.txt: write the class of each row of {file.name}, one on each line")
    return LabelledColumns(X, _check_count(read_lines(path / LABELS), len(X), path))


def _read_table_examples(path: Path, file: Path, label: str | None) -> LabelledColumns:
    examples = read_labelled_columns(file, None, label)
    if not (path / LABELS).is_file():
        return examples
    raise InputError(
        f"{path} has both labels.txt and {file.name}, whose first column holds labels: keep the labels in one place"
    )


def _check_count(names: list[str], n_rows: int, path: Path) -> list[str]:
    if len(names) != n_rows:
        raise InputError(f"{path / LABELS} has {len(names)} labels for {n_rows} rows: write one for each row")
    return names


def _make_row_split(path: Path, y: NDArray[Any], classes: ClassTable, unseen: list[str]) -> RowSplit:
    """Make the row split from ``unseen.txt`` and ``test_seen.txt``."""
    if not unseen:
        raise InputError(f"{path} has test_seen.txt but no unseen.txt: name the unseen classes too")
    entries = read_lines(path / "test_seen.txt")
    wrong = [entry for entry in entries if not entry.isdecimal() or int(entry) >= len(y)]
    if wrong:
        raise InputError(f"{path / 'test_seen.txt'} has {shorten(wrong)}: write row numbers from 0 to {len(y) - 1}")
    labels = list(match_labels(unseen, list(classes), str(path / UNSEEN)).values())
    is_unseen = np.isin(classes.index_of(y), classes.index_of(labels))
    test_seen = np.array(entries, dtype=np.int64)
    train = np.setdiff1d(np.flatnonzero(~is_unseen), test_seen)
    return RowSplit(train, test_seen, np.flatnonzero(is_unseen))
