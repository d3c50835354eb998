"""Load the dataset of a workflow from a name or path, and find its encoder."""

import os
from pathlib import Path
from typing import Any, TypeAlias

from unseen.data import TrainingRows, ZeroShotDataset, load_dataset, load_training
from unseen.data.home import find_dataset
from unseen.data.splits import Split
from unseen.encoders.manifest import read_manifest
from unseen.utils.errors import InputError, shorten
from unseen.utils.progress import OnProgress, Progress, ignore

# A name or path, as for `load_dataset`.
Named: TypeAlias = str | os.PathLike[str]


def load_to_learn(
    data: Named | TrainingRows | ZeroShotDataset,
    split: Split = None,
    features: Any = None,
    *,
    on_progress: OnProgress = ignore,
    **options: Any,
) -> TrainingRows:
    """Return the training rows; options are those of `load_training`, and None means not given."""
    if isinstance(data, TrainingRows | ZeroShotDataset):
        _refuse_options(split, features, options)
        if isinstance(data, TrainingRows):
            return data
        return TrainingRows(data.X_train, data.y_train, data.classes, data.name, data.feature_names)
    on_progress(Progress(f"reading {data}"))
    return load_training(data, split, features, **_drop_missing(options))


def load_to_measure(
    data: Named | ZeroShotDataset,
    split: Split = None,
    features: Any = None,
    *,
    on_progress: OnProgress = ignore,
    **options: Any,
) -> ZeroShotDataset:
    """Return the dataset to measure on; options are those of `load_dataset`, and None means not given."""
    if isinstance(data, ZeroShotDataset):
        _refuse_options(split, features, options)
        return data
    on_progress(Progress(f"reading {data}"))
    return load_dataset(data, split, features, **_drop_missing(options))


def find_encoder(data: Any, features: Any = None) -> dict[str, Any] | None:
    """Return the encoder of a dataset's features, if `extract` recorded it."""
    path = find_dataset(data) if isinstance(data, str | os.PathLike) else None
    if features is not None or path is None or not Path(path).is_dir():
        return None
    found = read_manifest(path)
    return None if found is None else found.encoder.as_dict()


def _drop_missing(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _refuse_options(split: Split, features: Any, options: dict[str, Any]) -> None:
    given = _drop_missing({"split": split, "features": features} | options)
    if given:
        raise InputError(f"{shorten(given)} is for data given by name or path, but these are loaded: leave it out")
