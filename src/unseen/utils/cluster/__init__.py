"""Use a Dask cluster: start or reach one, and give it work whose data are sent once."""

from unseen.utils.cluster.reaching import Cluster
from unseen.utils.cluster.working import count_threads, find_client, run_on_cluster

__all__ = ["Cluster", "count_threads", "find_client", "run_on_cluster"]
