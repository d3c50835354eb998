"""Where a sweep runs: in this process (on any device), in processes on this machine, or on a Dask cluster.

Each executor takes a `BlockSolver` and blocks of tasks, and yields the outcomes of finished blocks in any order.
"""

import os
import sys
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from unseen.sweep.blocks import Block, BlockSolver
from unseen.sweep.results import Outcome
from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional
from unseen.utils.workers import Task, limit_jobs

Blocks = Sequence[Block]

# How often blocks whose worker died are given to another.
ATTEMPTS = 5


class Executor(Protocol):
    """Runs a sweep."""

    def run(self, solver: BlockSolver, blocks: Blocks) -> Generator[list[Outcome], None, None]:
        """Yield the outcomes of each block as it is done."""


@dataclass(frozen=True)
class InProcess:
    """Run in this process."""

    def run(self, solver: BlockSolver, blocks: Blocks) -> Generator[list[Outcome], None, None]:
        """Solve block after block."""
        yield from map(solver.solve, blocks)


@dataclass(frozen=True)
class Processes:
    """Processes on this machine, through joblib; the data are mapped into each of them.

    Parameters
    ----------
    jobs : int
    """

    jobs: int

    def run(self, solver: BlockSolver, blocks: Blocks) -> Generator[list[Outcome], None, None]:
        """Solve blocks in processes with one thread each; blocks of a process that died are given out again."""
        from joblib import Parallel, delayed, parallel_config
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        if (solver.device or "").startswith("cuda") and self.jobs > 1 and not _mps_runs():
            _say(
                f"jobs={self.jobs}: several processes hold each other up on one GPU unless NVIDIA's MPS runs; start "
                "it with nvidia-cuda-mps-control -d, or leave out jobs"
            )
        # On a device a process does little but wait for it, so that cores set no limit.
        jobs = limit_jobs(self.jobs, len(blocks)) if solver.device is None else max(1, min(self.jobs, len(blocks)))
        left = {block[0].problem: block for block in blocks}
        for attempt in range(ATTEMPTS):
            try:
                with parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=1):
                    parallel = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
                    calls = [delayed(Task(_marked_block))(solver, block) for block in left.values()]
                    # Closing ends the processes when this one is interrupted.
                    with closing(parallel(calls)) as done:
                        for mark, outcomes in done:
                            yield outcomes
                            del left[mark]
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
    dashboard : bool
        Whether to show the local workers on a web page, and to say where. Local workers and their page can be reached
        from this machine only.
    """

    workers: int = 0
    scheduler: str = ""
    timeout: float = 10.0
    dashboard: bool = False

    def run(self, solver: BlockSolver, blocks: Blocks) -> Generator[list[Outcome], None, None]:
        """Send solver and data once to each worker, then block after block; blocks of lost workers go to others."""
        distributed = import_optional("distributed", "cluster", "running on a Dask cluster")
        with self._client(distributed, len(blocks)) as client:
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

    @contextmanager
    def _client(self, distributed: Any, n_blocks: int) -> Iterator[Any]:
        if self.scheduler:
            with self._reach_scheduler(distributed) as client:
                yield client
            return
        count = limit_jobs(max(1, self.workers), n_blocks) or 1
        cluster = _start_workers(distributed, count, self.dashboard)
        with cluster, distributed.Client(cluster) as client:
            if self.dashboard:
                _say(f"The workers are shown at {client.dashboard_link}")
            yield client

    def _reach_scheduler(self, distributed: Any) -> Any:
        try:
            return distributed.Client(self.scheduler, timeout=self.timeout)
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(
                f"scheduler={self.scheduler!r} does not answer ({type(error).__name__}): check the address and that "
                "the scheduler runs"
            ) from error


def _start_workers(distributed: Any, count: int, dashboard: bool) -> Any:
    """Start a scheduler and workers of one thread each that only this machine can reach.

    Dask's `LocalCluster` opens ports for its web pages on all interfaces, even where it is told to show none.
    """
    here = {"host": "127.0.0.1", "protocol": "tcp://", "dashboard_address": "127.0.0.1:0"}
    scheduler = {"cls": distributed.Scheduler, "options": here | {"port": 0, "dashboard": dashboard}}
    worker = {"cls": distributed.Nanny, "options": here | {"nthreads": 1, "dashboard": False, "silence_logs": 50}}
    workers = dict.fromkeys(range(count), worker)
    return distributed.SpecCluster(workers=workers, scheduler=scheduler, silence_logs=50)


def _on_client(distributed: Any, client: Any, solver: BlockSolver, left: dict[int, Block]) -> Iterator[list[Outcome]]:
    """Run the blocks that are left, and take those that came back out of `left`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that the data are large: they are sent once, on purpose
        everywhere = client.scatter(solver, broadcast=True)
        submit = partial(client.submit, BlockSolver.solve, everywhere, pure=False)
        futures = {submit(block): mark for mark, block in left.items()}
    for future in distributed.as_completed(futures):
        with suppress(distributed.KilledWorker, distributed.CancelledError):
            outcomes = future.result()
            del left[futures[future]]
            yield outcomes


def _mps_runs() -> bool:
    """Tell whether NVIDIA's Multi-Process Service has made the folder through which it is reached."""
    folder = Path(os.environ.get("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps"))
    return folder.is_dir() and any(folder.iterdir())


def _marked_block(solver: BlockSolver, block: Block) -> tuple[int, list[Outcome]]:
    return block[0].problem, solver.solve(block)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)
