"""Let many models share what `fit` does before learning: checking and scaling."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from sklearn.base import clone

from unseen.features import Rows
from unseen.models.base import Classes, ZeroShotClassifier
from unseen.utils.arrays import Array

Model = TypeVar("Model", bound=ZeroShotClassifier)


@dataclass(frozen=True, eq=False)
class RecordedFit:
    """What a model is given to learn from, and all that it knows before it learns.

    Attributes
    ----------
    phi, y, psi, weights
        The arguments of `_fit`.
    attributes : dict
        What `fit` sets beside what is learned.
    """

    phi: Rows
    y: Array
    psi: Array
    weights: Array | None
    attributes: dict[str, Any]

    @classmethod
    def of(cls, model: ZeroShotClassifier, X: Array, y: Any, classes: Classes, sample_weight: Any = None) -> Self:
        """Run `fit` of a copy of the model up to where it would learn."""
        copy, given = clone(model), []
        # On the copy alone: it hides the method of the class.
        copy._fit = lambda *arguments: given.append(arguments)
        copy.fit(X, y, classes, **({} if sample_weight is None else {"sample_weight": sample_weight}))
        apart = {"_fit", *copy.get_params(deep=False)}
        attributes = {name: value for name, value in vars(copy).items() if name not in apart}
        phi, encoded, psi, *weights = given[0]
        return cls(phi, encoded, psi, weights[0] if weights else None, attributes)

    def give_to(self, model: Model) -> Model:
        """Give a model with other parameters all that is known before it learns."""
        model.__dict__.update(deepcopy(self.attributes))
        return model
