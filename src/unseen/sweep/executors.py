"""Where a sweep runs: in this process (on any device), in processes on this machine, or on a Dask cluster.

Each executor takes a `BlockSolver` and blocks of tasks, and yields the outcomes of finished blocks in any order.
"""

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from unseen.sweep.blocks import Block, BlockSolver
from unseen.sweep.results import Outcome
from unseen.utils.cluster import Cluster, run_on_cluster
from unseen.utils.errors import InputError
from unseen.utils.workers import Task, limit_jobs

Blocks = Sequence[Block]

# How often blocks whose process died are given to another.
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


class DaskCluster(Cluster):
    """A Dask cluster, as for `unseen.utils.cluster.Cluster`."""

    def run(self, solver: BlockSolver, blocks: Blocks) -> Generator[list[Outcome], None, None]:
        """Send solver and data once to each worker, then block after block; blocks of lost workers go to others."""
        tasks = {block[0].problem: (block,) for block in blocks}
        with (
            self.connect(len(blocks)) as client,
            # Closing takes back what is not begun when this process is interrupted.
            closing(run_on_cluster(client, solver, BlockSolver.solve, tasks, "the sweep", tell=_say)) as done,
        ):
            for _, outcomes in done:
                yield outcomes


def _mps_runs() -> bool:
    """Tell whether NVIDIA's Multi-Process Service has made the folder through which it is reached."""
    folder = Path(os.environ.get("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps"))
    return folder.is_dir() and any(folder.iterdir())


def _marked_block(solver: BlockSolver, block: Block) -> tuple[int, list[Outcome]]:
    return block[0].problem, solver.solve(block)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)
