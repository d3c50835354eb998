"""Let many models share what `fit` does before learning: checking and scaling."""

from collections.abc import Container, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import joblib
from sklearn.base import clone

from unseen.features import Rows
from unseen.models.base import Classes, ZeroShotClassifier
from unseen.selection.grid import Point, clone_at_point, fit, group_runs
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
        other, given = clone(model), []
        # On the other alone: it hides the method of the class.
        other._fit = lambda *arguments: given.append(arguments)
        other.fit(X, y, classes, **({} if sample_weight is None else {"sample_weight": sample_weight}))
        apart = {"_fit", *other.get_params(deep=False)}
        attributes = {name: value for name, value in vars(other).items() if name not in apart}
        phi, encoded, psi, *weights = given[0]
        return cls(phi, encoded, psi, weights[0] if weights else None, attributes)

    def give_to(self, model: Model) -> Model:
        """Give a model with other parameters shallow copies of all that is known before it learns."""
        model.__dict__.update({name: copy(value) for name, value in self.attributes.items()})
        return model


class RecordedGrid(Generic[Model]):
    """Fits of a model at points of a grid on the same data, of which those share the preparation that can.

    The last preparation is kept as long as this is, for the next call of `at`.

    Parameters
    ----------
    model : ZeroShotClassifier
        Its parameters hold where a point names no others.
    X, y, classes, sample_weight
        As in `unseen.selection.GridFitter`.
    before : container of str
        Names of the parameters that matter before learning, such as "scaling".
    """

    def __init__(
        self, model: Model, X: Array, y: Any, classes: Classes, sample_weight: Any = None, *, before: Container[str]
    ) -> None:
        self._model, self._before = model, before
        self._given = (X, y, classes, sample_weight)
        self._last: tuple[str, RecordedFit] | None = None

    def at(self, points: Sequence[Point]) -> Iterator[tuple[RecordedFit, Iterator[Model]]]:
        """Go through points; those that share all that comes before learning come together.

        Yields
        ------
        recorded : RecordedFit
            What there is to learn from.
        models : iterator of ZeroShotClassifier
            The model at each of the points, ready to learn.
        """
        for common, others in group_runs(points, lambda name: name not in self._before):
            recorded = self._record(common)
            yield (
                recorded,
                (recorded.give_to(clone_at_point(self._model, common | point)) for point in others),
            )

    def fit_alone(self, points: Sequence[Point]) -> Iterator[Model]:
        """Yield the model fitted at each point from the beginning, sharing nothing."""
        for point in points:
            yield fit(clone_at_point(self._model, point), *self._given)

    def _record(self, common: Point) -> RecordedFit:
        # Read once and kept in a variable, because other threads may record something else meanwhile.
        name, last = joblib.hash(common), self._last
        if last is None or last[0] != name:
            last = self._last = name, RecordedFit.of(clone_at_point(self._model, common), *self._given)
        return last[1]
