"""Load data by name or path, for evaluation, for learning or for prediction.

================  =====================================================================================
`load_dataset`    a zero-shot problem for evaluation: seen classes to learn from, unseen ones to test on
`load_training`   rows to learn from; unseen classes may follow later
`load_rows`       features alone, for prediction
================  =====================================================================================

All three take the same names and read the same files (`unseen.data.formats`).
"""

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from unseen.data.benchmarks.digit_pairs import digit_pairs
from unseen.data.benchmarks.synthetic import make_zero_shot
from unseen.data.dataset import ZeroShotDataset
from unseen.data.formats.contents import Contents
from unseen.data.formats.detect import read_contents, read_rows, recognise_format
from unseen.data.home import data_home, find_dataset
from unseen.data.rows import FeatureRows, TrainingRows
from unseen.data.splits import Split, apply_split
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import Registry, check_parameters, make_unknown_error

# Datasets that need no file. A new dataset is one more entry: a name and the function that makes it.
DATASETS: Registry[Callable[..., ZeroShotDataset]] = Registry(
    "dataset", {"digit-pairs": digit_pairs, "synthetic": make_zero_shot}
)

# The split that uses all rows, whatever split comes with the data.
EVERYTHING = "none"

_SPLIT_OPTIONS = [
    name for name, known in inspect.signature(apply_split).parameters.items() if known.kind is known.KEYWORD_ONLY
]


def load_dataset(
    name: str | os.PathLike[str], split: Split = None, features: Any = None, **options: Any
) -> ZeroShotDataset:
    """Make or load a dataset.

    Parameters
    ----------
    name : str or path-like
        One of `DATASETS`, or the path of a file or folder, or its name (with or without ending) in the folder given
        by the environment variable UNSEEN_DATA. The format is detected from the contents:

        - a folder of the xlsa17 package (``res101.mat`` and ``att_splits.mat``), MATLAB v5 or v7.3;
        - a folder of the authors' VGG-19 features (`unseen.data.formats.authors_vgg`);
        - an ``.npz`` or HDF5 file with the arrays of `unseen.data.formats.keyed`;
        - a CSV or Parquet table of features, with the option ``classes``;
        - a folder of your own (`unseen.data.formats.folder`).
    split : str, path-like or list of class names, optional
        The unseen classes: ``"proposed"``, ``"standard"``, ``"random:SEED"``, a list of their names, or the path of a
        text file with one name on each line; by default the split that comes with the data. Names are matched in any
        spelling. See `unseen.data.splits.apply_split`.
    features : str or sequence of str, optional
        The features to read: a file of a folder (``res101.mat``), an array of an ``.npz`` or HDF5 file (``X``), or the
        columns of a table.
    **options
        For a dataset of `DATASETS`, parameters of the function that makes it (``random_state`` is 0 unless given, so
        that a name stands for the same data each time). For a file or folder: ``n_unseen``,
        ``seen_fraction`` and ``random_state`` of `apply_split`; ``attributes`` (the choice of class descriptions) and
        ``missing`` (how to fill missing values) if the format has them; ``classes``, ``label`` and ``delimiter`` of a
        table.

    Examples
    --------
    >>> load_dataset("digit-pairs", random_state=0).name
    'digit-pairs'
    """
    if _is_everything(split):
        raise InputError(
            f"split={split!r} leaves no class unseen, so that there is nothing to evaluate: choose another split, or "
            "load_training to learn from all rows"
        )
    if _is_made(name):
        return _make(name, split, features, options)
    contents, of_split = _read_with_options(name, features, options)
    return apply_split(contents, split, **of_split)


def load_training(
    name: str | os.PathLike[str], split: Split = None, features: Any = None, **options: Any
) -> TrainingRows:
    """Make or load rows to learn from: those of the seen classes, or all rows if the data have no split.

    Parameters
    ----------
    name, features, **options
        As for `load_dataset`.
    split : str, path-like or list of class names, optional
        As for `load_dataset`, or "none" for all rows. All classes with rows are then seen, and the other classes of
        the class table are unseen.

    Examples
    --------
    >>> load_training("digit-pairs", "none").X.shape[0] > load_training("digit-pairs").X.shape[0]
    True
    """
    everything = _is_everything(split)
    if _is_made(name):
        data = _make(name, None if everything else split, features, options)
    else:
        contents, of_split = _read_with_options(name, features, options)
        if everything or (split is None and contents.rows is None and not contents.unseen):
            return _take_all_rows(contents, of_split)
        data = apply_split(contents, split, **of_split)
    rows = np.arange(len(data.X)) if everything else data.train
    return TrainingRows(data.X[rows], data.y[rows], data.classes, data.name, data.feature_names)


def load_rows(name: str | os.PathLike[str], features: Any = None, **options: Any) -> FeatureRows:
    """Make or load features for prediction, without labels.

    Parameters
    ----------
    name, features
        As for `load_dataset`; also the path of a single array (``.npy``), of a file that holds only an array of
        features, or of a folder that holds only ``features.npy``. If the first column of a table holds text, it names
        the rows; otherwise rows are numbered.
    **options
        For a dataset of `DATASETS`, parameters of the function that makes it. For a table: ``label`` (a column to
        leave out) and ``delimiter``.

    Examples
    --------
    >>> load_rows("digit-pairs").X.shape
    (3700, 128)
    """
    if _is_made(name):
        return FeatureRows.from_matrix(_make(name, None, features, options).X)
    return read_rows(find_dataset_path(name), features, **options)


def find_dataset_path(name: str | os.PathLike[str]) -> Path:
    """Find the file or folder of a dataset, or refuse and list the known names."""
    if not isinstance(name, str | os.PathLike):
        raise make_unknown_error(name, DATASETS, "name", "the path of a file or folder")
    path = find_dataset(name)
    if path is None:
        other = f"the path of a file or folder (there is none of this name here nor in {data_home()})"
        raise make_unknown_error(os.fspath(name), DATASETS, "name", other)
    return path


def _is_everything(split: Split) -> bool:
    return isinstance(split, str) and split == EVERYTHING


def _is_made(name: Any) -> bool:
    return isinstance(name, str) and name in DATASETS


def _make(name: Any, split: Split, features: Any, options: dict[str, Any]) -> ZeroShotDataset:
    given = options | {key: value for key, value in (("split", split), ("features", features)) if value is not None}
    # A name stands for the same data each time, so that what was begun with it can be continued.
    made: ZeroShotDataset = DATASETS.make(name, given, "name", random_state=0)
    return made


def _read_with_options(
    name: str | os.PathLike[str], features: Any, options: dict[str, Any]
) -> tuple[Contents, dict[str, Any]]:
    """Read a file or folder; return its contents and the options of the split."""
    path = find_dataset_path(name)
    known = recognise_format(path)
    check_parameters(options, [*known.options, *_SPLIT_OPTIONS], f"a dataset of the format {known.name!r}")
    of_split = {key: value for key, value in options.items() if key in _SPLIT_OPTIONS}
    of_format = {key: value for key, value in options.items() if key not in _SPLIT_OPTIONS}
    return read_contents(path, features, **of_format), of_split


def _take_all_rows(contents: Contents, of_split: dict[str, Any]) -> TrainingRows:
    if of_split:
        raise InputError(
            f"{shorten(of_split)} is an option of a split, but all rows are used for learning: leave it out"
        )
    rows = FeatureRows.from_matrix(contents.X).check(contents.source)
    return TrainingRows(rows.X, contents.y, contents.classes, contents.name, contents.feature_names)
