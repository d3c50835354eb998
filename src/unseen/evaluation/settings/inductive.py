"""Define the inductive evaluation settings: standard, generalized and retrieval.

To add a setting, write a class with the methods of `Setting` and add a line to `SETTINGS`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from unseen.confidence.seen_unseen import group_answers, trace_curve
from unseen.data import ZeroShotDataset
from unseen.evaluation import metrics
from unseen.evaluation.metrics import AUSUC, Candidates
from unseen.evaluation.settings.calibration import choose_gamma
from unseen.evaluation.settings.shared import (
    check_by_rows,
    compute_metrics,
    digest,
    joint_candidates,
    precision_and_recall,
    unseen_candidates,
)
from unseen.evaluation.settings.transductive import Transductive, TransductiveGeneralized
from unseen.evaluation.trial import Measurement
from unseen.models.wrappers.calibrated import seen_penalty_of
from unseen.utils.arrays import to_numpy
from unseen.utils.registry import Registry
from unseen.utils.validation import check_whole_number

_STANDARD = (metrics.PER_IMAGE, metrics.PER_CLASS, metrics.PRECISION)
_GENERALIZED = (
    *(metrics.UNSEEN, metrics.SEEN, metrics.HARMONIC),
    *(metrics.UNSEEN_CALIBRATED, metrics.SEEN_CALIBRATED, metrics.HARMONIC_CALIBRATED),
)


class Setting(Protocol):
    """Methods that `evaluate` needs of a setting."""

    @property
    def name(self) -> str:
        """Name of the setting."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""

    def candidates(self, dataset: ZeroShotDataset) -> Candidates:
        """Return the candidate classes, in the order of all per-class numbers."""

    def measure(self, model: Any, dataset: ZeroShotDataset, seed: int) -> Measurement:
        """Measure a model that was fitted on the training rows and the descriptions of the seen classes."""


@dataclass(frozen=True)
class Standard:
    """Test images of unseen classes with the unseen classes as candidates: the paper's setting."""

    name: str = "standard"
    metrics: ClassVar[tuple[str, ...]] = tuple(metric.name for metric in _STANDARD)

    def candidates(self, dataset: ZeroShotDataset) -> Candidates:
        """Return the unseen classes."""
        return unseen_candidates(dataset)

    def measure(self, model: Any, dataset: ZeroShotDataset, seed: int) -> Measurement:
        """Measure accuracy per image and per class, precision and recall."""
        check_by_rows(model, self.name)
        table = dataset.unseen_table
        predicted = table.index_of(model.predict(dataset.X_test_unseen, classes=table), name="predictions")
        confusion = metrics.confusion_counts(table.index_of(dataset.y_test_unseen), predicted, len(table))
        per_class = precision_and_recall(confusion)
        return Measurement(
            compute_metrics(_STANDARD, per_class, self.candidates(dataset)), per_class, digest(predicted), confusion
        )


@dataclass(frozen=True)
class Generalized:
    """Test images of seen and unseen classes with all classes as candidates.

    Parameters
    ----------
    folds : int, default 3
        Number of folds of the seen classes that choose the constant of calibrated stacking (one more fit each), for a
        model that does not bring its own (`Calibrated` does).
    """

    folds: int = 3
    name: str = "generalized"
    metrics: ClassVar[tuple[str, ...]] = (*(metric.name for metric in _GENERALIZED), AUSUC)

    def candidates(self, dataset: ZeroShotDataset) -> Candidates:
        """Return the seen classes, then the unseen."""
        check_whole_number(self.folds, "folds", 1)
        return joint_candidates(dataset, self.name)

    def measure(self, model: Any, dataset: ZeroShotDataset, seed: int) -> Measurement:
        """Measure u, s and H before and after calibrated stacking, and the curve of all constants.

        A `Calibrated` model is measured with the constant that it applies itself, and with that taken back.
        """
        check_by_rows(model, self.name, "transductive-generalized")
        seen, unseen = dataset.seen_table, dataset.unseen_table
        joint = seen.concat(unseen)
        own = seen_penalty_of(model)
        of_seen, of_unseen = (
            group_answers(model, X, seen, unseen).shift(own or 0.0)
            for X in (dataset.X_test_seen, dataset.X_test_unseen)
        )
        true_seen, true_unseen = joint.index_of(dataset.y_test_seen), joint.index_of(dataset.y_test_unseen)
        curve = trace_curve(of_seen, true_seen, of_unseen, true_unseen)
        gamma = choose_gamma(model, dataset, folds=self.folds, seed=seed) if own is None else own

        def answers(constant: float) -> NDArray[np.int64]:
            return np.concatenate([of_seen.answers(constant), of_unseen.answers(constant)])

        true = np.concatenate([true_seen, true_unseen])
        confusion, calibrated = (
            metrics.confusion_counts(true, answers(constant), len(joint)) for constant in (0.0, gamma)
        )
        per_class = precision_and_recall(confusion)
        per_class["recall calibrated"] = metrics.recall_per_class(calibrated)
        found = compute_metrics(_GENERALIZED, per_class, self.candidates(dataset)) | {AUSUC: curve.area}
        return Measurement(
            found, per_class, digest(answers(0.0), answers(gamma)), confusion, gamma, curve, own is not None
        )


@dataclass(frozen=True)
class Retrieval:
    """All test images of unseen classes, ranked by their score for each unseen class."""

    name: str = "retrieval"
    metrics: ClassVar[tuple[str, ...]] = (metrics.AVERAGE_PRECISION.name,)

    def candidates(self, dataset: ZeroShotDataset) -> Candidates:
        """Return the unseen classes."""
        return unseen_candidates(dataset)

    def measure(self, model: Any, dataset: ZeroShotDataset, seed: int) -> Measurement:
        """Measure the average precision of each class's ranking."""
        check_by_rows(model, self.name)
        table = dataset.unseen_table
        scores = to_numpy(model.decision_function(dataset.X_test_unseen, classes=table))
        per_class = {"average precision": metrics.average_precision(scores, table.index_of(dataset.y_test_unseen))}
        found = compute_metrics((metrics.AVERAGE_PRECISION,), per_class, self.candidates(dataset))
        return Measurement(found, per_class, digest(np.argsort(-scores, axis=0, kind="stable")))


SETTINGS: Registry[
    type[Standard] | type[Generalized] | type[Retrieval] | type[Transductive] | type[TransductiveGeneralized]
] = Registry(
    "setting",
    {
        "standard": Standard,
        "generalized": Generalized,
        "retrieval": Retrieval,
        "transductive": Transductive,
        "transductive-generalized": TransductiveGeneralized,
    },
    other="a Setting",
)


def make_setting(setting: str | Setting) -> Setting:
    """Return the setting of this name, or the setting itself.

    >>> make_setting("standard")
    Standard(name='standard')
    """
    return SETTINGS.find(setting)() if isinstance(setting, str) else setting
