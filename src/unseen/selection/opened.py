"""Keep the stage that was worked on last open, so that the next task on it finds its rows taken and scaled."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from unseen.selection.grid import Estimator, Point, open_grid

if TYPE_CHECKING:
    from unseen.selection.trials import Rows, Stage


@dataclass(frozen=True, eq=False)
class Opened:
    """A stage whose rows are read.

    Attributes
    ----------
    stage : Stage
    test : Rows
        The held-out rows.
    fit_points : callable
        Yields the estimator fitted on the training rows at each of some points.
    """

    stage: "Stage"
    test: "Rows"
    fit_points: Callable[[Sequence[Point]], Iterator[Estimator]]

    @classmethod
    def of(cls, stage: "Stage") -> Self:
        """Read the rows."""
        train, test = stage.ground.read()
        return cls(stage, test, open_grid(stage.estimator, train.X, train.y, train.classes, train.weights))


class LastOpened:
    """The stage that was opened last in this process; only one, because its rows may fill much of the memory."""

    def __init__(self) -> None:
        self._last: Opened | None = None

    def open(self, stage: "Stage") -> Opened:
        """Return the stage opened, as it was left if it is the last one."""
        # Read once and kept in a variable: other threads may put another stage in its place meanwhile.
        last = self._last
        if last is None or last.stage is not stage:
            last = self._last = None  # its rows leave before others come
            last = self._last = Opened.of(stage)
        return last

    def __reduce__(self) -> tuple[type[Self], tuple[()]]:
        return type(self), ()  # other processes open stages themselves
