"""Read the VGG-19 features that the authors of the paper's predecessors (SSE, JLSE) published.

Each dataset has a folder. Features have one column per image, and class numbers start at 1:

========  ==============================================  =============================================================
folder    features                                        beside them
========  ==============================================  =============================================================
aPY       ``cnn_feat_imagenet-vgg-verydeep-19.mat``:      ``class_attributes.mat``: ``class_attributes`` (32, 64),
          ``cnn_feat``                                    ``labels``; classes 1 to 20 are seen
AwA       ``feat-imagenet-vgg-verydeep-19.mat``:          ``predicateMatrixContinuous.mat``:
          ``train_feat``, ``train_labels``,               ``predicateMatrixContinuous`` (50, 85)
          ``test_feat``, ``test_labels``
CUB       ``cnn_feat-imagenet-vgg-verydeep-19.mat``:      ``class_attribute_labels_continuous.mat``:
          ``cnn_feat``                                    ``classAttributes`` (200, 312);
                                                          ``image_class_labels.mat``: ``imageClassLabels`` (n, 2);
                                                          ``train_test_split.mat``: ``test_cid``
========  ==============================================  =============================================================

This reader was written without a copy of these files. The layout of aPY is described in the project's notes; the names
of the variables of AwA and CUB are those that public code reads from the files. A file with other variables is refused,
and the message lists them. The authors' files of SUN are not known. Class numbers follow the datasets' own lists.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.benchmarks.known import read_benchmarks
from unseen.data.class_table import ClassTable
from unseen.data.formats.contents import Contents
from unseen.data.formats.keyed import find_class_positions
from unseen.data.formats.mat import read_mat
from unseen.data.formats.missing import fill_missing, find_missing_in_awa
from unseen.data.formats.xlsa17 import put_rows_first
from unseen.utils.errors import InputError


@dataclass(frozen=True, eq=False)
class _Parts:
    """Features by row, class number of each row, descriptions by class, and numbers of the unseen classes."""

    X: NDArray[Any]
    numbers: NDArray[Any]
    attributes: NDArray[Any]
    unseen: NDArray[Any]


def is_authors_vgg(path: Path) -> bool:
    """Tell whether the path is such a folder, or the feature file in one."""
    return any((path / name).is_file() if path.is_dir() else path.name == name for name in _LAYOUTS)


def read_authors_vgg(path: Path, features: str | None = None, *, missing: str = "zero") -> Contents:
    """Read a dataset from a folder of the authors' VGG-19 features; its split is "standard".

    Parameters
    ----------
    path : Path
        The folder, or the feature file in it.
    features : str, optional
        Name of another feature file of the same folder, with the same variables.
    missing : {"zero", "mean", "keep"}, default="zero"
        How to fill the attributes that Animals with Attributes marks as missing; see `fill_missing`.
    """
    folder = path if path.is_dir() else path.parent
    known = path.name if path.is_file() else next(name for name in _LAYOUTS if (folder / name).is_file())
    key, reader = _LAYOUTS[known]
    parts = reader(folder / (features or known))
    labels = list(read_benchmarks()[key].class_names)
    if len(parts.attributes) != len(labels):
        raise InputError(f"{folder} describes {len(parts.attributes)} classes, but {key} has {len(labels)}")
    attributes = fill_missing(parts.attributes, find_missing_in_awa(parts.attributes, labels), missing)
    classes = ClassTable(attributes, labels)
    y = classes.labels[find_class_positions(parts.numbers, len(labels), 1, f"{folder}: labels")]
    unseen = classes.labels[find_class_positions(np.unique(parts.unseen), len(labels), 1, f"{folder}: test classes")]
    return Contents(parts.X, y, classes, key, str(folder), unseen={"standard": tuple(unseen.tolist())})


def _read_apy(path: Path) -> _Parts:
    side = read_mat(path.parent / "class_attributes.mat", ["class_attributes", "labels"])
    numbers = side["labels"].ravel()
    X = put_rows_first(read_mat(path, ["cnn_feat"])["cnn_feat"], numbers.size, f"{path}: cnn_feat")
    return _Parts(X, numbers, side["class_attributes"], np.arange(21, 33))


def _read_awa(path: Path) -> _Parts:
    found = read_mat(path, ["train_feat", "train_labels", "test_feat", "test_labels"])
    matrix = read_mat(path.parent / "predicateMatrixContinuous.mat", ["predicateMatrixContinuous"])
    numbers = {part: found[f"{part}_labels"].ravel() for part in ("train", "test")}
    X = [put_rows_first(found[f"{part}_feat"], numbers[part].size, f"{path}: {part}_feat") for part in numbers]
    return _Parts(
        np.concatenate(X),
        np.concatenate(list(numbers.values())),
        matrix["predicateMatrixContinuous"],
        numbers["test"],
    )


def _read_cub(path: Path) -> _Parts:
    folder = path.parent
    labels = read_mat(folder / "image_class_labels.mat", ["imageClassLabels"])["imageClassLabels"]
    described = read_mat(folder / "class_attribute_labels_continuous.mat", ["classAttributes"])["classAttributes"]
    split = read_mat(folder / "train_test_split.mat", ["test_cid"])
    # The first column numbers the images.
    numbers = labels[:, -1]
    X = put_rows_first(read_mat(path, ["cnn_feat"])["cnn_feat"], numbers.size, f"{path}: cnn_feat")
    return _Parts(X, numbers, described, split["test_cid"].ravel())


_LAYOUTS: dict[str, tuple[str, Callable[[Path], _Parts]]] = {
    "cnn_feat_imagenet-vgg-verydeep-19.mat": ("APY", _read_apy),
    "feat-imagenet-vgg-verydeep-19.mat": ("AWA1", _read_awa),
    "cnn_feat-imagenet-vgg-verydeep-19.mat": ("CUB", _read_cub),
}
