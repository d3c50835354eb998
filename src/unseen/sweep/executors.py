"""Where a sweep runs: in this process (on any device), on the cores of this machine, or on a Dask cluster.

Each place takes work and blocks of tasks and yields the outcomes of finished blocks in any order.
"""

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from unseen.sweep.outcome import Outcome
from unseen.sweep.solver import Task
from unseen.sweep.work import Work, solve_block
from unseen.utils.errors import InputError
from unseen.utils.optional import optional_module

Blocks = Sequence[Sequence[Task]]

# How often blocks whose worker died are given to another.
ATTEMPTS = 5


class Place(Protocol):
    """Somewhere to run."""

    def run(self, work: Work, blocks: Blocks) -> Iterator[list[Outcome]]:
        """Yield the outcomes of each block as it is done."""


@dataclass(frozen=True)
class Here:
    """Run in this process; outcomes come one by one."""

    def run(self, work: Work, blocks: Blocks) -> Iterator[list[Outcome]]:
        """Solve all tasks as one stream, so that a wide stack is always full."""
        for outcome in work.solve([task for block in blocks for task in block]):
            yield [outcome]


@dataclass(frozen=True)
class Cores:
    """Processes on this machine, through joblib; the data are mapped into each of them.

    Parameters
    ----------
    jobs : int
    """

    jobs: int

    def run(self, work: Work, blocks: Blocks) -> Iterator[list[Outcome]]:
        """Solve blocks in processes with one thread each; blocks of a process that died are given out again."""
        from joblib import Parallel, delayed, parallel_config
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        if (work.device or "").startswith("cuda") and self.jobs > 1 and not _mps_runs():
            _say(
                f"jobs={self.jobs}: several processes hold each other up on one GPU unless NVIDIA's MPS runs; start "
                "it with nvidia-cuda-mps-control -d, or leave out jobs"
            )
        left = {block[0].problem: block for block in blocks}
        for attempt in range(ATTEMPTS):
            try:
                with parallel_config(backend="loky", n_jobs=self.jobs, inner_max_num_threads=1):
                    parallel = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
                    done = parallel(delayed(_marked_block)(work, block) for block in list(left.values()))
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
class Cluster:
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

    def run(self, work: Work, blocks: Blocks) -> Iterator[list[Outcome]]:
        """Send the work once to each worker, then block after block; Dask moves blocks of lost workers to others."""
        distributed = optional_module("distributed", "cluster", "running on a Dask cluster")
        with self._client(distributed) as client:
            left = {block[0].problem: block for block in blocks}
            for attempt in range(ATTEMPTS):
                yield from _on_client(distributed, client, work, left)
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


def _on_client(distributed: Any, client: Any, work: Work, left: dict[int, Sequence[Task]]) -> Iterator[list[Outcome]]:
    """Run the blocks that are left, and take those that came back out of `left`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that the data are large: they are sent once, on purpose
        everywhere = client.scatter(work, broadcast=True)
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


def _marked_block(work: Work, block: Sequence[Task]) -> tuple[int, list[Outcome]]:
    return block[0].problem, solve_block(work, block)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)
