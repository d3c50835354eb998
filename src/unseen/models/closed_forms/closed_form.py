"""Base class of models that are solved from sums over the rows, which a whole grid reads once."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, ClassVar, Self

from unseen.features import Rows
from unseen.models.base import Classes
from unseen.models.weights import WeighsRows
from unseen.selection.grid import Point, clone_at_point, group_runs
from unseen.utils.arrays import Array


class ClosedForm(WeighsRows):
    """A model that reads the rows once, in `_pose`, and then finds its solution from what it kept, in `_solve`.

    Points of a grid that differ only in the parameters of `_solved_for` share what `_pose` returned.
    """

    # Parameters that change the solution, but not what is read from the rows.
    _solved_for: ClassVar[tuple[str, ...]]

    @abstractmethod
    def _check_parameters(self) -> None:
        """Check the parameters."""

    @abstractmethod
    def _pose(self, phi: Rows, y: Array, psi: Array, weights: Array | None) -> Any:
        """Read the rows, and return what the solution depends on beside the parameters of `_solved_for`."""

    @abstractmethod
    def _solve(self, problem: Any) -> None:
        """Set the fitted attributes, given what `_pose` returned; `problem` stays as it is."""

    def _share(self, problem: Any) -> Any:
        """Return the problem in the form in which it is solved fastest again and again."""
        return problem

    def _learn_from(self, X: Array, y: Any, classes: Classes, sample_weight: Any = None) -> Self:
        self._check_parameters()
        self._solve(self._read(X, y, classes, sample_weight))
        return self

    def fit_grid(
        self, X: Array, y: Any, classes: Classes, points: Sequence[Point], *, sample_weight: Any = None
    ) -> Iterator[Self]:
        """Yield the model fitted at each point; see `unseen.selection.GridFitter`.

        Points that follow each other and differ only in how the solution is found from sums over the rows share them.
        """
        for common, solved_for in group_runs(points, lambda name: name in self._solved_for):
            reader = clone_at_point(self, common)
            problem = reader._share(reader._read(X, y, classes, sample_weight))
            read = {name: value for name, value in vars(reader).items() if name not in reader.get_params()}
            for parameters in solved_for:
                model = clone_at_point(self, common | parameters)
                model._check_parameters()
                model.__dict__.update(deepcopy(read))
                model._solve(problem)
                yield model

    def _read(self, X: Array, y: Any, classes: Classes, sample_weight: Any) -> Any:
        super()._learn_from(X, y, classes, sample_weight)
        return self.__dict__.pop("_problem")

    def _fit(self, phi: Rows, y: Array, psi: Array, weights: Array | None = None) -> None:
        self._problem = self._pose(phi, y, psi, weights)
