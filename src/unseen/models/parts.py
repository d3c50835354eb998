"""A fitted model taken out of its wrappers, for what has to look inside."""

from dataclasses import dataclass
from typing import Any

from unseen.arrays import Array
from unseen.data import ClassTable
from unseen.errors import InputError
from unseen.features import widened
from unseen.models.base import ZeroShotClassifier
from unseen.models.calibrated import Calibrated
from unseen.models.prepared import Prepared


@dataclass(frozen=True, eq=False)
class Parts:
    """The model itself, and what stands around it.

    Attributes
    ----------
    model : ZeroShotClassifier
    features, descriptions : fitted transformers or None
        How either side is prepared for the model.
    temperature : float
        Of `predict_proba`.
    """

    model: ZeroShotClassifier
    features: Any
    descriptions: Any
    temperature: float

    @classmethod
    def of(cls, model: Any) -> "Parts":
        """Take a fitted model apart."""
        inside = model.model_ if isinstance(model, Calibrated) else model
        features = descriptions = None
        if isinstance(inside, Prepared):
            features, descriptions, inside = inside.features_, inside.descriptions_, inside.model_
        if not isinstance(inside, ZeroShotClassifier):
            raise InputError(f"model={model!r} holds a {type(inside).__name__}: give a fitted model of unseen.models")
        temperature = model.temperature_ if isinstance(model, Calibrated) else inside._probability_temperature()
        return cls(inside, features, descriptions, temperature)

    def prepare(self, X: Array) -> Array:
        """Return rows of features as the model gets them."""
        return widened(X) if self.features is None else self.features.transform(widened(X))

    def describe(self, table: ClassTable) -> ClassTable:
        """Return descriptions as the model gets them."""
        if self.descriptions is None:
            return table
        return ClassTable(self.descriptions.transform(table.vectors), table.labels)
