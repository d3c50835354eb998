"""A stage that is worked on again finds its rows taken and scaled, and leaves before another is opened."""

import pickle
from dataclasses import dataclass, field
from typing import Any
from weakref import ref

import numpy as np

from unseen.models import BilinearSVM
from unseen.selection.opened import LastOpened
from unseen.selection.trials import Rows, Stage


@dataclass(eq=False)
class Ground:
    """Rows that are made when they are read, and known as long as they live."""

    alive: list[Any] = field(default_factory=list)
    on_read: Any = None

    def read(self) -> tuple[Rows, Rows]:
        if self.on_read:
            self.on_read()
        both = tuple(Rows(np.ones((4, 2)), np.array([0, 0, 1, 1]), None, None) for _ in range(2))
        self.alive += [ref(rows) for rows in both]
        return both


def make_stage(ground: Ground) -> Stage:
    return Stage("a split", BilinearSVM(), {0: {}}, ground, lambda model: model)


def test_a_stage_is_read_once_until_another_is_opened() -> None:
    one, other, last = make_stage(Ground()), make_stage(Ground()), LastOpened()
    assert last.open(one) is last.open(one)
    last.open(other)
    last.open(one)
    assert [len(stage.ground.alive) for stage in (one, other)] == [4, 2]


def test_rows_leave_before_others_come() -> None:
    one = make_stage(Ground())
    last = LastOpened()

    def look() -> None:
        assert [rows() for rows in one.ground.alive] == [None, None]

    last.open(one)
    last.open(make_stage(Ground(on_read=look)))


def test_what_is_open_stays_in_its_process() -> None:
    last = LastOpened()
    last.open(make_stage(Ground()))
    assert vars(pickle.loads(pickle.dumps(last))) == vars(LastOpened())
