"""Hold the measurements of one trial, and convert them to plain values and back."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unseen.confidence.seen_unseen import SeenUnseenCurve
from unseen.evaluation.metrics import Floats


@dataclass(frozen=True, eq=False)
class Measurement:
    """The measurements of a setting on a fitted model. Per-class numbers follow the order of the candidates.

    Attributes
    ----------
    metrics : dict
        Metrics by name, as fractions of 1.
    per_class : dict
        Arrays of shape (m,) by name, e.g. "recall".
    predictions : str
        Digest of all answers, which differs if any answer differs.
    confusion : ndarray of shape (m, m) or None
        Counts of test rows by true and predicted class.
    gamma : float or None
        The constant of calibrated stacking.
    curve : SeenUnseenCurve or None
    own_gamma : bool
        Whether gamma is part of the fitted model, which subtracts it itself, rather than chosen by the evaluation.
    """

    metrics: dict[str, float]
    per_class: dict[str, Floats]
    predictions: str
    confusion: NDArray[np.int64] | None = None
    gamma: float | None = None
    curve: SeenUnseenCurve | None = None
    own_gamma: bool = False


@dataclass(frozen=True, eq=False)
class Trial(Measurement):
    """A measurement with its random seed and the time it took.

    Attributes
    ----------
    seed : int
        The `random_state` given to the model.
    fit_seconds, predict_seconds : float
        Wall-clock time of training, and of everything after it.
    parameters : dict or None
        Parameters that a search chose in this trial.
    """

    seed: int = 0
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    parameters: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold, from which `from_dict` makes an equal trial."""
        return {
            "seed": self.seed,
            "metrics": self.metrics,
            "per_class": {name: values.tolist() for name, values in self.per_class.items()},
            "predictions": self.predictions,
            "confusion": None if self.confusion is None else _to_sparse(self.confusion),
            "gamma": self.gamma,
            "own_gamma": self.own_gamma,
            "curve": None if self.curve is None else _write_curve(self.curve),
            "fit_seconds": self.fit_seconds,
            "predict_seconds": self.predict_seconds,
            "parameters": self.parameters,
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Self:
        """Rebuild a trial from the values of `to_dict`."""
        curve, confusion = record["curve"], record["confusion"]
        read = {
            "per_class": {name: np.array(values) for name, values in record["per_class"].items()},
            "confusion": None if confusion is None else _to_dense(confusion),
            "curve": None if curve is None else SeenUnseenCurve(**{k: np.array(v) for k, v in curve.items()}),
        }
        return cls(**(record | read))


def _write_curve(curve: SeenUnseenCurve) -> dict[str, list[float]]:
    return {"gamma": curve.gamma.tolist(), "unseen": curve.unseen.tolist(), "seen": curve.seen.tolist()}


def _to_sparse(confusion: NDArray[np.int64]) -> dict[str, Any]:
    """Keep only the cells that are not 0, because most cells of a large confusion matrix are."""
    true, predicted = np.nonzero(confusion)
    cells = {"true": true, "predicted": predicted, "count": confusion[true, predicted]}
    return {"size": len(confusion)} | {name: values.tolist() for name, values in cells.items()}


def _to_dense(cells: dict[str, Any]) -> NDArray[np.int64]:
    confusion = np.zeros((cells["size"], cells["size"]), dtype=np.int64)
    confusion[cells["true"], cells["predicted"]] = cells["count"]
    return confusion
