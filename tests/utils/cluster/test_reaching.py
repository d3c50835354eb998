"""Local workers do what they are given, and little else."""

from typing import Any

import pytest

from unseen.utils.cluster import Cluster

pytest.importorskip("distributed")


def list_callbacks(dask_worker: Any) -> dict[str, float]:
    """Return what a worker does again and again beside its tasks, and every how many milliseconds."""
    return {name: each.callback_time for name, each in dask_worker.periodic_callbacks.items()}


@pytest.mark.parametrize("dashboard", [False, True])
def test_workers_look_at_what_they_do_only_for_the_page(dashboard: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unseen.utils.cluster.reaching.print", lambda *_, **__: None, raising=False)
    with Cluster(workers=1, dashboard=dashboard).connect() as client:
        client.wait_for_workers(1)
        [found] = client.run(list_callbacks).values()
    assert ("profile" in found) == dashboard
    assert (found["tick"] < 100) == dashboard
