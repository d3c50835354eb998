"""Give work to a Dask cluster: what its tasks share is sent once, and what a lost worker was at is done again."""

import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from unseen.utils.errors import InputError

Mark = TypeVar("Mark")

# How often tasks whose worker was lost are given to another.
ATTEMPTS = 5

# Seconds to wait for a first worker.
_SECONDS = 30

# What is on which cluster, as long as it is needed here too.
_sent: WeakKeyDictionary[Any, tuple[Any, Any]] = WeakKeyDictionary()


def find_client() -> Any | None:
    """Return the client of the Dask cluster to which work goes, by `joblib.parallel_config("dask")`, if there is one.

    >>> find_client() is None
    True
    """
    from joblib.parallel import get_active_backend

    backend = get_active_backend()[0]
    return backend.client if type(backend).__name__ == "DaskDistributedBackend" else None


def count_threads(client: Any) -> int:
    """Return how many tasks a Dask cluster works on at once, as soon as it has a worker."""
    with _explain_silence(client):
        client.wait_for_workers(1, timeout=_SECONDS)
        return sum(client.nthreads().values())


def run_on_cluster(
    client: Any,
    shared: Any,
    function: Callable[..., Any],
    tasks: Mapping[Mark, tuple[Any, ...]],
    of: str,
    *,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Generator[tuple[Mark, Any], None, None]:
    """Yield the mark and the outcome of each task as it is done, in any order.

    joblib would send the data again in every call, and take what a lost worker took with it for an outcome.

    Parameters
    ----------
    client : distributed.Client
    shared : object
        What all tasks need. It is sent once, however many calls there are with it, and stays with the workers as long
        as it lives here. It is told from others by identity.
    function : callable
        A function of `shared` and the arguments of a task.
    tasks : mapping of hashable to tuple
        The arguments of each task, by its mark.
    of : str
        What the tasks are part of, for messages: "the search" for example.
    tell : callable, optional
        Function called with a sentence when workers are lost.
    """
    left = dict(tasks)
    for attempt in range(ATTEMPTS):
        yield from _give_out(client, _send(client, shared), function, left)
        if not left:
            return
        _sent.pop(shared, None)  # it may be gone with the worker
        tell(f"A Dask worker was lost; its part of {of} is done again ({attempt + 1} of {ATTEMPTS}).")
    raise InputError(
        f"the Dask cluster lost workers of {of} {ATTEMPTS} times, perhaps for lack of memory: see to its workers, or "
        "use fewer of them (--cluster on the command line), and run again"
    )


def _send(client: Any, shared: Any) -> Any:
    """Return the future of an object that is on every worker, and send it if it is not there yet."""
    there, future = _sent.get(shared, (None, None))
    if there is client and future.status == "finished":
        return future
    with warnings.catch_warnings(), _explain_silence(client):
        warnings.simplefilter("ignore", UserWarning)  # that it is large: it is sent once, on purpose
        # By a name drawn at random, because to name it after its content takes as long as to send it.
        future = client.scatter(shared, broadcast=True, hash=False, timeout=_SECONDS)
    _sent[shared] = client, future
    return future


@contextmanager
def _explain_silence(client: Any) -> Iterator[None]:
    """Turn the silence of a cluster into a message that says what to do."""
    try:
        yield
    except (OSError, TimeoutError) as error:
        raise InputError(
            f"the Dask cluster at {client.scheduler.addr} does not answer ({type(error).__name__}): check that its "
            "scheduler runs and has workers"
        ) from error


def _give_out(
    client: Any, shared: Any, function: Callable[..., Any], left: dict[Mark, tuple[Any, ...]]
) -> Iterator[tuple[Mark, Any]]:
    """Run the tasks that are left, and take those that came back out of `left`."""
    import distributed

    futures = {client.submit(function, shared, *given, pure=False): mark for mark, given in left.items()}
    try:
        with _step_aside(distributed):
            for future in distributed.as_completed(futures):
                try:
                    outcome = future.result()
                except (distributed.KilledWorker, distributed.CancelledError):
                    continue
                del left[futures[future]]
                yield futures[future], outcome
    finally:
        # After an error or an interruption, so that the others are not begun.
        for future in futures:
            future.release()


@contextmanager
def _step_aside(distributed: Any) -> Iterator[None]:
    """Let a task that waits for others give its place to them, if this is a task of a cluster itself."""
    from distributed.worker import thread_state

    is_task = hasattr(thread_state, "execution_state")
    if is_task:
        distributed.secede()
    try:
        yield
    finally:
        if is_task:
            distributed.rejoin()
