"""The front door: datasets by name or path."""

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unseen.data.benchmarks.digit_pairs import digit_pairs
from unseen.data.benchmarks.synthetic import make_zero_shot
from unseen.data.dataset import ZeroShotDataset
from unseen.data.formats.detect import read_contents, recognised
from unseen.data.home import data_home, find_dataset
from unseen.data.splits import Split, apply_split
from unseen.utils.registry import Registry, check_parameters, unknown

# Datasets that need no file. A new one is one more line: a name and the function that makes it.
DATASETS: Registry[Callable[..., ZeroShotDataset]] = Registry(
    "dataset", {"digit-pairs": digit_pairs, "synthetic": make_zero_shot}
)

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
        One of `DATASETS`, or the path of a file or folder, or its name (with or without ending) in the folder that
        the environment names as UNSEEN_DATA. What it is, is told by what is in it:

        - a folder of the xlsa17 package (``res101.mat`` and ``att_splits.mat``), MATLAB v5 or v7.3;
        - a folder of the authors' VGG-19 features (`unseen.data.formats.authors_vgg`);
        - an ``.npz`` or HDF5 file with the arrays of `unseen.data.formats.keyed`;
        - a CSV or Parquet table of features, with the option ``classes``;
        - a folder of your own (`unseen.data.formats.folder`).
    split : str, path-like or list of class names, optional
        Which classes are unseen: ``"proposed"``, ``"standard"``, ``"random:SEED"``, the names of the unseen classes,
        or the path of a text file with one on each line; by default the split that comes with the data. Names are
        matched in any spelling. See `unseen.data.splits.apply_split`.
    features : str or sequence of str, optional
        Which features: a file of a folder (``res101.mat``), an array of an ``.npz`` or HDF5 file (``X``), or the
        columns of a table.
    **options
        For a dataset of `DATASETS`, passed to the function that makes it. For a file or folder: ``n_unseen``,
        ``seen_fraction`` and ``random_state`` of `apply_split`; ``attributes`` (which class descriptions) and
        ``missing`` (how to fill missing ones) where the format has them; ``classes``, ``label`` and ``delimiter`` of a
        table.

    Examples
    --------
    >>> load_dataset("digit-pairs", random_state=0).name
    'digit-pairs'
    """
    if isinstance(name, str) and name in DATASETS:
        given = {key: value for key, value in (("split", split), ("features", features)) if value is not None}
        made: ZeroShotDataset = DATASETS.make(name, given | options, "name")
        return made
    path = dataset_path(name)
    known = recognised(path)
    check_parameters(options, [*known.options, *_SPLIT_OPTIONS], f"a dataset of the format {known.name!r}")
    of_split = {key: options.pop(key) for key in _SPLIT_OPTIONS if key in options}
    return apply_split(read_contents(path, features, **options), split, **of_split)


def dataset_path(name: str | os.PathLike[str]) -> Path:
    """Find the file or folder of a dataset, or say what there is."""
    if not isinstance(name, str | os.PathLike):
        raise unknown(name, DATASETS, "name", "the path of a file or folder")
    path = find_dataset(name)
    if path is None:
        other = f"the path of a file or folder (there is none of this name here nor in {data_home()})"
        raise unknown(os.fspath(name), DATASETS, "name", other)
    return path
