"""Where a sweep runs: in this process (on any device), in processes on this machine, or on a Dask cluster.

Each executor takes a `BlockSolver` and blocks of tasks, and yields the outcomes of finished blocks in any order.
"""

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np

from unseen.learning import Smooth, SoftMaximum
from unseen.sweep.batched_objective import BatchedObjective
from unseen.sweep.data import SweepData
from unseen.sweep.results import Outcome
from unseen.sweep.settings import Floats
from unseen.sweep.shortcuts import WarmStarts, find_warm_starts
from unseen.sweep.solver import Task, solve
from unseen.utils.arrays import Array, to_numpy
from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional

Blocks = Sequence[Sequence[Task]]

# How often blocks whose worker died are given to another.
ATTEMPTS = 5

# Scores of one block of rows for the problems solved together: a cache's worth on a core, plenty on a device.
CORE_BYTES = 2 * 2**20
DEVICE_BYTES = 2**29

# Problems that a device solves together (their steps are remembered there), and that a core is given at a time.
DEVICE_WIDTH = 192
CORE_BLOCK = 12


@dataclass(frozen=True, eq=False)
class BlockSolver:
    """Solves blocks of problems wherever it is sent: the data, and all else that the problems share.

    Attributes
    ----------
    data : SweepData
        As NumPy arrays, which can be sent anywhere.
    temperature : float
        Of the soft maximum.
    solver : Smooth
    device : str, optional
        The device of PyTorch to work on; NumPy if not given.
    warm_starts : WarmStarts, optional
    """

    data: SweepData
    temperature: float
    solver: Smooth
    device: str | None = None
    warm_starts: WarmStarts | None = None

    @property
    def block(self) -> int:
        """How many problems a worker is given at a time; they are stored when all of them are done."""
        return CORE_BLOCK if self.device is None else DEVICE_WIDTH

    @cached_property
    def objective(self) -> BatchedObjective:
        """The objectives of the problems, on the device."""
        size = CORE_BYTES if self.device is None else DEVICE_BYTES
        return BatchedObjective(self.data.map(self._on_device), SoftMaximum(self.temperature), size)

    def solve(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Solve tasks and yield outcomes as they come."""
        starts = None if self.warm_starts is None else self.warm_starts.map(self._on_device)
        return solve(self.objective, tasks, self._width, solver=self.solver, warm_starts=starts)

    def with_warm_starts(self, settings: Floats) -> Self:
        """Return the same with warm starts for these settings (k, 5)."""
        return replace(self, warm_starts=find_warm_starts(self.objective, settings, self.solver).map(to_numpy))

    @property
    def _width(self) -> int:
        """How many problems are solved together.

        One large product is faster than many small ones, but large data gain nothing by it and want their cache.
        """
        if self.device is not None:
            return DEVICE_WIDTH
        n, m = len(self.data.train.phi), len(self.data.train.psi)
        return int(np.clip(8 * CORE_BYTES // (4 * n * m), 4, 64))

    def _on_device(self, array: Array) -> Array:
        if self.device is None:
            return array
        torch = import_optional("torch", "torch", f"device={self.device!r}")
        try:
            # A copy, for arrays mapped into worker processes are read-only.
            return torch.tensor(np.array(array), device=self.device)
        except (RuntimeError, AssertionError) as error:
            raise InputError(
                f"device={self.device!r} cannot be used ({error}): choose another, or leave it out"
            ) from error


def solve_block(solver: BlockSolver, tasks: Sequence[Task]) -> list[Outcome]:
    """Solve a block of tasks: what a worker process is told to do."""
    return list(solver.solve(tasks))


class Executor(Protocol):
    """Runs a sweep."""

    def run(self, solver: BlockSolver, blocks: Blocks) -> Iterator[list[Outcome]]:
        """Yield the outcomes of each block as it is done."""


@dataclass(frozen=True)
class InProcess:
    """Run in this process; outcomes come one by one."""

    def run(self, solver: BlockSolver, blocks: Blocks) -> Iterator[list[Outcome]]:
        """Solve all tasks as one stream, so that a wide batch is always full."""
        for outcome in solver.solve([task for block in blocks for task in block]):
            yield [outcome]


@dataclass(frozen=True)
class Processes:
    """Processes on this machine, through joblib; the data are mapped into each of them.

    Parameters
    ----------
    jobs : int
    """

    jobs: int

    def run(self, solver: BlockSolver, blocks: Blocks) -> Iterator[list[Outcome]]:
        """Solve blocks in processes with one thread each; blocks of a process that died are given out again."""
        from joblib import Parallel, delayed, parallel_config
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        if (solver.device or "").startswith("cuda") and self.jobs > 1 and not _mps_runs():
            _say(
                f"jobs={self.jobs}: several processes hold each other up on one GPU unless NVIDIA's MPS runs; start "
                "it with nvidia-cuda-mps-control -d, or leave out jobs"
            )
        left = {block[0].problem: block for block in blocks}
        for attempt in range(ATTEMPTS):
            try:
                with parallel_config(backend="loky", n_jobs=self.jobs, inner_max_num_threads=1):
                    parallel = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
                    done = parallel(delayed(_marked_block)(solver, block) for block in list(left.values()))
                    for mark, outcomes in done:
                        del left[mark]
                        yield outcomes
                return
            except TerminatedWorkerError:
                _say(f"A worker process died; its settings are tried again ({attempt + 1} of {ATTEMPTS}).")
        raise InputError(
            f"jobs={self.jobs}: worker processes died {ATTEMPTS} times, perhaps for lack of memory; what is solved is "
            "stored: run again with fewer jobs to go on"
        )


@dataclass(frozen=True)
class DaskCluster:
    """A Dask cluster: workers on this machine, or wherever a scheduler has them.

    Parameters
    ----------
    workers : int
        How many local workers, of one thread each, to start; 0 to use `scheduler`.
    scheduler : str
        The address of a running scheduler, such as tcp://10.0.0.1:8786.
    timeout : float
        Seconds to wait for the scheduler.
    """

    workers: int = 0
    scheduler: str = ""
    timeout: float = 10.0

    def run(self, solver: BlockSolver, blocks: Blocks) -> Iterator[list[Outcome]]:
        """Send solver and data once to each worker, then block after block; blocks of lost workers go to others."""
        distributed = import_optional("distributed", "cluster", "running on a Dask cluster")
        with self._client(distributed) as client:
            left = {block[0].problem: block for block in blocks}
            for attempt in range(ATTEMPTS):
                yield from _on_client(distributed, client, solver, left)
                if not left:
                    return
                _say(f"A Dask worker was lost; its settings are tried again ({attempt + 1} of {ATTEMPTS}).")
        raise InputError(
            f"the Dask cluster lost {len(left)} blocks {ATTEMPTS} times; what is solved is stored: see to its workers "
            "and run again to go on"
        )

    def _client(self, distributed: Any) -> Any:
        if not self.scheduler:
            options = {"n_workers": self.workers, "threads_per_worker": 1, "dashboard_address": None}
            return distributed.Client(**options, processes=True, silence_logs=50)
        try:
            return distributed.Client(self.scheduler, timeout=self.timeout)
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(
                f"scheduler={self.scheduler!r} does not answer ({type(error).__name__}): check the address and that "
                "the scheduler runs"
            ) from error


def _on_client(
    distributed: Any, client: Any, solver: BlockSolver, left: dict[int, Sequence[Task]]
) -> Iterator[list[Outcome]]:
    """Run the blocks that are left, and take those that came back out of `left`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that the data are large: they are sent once, on purpose
        everywhere = client.scatter(solver, broadcast=True)
        futures = {client.submit(solve_block, everywhere, block, pure=False): mark for mark, block in left.items()}
    for future in distributed.as_completed(futures):
        with suppress(distributed.KilledWorker, distributed.CancelledError):
            outcomes = future.result()
            del left[futures[future]]
            yield outcomes


def _mps_runs() -> bool:
    """Tell whether NVIDIA's Multi-Process Service has made the folder through which it is reached."""
    folder = Path(os.environ.get("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps"))
    return folder.is_dir() and any(folder.iterdir())


def _marked_block(solver: BlockSolver, block: Sequence[Task]) -> tuple[int, list[Outcome]]:
    return block[0].problem, solve_block(solver, block)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)
