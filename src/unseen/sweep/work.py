"""What a worker needs to solve problems, and how it does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from unseen.learning import Smooth, SoftMaximum
from unseen.sweep.batched_objective import Stack
from unseen.sweep.data import Material
from unseen.sweep.outcome import Outcome
from unseen.sweep.problems import Floats
from unseen.sweep.solver import Task, solve
from unseen.sweep.starts import Starts, bilinear_starts
from unseen.utils.arrays import Array, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.optional import optional_module

# Scores of one block of rows for the problems solved together: a cache's worth on a core, plenty on a device.
CORE_BYTES = 2 * 2**20
DEVICE_BYTES = 2**29

# Problems that a device solves together (their steps are remembered there), and that a core is given at a time.
DEVICE_WIDTH = 192
CORE_BLOCK = 12


@dataclass(frozen=True, eq=False)
class Work:
    """The material with everything else that all problems share.

    Attributes
    ----------
    material : Material
        As NumPy arrays, which can be sent anywhere.
    temperature : float
        Of the soft maximum.
    solver : Smooth
    device : str, optional
        The device of PyTorch to work on; NumPy if not given.
    starts : Starts, optional
    """

    material: Material
    temperature: float
    solver: Smooth
    device: str | None = None
    starts: Starts | None = None

    @property
    def block(self) -> int:
        """How many problems a worker is given at a time; they are stored when all of them are done."""
        return CORE_BLOCK if self.device is None else DEVICE_WIDTH

    @cached_property
    def stack(self) -> Stack:
        """The kernels on this material, where the device has it."""
        size = CORE_BYTES if self.device is None else DEVICE_BYTES
        return Stack(self.material.map(self._placed), SoftMaximum(self.temperature), size)

    def solve(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Solve tasks and yield outcomes as they come."""
        starts = None if self.starts is None else Starts(self.starts.log_nu, self._placed(self.starts.V))
        return solve(self.stack, tasks, self._width, solver=self.solver, starts=starts)

    def with_starts(self, settings: Floats) -> Self:
        """Return the same with warm starts for these settings (k, 5)."""
        starts = bilinear_starts(self.stack, settings, self.solver)
        return replace(self, starts=Starts(starts.log_nu, to_numpy(starts.V)))

    @property
    def _width(self) -> int:
        """How many problems are solved together.

        One large product is faster than many small ones, but large data gain nothing by it and want their cache.
        """
        if self.device is not None:
            return DEVICE_WIDTH
        n, m = len(self.material.train.phi), len(self.material.train.psi)
        return int(np.clip(8 * CORE_BYTES // (4 * n * m), 4, 64))

    def _placed(self, array: Array) -> Array:
        if self.device is None:
            return array
        torch = optional_module("torch", "torch", f"device={self.device!r}")
        try:
            # A copy, for arrays mapped into worker processes are read-only.
            return torch.tensor(np.array(array), device=self.device)
        except (RuntimeError, AssertionError) as error:
            raise InputError(
                f"device={self.device!r} cannot be used ({error}): choose another, or leave it out"
            ) from error


def solve_block(work: Work, tasks: Sequence[Task]) -> list[Outcome]:
    """Solve a block of tasks: what a worker process is told to do."""
    return list(work.solve(tasks))
