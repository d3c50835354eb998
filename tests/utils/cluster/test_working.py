"""Work on a Dask cluster: what is shared is sent once, and what goes wrong is said."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from unseen.utils.cluster import Cluster, count_threads, find_client, run_on_cluster
from unseen.utils.errors import InputError

distributed = pytest.importorskip("distributed")


class Shared:
    """Counts how often it is written for another process."""

    def __init__(self) -> None:
        self.times = 0

    def __reduce__(self) -> Any:
        self.times += 1
        return Shared, ()


@pytest.fixture
def client() -> Iterator[Any]:
    """A cluster of one worker in another process."""
    with Cluster(workers=1).connect() as client:
        yield client


def add(shared: Shared, *numbers: int) -> int:
    if 0 in numbers:
        raise ValueError("a zero")
    return sum(numbers)


def wait_until_held(client: Any, n: int) -> None:
    """Wait until the cluster holds so many results for the client, which takes them back in a thread of its own."""
    deadline = time.monotonic() + 10
    while len(client.futures) != n:
        assert time.monotonic() < deadline, client.futures
        time.sleep(0.01)


def test_shared_data_are_sent_once_for_all_calls_and_leave_with_the_last(client: Any) -> None:
    shared, other = Shared(), Shared()
    for _ in range(3):
        assert dict(run_on_cluster(client, shared, add, {"a": (1, 2), "b": (3,)}, "a test")) == {"a": 3, "b": 3}
    assert dict(run_on_cluster(client, other, add, {"a": (1,)}, "a test")) == {"a": 1}
    assert (shared.times, other.times) == (1, 1)
    wait_until_held(client, 2)
    del shared, other
    wait_until_held(client, 0)


def test_an_error_of_a_task_is_raised_here_and_the_rest_is_taken_back(client: Any) -> None:
    shared = Shared()
    with pytest.raises(ValueError, match="a zero"):
        dict(run_on_cluster(client, shared, add, {at: (at,) for at in range(50)}, "a test"))
    wait_until_held(client, 1)  # what is shared
    assert dict(run_on_cluster(client, shared, add, {"a": (1,)}, "a test")) == {"a": 1}
    assert shared.times == 1


def test_a_cluster_without_workers_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unseen.utils.cluster.working._SECONDS", 0.5)
    empty = {"n_workers": 0, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**empty) as cluster, distributed.Client(cluster) as client:
        with pytest.raises(
            InputError, match=r"the Dask cluster at .* does not answer .*: check that its scheduler runs"
        ):
            count_threads(client)
        with pytest.raises(
            InputError, match=r"the Dask cluster at .* does not answer .*: check that its scheduler runs"
        ):
            next(run_on_cluster(client, Shared(), add, {"a": (1,)}, "a test"))


def test_searches_and_evaluations_find_the_cluster_in_use() -> None:
    assert find_client() is None
    with Cluster(workers=1).use():
        found = find_client()
        assert found is not None
        assert count_threads(found) == 1
    assert find_client() is None
    assert found.status == "closed"
