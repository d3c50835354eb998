"""Start Dask workers on this machine, or reach those of a scheduler."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from unseen.utils.errors import InputError
from unseen.utils.optional import import_optional
from unseen.utils.workers import limit_jobs

# By default Dask lets workers give memory back to the system at every chance. They then fetch it again for every large
# array: 2.8 million page faults in a search on CUB instead of 14 thousand, and a third of the processor's time.
_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
_TRIMMING = "MALLOC_TRIM_THRESHOLD_"

# By default workers note a hundred times a second where their tasks are, and fifty times whether they are late, which
# only the web page shows: 1.1 of the 1.7 core-seconds that a search on CUB spent beside its tasks in 13 seconds.
_QUIET = {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "500ms"}


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
    dashboard : bool
        Whether to show the local workers on a web page, and to say where. Local workers and their page can be reached
        from this machine only.
    """

    workers: int = 0
    scheduler: str = ""
    timeout: float = 10.0
    dashboard: bool = False

    @contextmanager
    def connect(self, n_tasks: int | None = None) -> Iterator[Any]:
        """Yield a client; local workers, of which no more start than there are tasks or cores, end afterwards."""
        distributed = import_optional("distributed", "cluster", "running on a Dask cluster")
        if self.scheduler:
            with self._reach_scheduler(distributed) as client:
                yield client
            return
        asked = max(1, self.workers)
        cluster = _start_workers(distributed, limit_jobs(asked, n_tasks or asked) or 1, self.dashboard)
        with cluster, distributed.Client(cluster) as client:
            if self.dashboard:
                print(f"The workers are shown at {client.dashboard_link}", file=sys.stderr)
            yield client

    @contextmanager
    def use(self) -> Iterator[None]:
        """Let searches and evaluations inside the context run on the cluster."""
        from joblib import parallel_config

        with self.connect() as client, parallel_config("dask", client=client):
            yield

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
    import dask

    here = {"host": "127.0.0.1", "protocol": "tcp://", "dashboard_address": "127.0.0.1:0"}
    scheduler = {"cls": distributed.Scheduler, "options": here | {"port": 0, "dashboard": dashboard}}
    worker = {"cls": distributed.Nanny, "options": here | {"nthreads": 1, "dashboard": False, "silence_logs": 50}}
    workers = dict.fromkeys(range(count), worker)
    environment = {name: value for name, value in dask.config.get(_ENVIRONMENT).items() if name != _TRIMMING}
    with dask.config.set({_ENVIRONMENT: environment} | ({} if dashboard else _QUIET)):
        return distributed.SpecCluster(workers=workers, scheduler=scheduler, silence_logs=50)
