"""What a model is asked: rows of features, read or encoded for it, and the candidates to choose among."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data import ClassTable, FeatureRows, load_rows
from unseen.data.candidates import make_candidate_table
from unseen.data.formats.detect import holds_features
from unseen.data.home import find_dataset
from unseen.data.tables.lists import read_lines
from unseen.data.tables.names import match_labels
from unseen.encoders.pictures import is_picture
from unseen.files import ModelFile
from unseen.utils.errors import InputError
from unseen.utils.progress import OnProgress, ignore
from unseen.workflows.loading import Named
from unseen.workflows.pictures import encode_pictures, read_extracted


@dataclass(frozen=True, eq=False)
class Asked:
    """Rows that a model can answer.

    Attributes
    ----------
    rows : FeatureRows
    unreadable : mapping of str to str
        Pictures that have no row, and why.
    """

    rows: FeatureRows
    unreadable: Mapping[str, str] = field(default_factory=dict)


def find_rows(
    file: ModelFile,
    data: Named | FeatureRows | NDArray[Any],
    features: Any = None,
    *,
    label: str | None = None,
    weights: Path | None = None,
    device: str = "cpu",
    batch: int = 8,
    on_progress: OnProgress = ignore,
) -> Asked:
    """Return the rows that a model is asked about.

    Parameters
    ----------
    file : ModelFile
        The model. The encoder that it names makes features of pictures.
    data : str, path-like, FeatureRows or ndarray of shape (n, d)
        A picture, a folder of pictures, a folder that `extract` wrote, whatever `unseen.data.load_rows` reads, or
        features themselves.
    features, label
        As for `unseen.data.load_rows`.
    weights : Path, optional
        The weights of the encoder, if they are not where they were.
    device, batch
        For pictures: where the encoder runs, and how many pictures it encodes at once.
    on_progress : callable, optional
    """
    if not isinstance(data, str | os.PathLike):
        rows = data if isinstance(data, FeatureRows) else _number_rows(data)
        return _check_width(file, Asked(rows.check("data")), "data")
    path = find_dataset(data) if features is None else None
    extracted = None if path is None else read_extracted(file.encoder, path)
    if extracted is not None:
        asked = Asked(extracted)
    elif path is not None and _are_pictures(path):
        how: dict[str, Any] = {"weights": weights, "device": device, "batch": batch, "on_progress": on_progress}
        asked = Asked(*encode_pictures(file.encoder, path, **how))
    else:
        asked = Asked(load_rows(data, features, **({} if label is None else {"label": label})))
    return _check_width(file, asked, str(data))


def find_candidates(model: Any, classes: Any = None) -> ClassTable:
    """Return the table of candidates.

    Parameters
    ----------
    model : estimator
        Fitted.
    classes : path-like, ClassTable, data frame, mapping or sequence of labels, optional
        A CSV file of class descriptions, a .txt list of classes that the model knows, or what any model takes; by
        default the classes seen in training.
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
    return make_candidate_table(ClassTable.from_csv(path), known)


def _are_pictures(path: Path) -> bool:
    return not holds_features(path) if path.is_dir() else is_picture(path)


def _number_rows(data: Any) -> FeatureRows:
    columns = getattr(data, "columns", None)
    return FeatureRows.from_matrix(np.asarray(data), None if columns is None else tuple(map(str, columns)))


def _check_width(file: ModelFile, asked: Asked, name: str) -> Asked:
    """Return the rows with their columns in the order that the model was fitted on."""
    asked = replace(asked, rows=asked.rows.reorder(file.feature_names, name))
    width = asked.rows.X.shape[1]
    if width != file.model.n_features_in_:
        raise InputError(
            f"{name} has {width} features in each row, but the model was fitted on {file.model.n_features_in_}: make "
            "them in the same way"
        )
    return asked
