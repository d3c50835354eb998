"""Find the images with the highest score for each unseen class."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from unseen.data import ZeroShotDataset
from unseen.utils.arrays import to_numpy
from unseen.utils.validation import check_whole_number


@dataclass(frozen=True)
class Found:
    """One image found for a class: its row in the dataset and its true class."""

    row: int
    true: Any


@dataclass(frozen=True)
class Retrieved:
    """The images found for one class, the highest score first."""

    label: Any
    found: tuple[Found, ...]

    @property
    def right(self) -> int:
        """Number of the images that belong to the class."""
        return sum(found.true == self.label for found in self.found)


def retrieve(model: Any, dataset: ZeroShotDataset, top: int = 6) -> list[Retrieved]:
    """Rank all test images of unseen classes by their score for each unseen class, and return the best of each.

    The ranking is that of the retrieval setting of `evaluate`.

    Parameters
    ----------
    model : estimator
        The fitted model.
    dataset : ZeroShotDataset
    top : int, default 6
        Number of images for each class.

    Examples
    --------
    >>> from unseen import load_dataset
    >>> from unseen.models import ESZSL
    >>> data = load_dataset("digit-pairs")
    >>> model = ESZSL().fit(data.X_train, data.y_train, classes=data.seen_table)
    >>> first = retrieve(model, data, top=5)[0]
    >>> first.label, len(first.found)
    ('02', 5)
    """
    check_whole_number(top, "top", 1)
    table = dataset.unseen_table
    scores = to_numpy(model.decision_function(dataset.X_test_unseen, classes=table))
    best = np.argsort(-scores, axis=0, kind="stable")[:top]
    return [
        Retrieved(label, tuple(_find_row(dataset, int(at)) for at in best[:, column]))
        for column, label in enumerate(table.labels.tolist())
    ]


def _find_row(dataset: ZeroShotDataset, at: int) -> Found:
    row = int(dataset.test_unseen[at])
    return Found(row, dataset.y[row])
