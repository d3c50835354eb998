"""Blocks of problems: what is computed, sent to a worker and stored as a whole.

Products of stacked matrices round differently in stacks of another composition, and among the poles of H rounding
decides where a descent ends. So the problems of a sweep are cut into blocks that depend on nothing but the settings and
the data, the parts of problems into blocks that depend on how the problems ended besides. A block is always solved from
its beginning, by itself and with one thread: the same numbers come out wherever it is solved, and however often.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from threadpoolctl import threadpool_limits

from unseen.learning import Smooth, SoftMaximum
from unseen.sweep.batched_objective import BatchedObjective
from unseen.sweep.data import SweepData
from unseen.sweep.problems import DistinctProblems
from unseen.sweep.results import Outcome
from unseen.sweep.shortcuts import WarmStarts, find_warm_starts, log10_nu
from unseen.sweep.solver import Task, solve
from unseen.utils.arrays import Array, to_numpy
from unseen.utils.devices import find_device
from unseen.utils.progress import OnProgress, ignore

Block = Sequence[Task]

# Scores of some rows for the problems solved together: a cache's worth on a core, plenty on a device.
CORE_BYTES = 2 * 2**20
DEVICE_BYTES = 2**29

# Problems of a block. A device solves all of them together and remembers their steps, so that their number decides how
# many processes fit into its memory.
CORE_BLOCK = 12
DEVICE_BLOCK = 96


@dataclass(frozen=True, eq=False)
class BlockSolver:
    """Solves blocks of problems wherever it is sent: the data, and all else that the problems share.

    Attributes
    ----------
    data : SweepData
        As NumPy arrays, which can be sent anywhere.
    loss : SoftMaximum
    solver : Smooth
    device : str, optional
        The device of PyTorch to work on; NumPy if not given.
    warm_starts : WarmStarts, optional
    """

    data: SweepData
    loss: SoftMaximum
    solver: Smooth
    device: str | None = None
    warm_starts: WarmStarts | None = None

    @cached_property
    def objective(self) -> BatchedObjective:
        """The objectives of the problems, on the device."""
        size = CORE_BYTES if self.device is None else DEVICE_BYTES
        return BatchedObjective(self.data.map(self._on_device), self.loss, size)

    def reach_device(self) -> None:
        """Raise InputError where the device cannot be used."""
        self._on_device(np.zeros(1))

    def cut(self, tasks: Sequence[Task]) -> list[Block]:
        """Cut tasks into blocks, hardest first.

        Little of the effective regulariser nu means many steps, so no long block comes last, and problems of one block
        take about as long: a stack stays full to its end.
        """
        order = np.argsort(log10_nu(np.reshape([task.setting for task in tasks], (-1, 5))), kind="stable")
        size = CORE_BLOCK if self.device is None else DEVICE_BLOCK
        return [[tasks[at] for at in order[start : start + size]] for start in range(0, len(tasks), size)]

    def solve(self, block: Block) -> list[Outcome]:
        """Solve a block from its beginning."""
        with threadpool_limits(1):
            starts = None if self.warm_starts is None else self.warm_starts.map(self._on_device)
            return list(solve(self.objective, block, self._width, solver=self.solver, warm_starts=starts))

    def with_warm_starts(self, problems: DistinctProblems, on_progress: OnProgress = ignore) -> Self:
        """Return the same with warm starts for the problems of a sweep, of which their parts take theirs too."""
        settings = problems.settings[: len(problems)]
        with threadpool_limits(1):
            starts = find_warm_starts(self.objective, settings, self.solver, on_progress)
            return replace(self, warm_starts=starts.map(to_numpy))

    @property
    def _width(self) -> int:
        """How many problems are solved together.

        One large product is faster than many small ones, but large data gain nothing by it and want their cache.
        """
        if self.device is not None:
            return DEVICE_BLOCK
        n, m = len(self.data.train.phi), len(self.data.train.psi)
        return int(np.clip(8 * CORE_BYTES // (4 * n * m), 4, 64))

    def _on_device(self, array: Array) -> Array:
        if self.device is None:
            # On its way to a worker an array may lose its layout or alignment, which decide how products are rounded.
            return np.require(array, requirements=["C_CONTIGUOUS", "ALIGNED"])
        found = find_device(self.device)
        import torch

        # A copy, for arrays mapped into worker processes are read-only.
        return torch.tensor(np.array(array), device=found)
