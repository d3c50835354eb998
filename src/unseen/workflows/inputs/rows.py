"""Load the rows to recognise, from features or pictures."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data import FeatureRows, load_rows
from unseen.data.formats.detect import holds_features
from unseen.data.home import find_dataset
from unseen.encoders.pictures import is_picture
from unseen.files import ModelFile
from unseen.utils.errors import InputError
from unseen.utils.progress import OnProgress, ignore
from unseen.workflows.inputs.data import Named
from unseen.workflows.inputs.pictures import encode_pictures, read_extracted


@dataclass(frozen=True, eq=False)
class InputRows:
    """Rows for a model to recognise.

    Attributes
    ----------
    rows : FeatureRows
    unreadable : mapping of str to str
        Pictures without a row, and the reasons.
    """

    rows: FeatureRows
    unreadable: Mapping[str, str] = field(default_factory=dict)


def find_rows(
    file: ModelFile,
    data: Named | FeatureRows | NDArray[Any],
    features: Any = None,
    *,
    source: str = "data",
    label: str | None = None,
    candidates: str | None = None,
    weights: Path | None = None,
    device: str = "cpu",
    batch: int = 8,
    keep: Path | None = None,
    on_progress: OnProgress = ignore,
) -> InputRows:
    """Return the rows for a model to recognise.

    Parameters
    ----------
    file : ModelFile
        The model file, which names the encoder for pictures.
    data : str, path-like, FeatureRows or ndarray of shape (n, d)
        A picture, a folder of pictures, a folder that `extract` wrote, anything that `unseen.data.load_rows` reads, or
        the features themselves.
    features, label, candidates
        As for `unseen.data.load_rows`.
    source : str, default "data"
        What messages call rows that are given as features.
    weights : Path, optional
        The weights of the encoder, if they have moved.
    device, batch, keep
        For pictures: where the encoder runs, how many pictures it encodes at once, and the folder to keep features in.
    on_progress : callable, optional
    """
    if not isinstance(data, str | os.PathLike):
        rows = data if isinstance(data, FeatureRows) else _number_rows(data)
        return _match_columns(file, InputRows(rows.check(source)), source)
    path = find_dataset(data) if features is None else None
    extracted = None if path is None else read_extracted(file.encoder, path)
    if extracted is not None and keep is None:
        asked = InputRows(extracted)
    elif path is not None and _are_pictures(path):
        how: dict[str, Any] = {"weights": weights, "device": device, "batch": batch, "keep": keep}
        asked = InputRows(*encode_pictures(file, path, **how, on_progress=on_progress))
    elif keep is not None:
        raise InputError(f"keep={keep} is for a folder of pictures, but {data} holds features: leave it out")
    else:
        options = {"label": label, "candidates": candidates}
        given = {name: value for name, value in options.items() if value is not None}
        asked = InputRows(load_rows(data, features, **given))
    return _match_columns(file, asked, str(data))


def _are_pictures(path: Path) -> bool:
    return not holds_features(path) if path.is_dir() else is_picture(path)


def _number_rows(data: Any) -> FeatureRows:
    columns = getattr(data, "columns", None)
    return FeatureRows.from_matrix(np.asarray(data), None if columns is None else tuple(map(str, columns)))


def _match_columns(file: ModelFile, asked: InputRows, name: str) -> InputRows:
    """Return the rows with their columns in the order that the model was fitted on."""
    asked = replace(asked, rows=asked.rows.reorder(file.feature_names, name))
    width = asked.rows.X.shape[1]
    if width != file.model.n_features_in_:
        raise InputError(
            f"{name} has {width} features in each row, but the model was fitted on {file.model.n_features_in_}: "
            "extract them in the same way"
        )
    return asked
