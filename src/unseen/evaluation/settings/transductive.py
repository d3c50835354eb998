"""Define the transductive settings: the model may adapt to the features, never the labels, of all test rows."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unseen.data import ZeroShotDataset
from unseen.evaluation import metrics
from unseen.evaluation.metrics import Candidates, Metric
from unseen.evaluation.settings.shared import (
    compute_metrics,
    digest,
    joint_candidates,
    precision_and_recall,
    unseen_candidates,
)
from unseen.evaluation.trial import Measurement
from unseen.utils.arrays import take_rows
from unseen.utils.errors import InputError
from unseen.utils.wrapping import is_transductive

_TRANSDUCTIVE = (metrics.PER_IMAGE, metrics.PER_CLASS, metrics.PRECISION)
_GENERALIZED = (metrics.UNSEEN, metrics.SEEN, metrics.HARMONIC, *_TRANSDUCTIVE)


@dataclass(frozen=True)
class Transductive:
    """Test images of unseen classes in one batch, with the unseen classes as candidates: the paper's Tables 3 and 4."""

    name: str = "transductive"
    metrics: ClassVar[tuple[str, ...]] = tuple(metric.name for metric in _TRANSDUCTIVE)

    def candidates(self, dataset: ZeroShotDataset) -> Candidates:
        """Return the unseen classes."""
        return unseen_candidates(dataset)

    def measure(self, model: Any, dataset: ZeroShotDataset, seed: int) -> Measurement:
        """Measure accuracy per image and per class, precision and recall."""
        check_transductive(model, self.name)
        table = dataset.unseen_table
        predicted = table.index_of(model.predict(dataset.X_test_unseen, classes=table), name="predictions")
        true = table.index_of(dataset.y_test_unseen)
        return _make_measurement(true, predicted, self.candidates(dataset), _TRANSDUCTIVE)


@dataclass(frozen=True)
class TransductiveGeneralized:
    """Test images of seen and unseen classes in one batch, with all classes as candidates."""

    name: str = "transductive-generalized"
    metrics: ClassVar[tuple[str, ...]] = tuple(metric.name for metric in _GENERALIZED)

    def candidates(self, dataset: ZeroShotDataset) -> Candidates:
        """Return the seen classes, then the unseen."""
        return joint_candidates(dataset, self.name)

    def measure(self, model: Any, dataset: ZeroShotDataset, seed: int) -> Measurement:
        """Measure u, s and H, accuracy per image and per class, precision and recall."""
        check_transductive(model, self.name)
        joint = dataset.seen_table.concat(dataset.unseen_table)
        rows = np.concatenate([dataset.test_seen, dataset.test_unseen])
        predicted = joint.index_of(model.predict(take_rows(dataset.X, rows), classes=joint), name="predictions")
        return _make_measurement(joint.index_of(dataset.y[rows]), predicted, self.candidates(dataset), _GENERALIZED)


def check_transductive(model: Any, setting: str) -> None:
    """Raise an error for a model that answers row by row, because its numbers would not be transductive."""
    if not is_transductive(model):
        raise InputError(
            f"model={model!r} answers each row by itself, but setting={setting!r} is for models of whole batches: "
            "wrap it, e.g. unseen.transduction.SPZSR(model), or choose setting='standard'"
        )


def _make_measurement(
    true: NDArray[np.int64], predicted: NDArray[np.int64], candidates: Candidates, kinds: tuple[Metric, ...]
) -> Measurement:
    confusion = metrics.confusion_counts(true, predicted, len(candidates.labels))
    per_class = precision_and_recall(confusion)
    return Measurement(compute_metrics(kinds, per_class, candidates), per_class, digest(predicted), confusion)
