"""Collect how rows and descriptions are prepared by the wrappers around a model."""

from dataclasses import dataclass, replace
from typing import Any, Self

from sklearn.pipeline import Pipeline

from unseen.data import ClassTable
from unseen.features.anywhere import transform_rows
from unseen.models.wrappers.prepared import Prepared
from unseen.utils.arrays import Array, widen
from unseen.utils.wrapping import iterate_layers


@dataclass(frozen=True, eq=False)
class Preparation:
    """The fitted transformers between a caller and the innermost model.

    Attributes
    ----------
    features, descriptions : tuples of fitted transformers
        Transformers of each side, first to last.
    """

    features: tuple[Any, ...]
    descriptions: tuple[Any, ...]

    @classmethod
    def of(cls, model: Any) -> Self:
        """Collect the preparations of a fitted model, one from each `Prepared` and each pipeline around it."""
        features, descriptions = [], []
        for layer in iterate_layers(model):
            if isinstance(layer, Prepared):
                features.append(layer.features_)
                descriptions.append(layer.descriptions_)
            elif isinstance(layer, Pipeline):
                features += [step for _, step in layer.steps[:-1] if step not in (None, "passthrough")]
        return cls(*(tuple(step for step in side if step is not None) for side in (features, descriptions)))

    def then(self, inner: Self) -> Self:
        """Return this preparation followed by another one inside it."""
        return replace(
            self, features=self.features + inner.features, descriptions=self.descriptions + inner.descriptions
        )

    def prepare_rows(self, X: Array) -> Array:
        """Return rows of features as the innermost model receives them."""
        rows = widen(X)
        for step in self.features:
            rows = transform_rows(step, rows)
        return rows

    def prepare_table(self, table: ClassTable) -> ClassTable:
        """Return descriptions as the innermost model receives them."""
        for step in self.descriptions:
            table = ClassTable(step.transform(table.vectors), table.labels)
        return table
