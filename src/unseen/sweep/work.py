"""What a worker needs to solve problems, and how it does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from unseen.arrays import Array, to_numpy
from unseen.data.extras import optional_module
from unseen.errors import InputError
from unseen.learning import Smooth, SoftMaximum
from unseen.sweep.material import Material
from unseen.sweep.outcome import Outcome
from unseen.sweep.problems import Floats
from unseen.sweep.solving import Task, solve
from unseen.sweep.stack import Stack
from unseen.sweep.starts import Starts, bilinear_starts

# Scores of one block of rows for the problems solved together: a cache's worth on a core, plenty on a device.
CORE_BYTES = 2 * 2**20
DEVICE_BYTES = 2**31

# Problems that a device solves together; their steps are remembered there.
DEVICE_WIDTH = 192


@dataclass(frozen=True, eq=False)
class Work:
    """The material with everything else that all problems share.

    Attributes
    ----------
    material : Material
    temperature : float
        Of the soft maximum.
    solver : Smooth
    width : int
        How many problems are solved together.
    work_bytes : int
        See `Stack`.
    starts : Starts, optional
    """

    material: Material
    temperature: float
    solver: Smooth
    width: int
    work_bytes: int = CORE_BYTES
    starts: Starts | None = None

    @cached_property
    def stack(self) -> Stack:
        """The kernels on this material."""
        return Stack(self.material, SoftMaximum(self.temperature), self.work_bytes)

    def solve(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Solve tasks and yield outcomes as they come."""
        return solve(self.stack, tasks, self.width, solver=self.solver, starts=self.starts)

    def with_starts(self, settings: Floats) -> Self:
        """Return the same with warm starts for these settings (k, 5)."""
        return replace(self, starts=bilinear_starts(self.stack, settings, self.solver))

    def on_device(self, device: str) -> Self:
        """Return the same as arrays of PyTorch on a device such as "cuda" or "cpu"."""
        torch = optional_module("torch", "torch", f"device={device!r}")
        try:
            moved = self.material.map(lambda array: torch.as_tensor(np.ascontiguousarray(array), device=device))
        except (RuntimeError, AssertionError) as error:
            raise InputError(f"device={device!r} cannot be used ({error}): choose another, or leave it out") from error
        return replace(self, material=moved, width=DEVICE_WIDTH, work_bytes=DEVICE_BYTES)


def width_for(material: Material) -> int:
    """Choose how many problems a core solves together: one large product instead of many small ones.

    Large data gain nothing by it and want their cache.
    """
    n, m = len(material.train.phi), len(material.train.psi)
    return int(np.clip(8 * CORE_BYTES // (4 * n * m), 4, 64))


def solve_block(work: Work, tasks: Sequence[Task]) -> list[Outcome]:
    """Solve a block of tasks: what a worker process is told to do."""
    return list(work.solve(tasks))


def numpy_starts(starts: Starts) -> Starts:
    """Return starts as NumPy arrays, to be sent."""
    V: Array = to_numpy(starts.V)
    return Starts(starts.log_nu, V)
