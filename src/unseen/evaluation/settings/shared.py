"""Share code between settings: candidates, checks, and numbers from a confusion matrix."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data import ZeroShotDataset
from unseen.evaluation import metrics
from unseen.evaluation.metrics import Candidates, Floats, Metric
from unseen.utils.errors import InputError
from unseen.utils.wrapping import is_transductive


def unseen_candidates(dataset: ZeroShotDataset) -> Candidates:
    """Return the unseen classes with their numbers of test rows."""
    table = dataset.unseen_table
    support = np.bincount(table.index_of(dataset.y_test_unseen), minlength=len(table))
    return Candidates(table.labels, support, np.zeros(len(table), dtype=bool))


def joint_candidates(dataset: ZeroShotDataset, setting: str) -> Candidates:
    """Return the seen classes, then the unseen, with their numbers of test rows."""
    if not dataset.test_seen.size:
        raise InputError(
            f"dataset has no rows test_seen, which setting={setting!r} needs: hold some rows of the seen classes "
            f"out of training, or choose setting={setting.replace('generalized', '').strip('-') or 'standard'!r}"
        )
    y = np.concatenate([dataset.y_test_seen, dataset.y_test_unseen])
    joint = dataset.seen_table.concat(dataset.unseen_table)
    seen = np.arange(len(joint)) < len(dataset.seen_classes)
    return Candidates(joint.labels, np.bincount(joint.index_of(y), minlength=len(joint)), seen)


def check_by_rows(model: Any, setting: str, instead: str = "transductive") -> None:
    """Raise an error for a model that answers whole batches, because its numbers would be transductive."""
    if is_transductive(model):
        raise InputError(
            f"model={model!r} answers whole batches, but setting={setting!r} needs an answer for each row by itself: "
            f"choose setting={instead!r}, or evaluate the model inside it"
        )


def precision_and_recall(confusion: NDArray[np.int64]) -> dict[str, Floats]:
    """Return the per-class columns of precision and recall."""
    return {
        "precision": metrics.precision_per_class(confusion),
        "recall": metrics.recall_per_class(confusion),
    }


def compute_metrics(
    kinds: tuple[Metric, ...], per_class: dict[str, Floats], candidates: Candidates
) -> dict[str, float]:
    """Return the metrics by name."""
    return {metric.name: metric.of(per_class, candidates) for metric in kinds}


def digest(*answers: NDArray[np.int64]) -> str:
    """Return a short text that differs if any answer differs."""
    return hashlib.sha256(b"".join(part.astype(np.int64).tobytes() for part in answers)).hexdigest()
