"""A fitted model taken out of its wrappers, for what has to look inside."""

from dataclasses import dataclass
from typing import Any

from unseen.data import ClassTable
from unseen.features import widened
from unseen.models.base import ZeroShotClassifier
from unseen.models.wrappers.calibrated import Calibrated
from unseen.models.wrappers.prepared import Prepared
from unseen.utils.arrays import Array
from unseen.utils.errors import InputError


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
        inside, features, descriptions, temperatures = model, None, None, []
        # At most one preparation; a calibration may stand on either side of it, and the outer one counts.
        while isinstance(inside, Calibrated) or (isinstance(inside, Prepared) and features is descriptions is None):
            if isinstance(inside, Calibrated):
                temperatures.append(inside.temperature_)
            else:
                features, descriptions = inside.features_, inside.descriptions_
            inside = inside.model_
        if not isinstance(inside, ZeroShotClassifier):
            raise InputError(f"model={model!r} holds a {type(inside).__name__}: give a fitted model of unseen.models")
        return cls(inside, features, descriptions, [*temperatures, inside._probability_temperature()][0])

    def prepare(self, X: Array) -> Array:
        """Return rows of features as the model gets them."""
        return widened(X) if self.features is None else self.features.transform(widened(X))

    def describe(self, table: ClassTable) -> ClassTable:
        """Return descriptions as the model gets them."""
        if self.descriptions is None:
            return table
        return ClassTable(self.descriptions.transform(table.vectors), table.labels)
