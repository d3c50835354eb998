"""How many processes to start for what there is to do, how they end, and what to say if one of them dies."""

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from unseen.utils.errors import InputError
from unseen.utils.validation import check_whole_number

# The most that joblib may be asked to leave free.
_MOST_CORES = 2**15

# How often a worker looks whether its parent is there.
_SECONDS = 1.0
_watched: set[int] = set()


def limit_jobs(asked: int | None, n_tasks: int) -> int | None:
    """Return the number of processes as joblib takes it: no more than there are tasks, or cores on this machine.

    Parameters
    ----------
    asked : int or None
        None and negative numbers are left to joblib, which may know of other machines.
    n_tasks : int

    Examples
    --------
    >>> limit_jobs(100_000, 1), limit_jobs(-1, 10), limit_jobs(None, 10)
    (1, -1, None)
    """
    if asked is None:
        return None
    number = check_whole_number(asked, "n_jobs", -_MOST_CORES)
    if number == 0:
        raise InputError("n_jobs=0 leaves nobody to do the work: give 1, or -1 for all cores")
    return number if number < 0 else max(1, min(number, n_tasks, count_cores()))


def count_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def explain_lost_worker(of: str) -> Iterator[None]:
    """Turn the death of a worker process, of "the search" for example, into a message that says what to do."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    try:
        yield
    except TerminatedWorkerError as error:
        raise InputError(
            f"a worker process of {of} died, perhaps for lack of memory: run again with fewer n_jobs (--jobs on the "
            "command line)"
        ) from error


class Task:
    """A function for joblib; a worker process that runs it ends soon after the process that started it.

    Workers of joblib would otherwise finish what they are at if that process is killed, and then wait five and a half
    minutes for more.

    Parameters
    ----------
    function : callable

    Examples
    --------
    >>> Task(abs)(-3)
    3
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self._parent = function, os.getpid()

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the function."""
        _end_with(self._parent)
        return self._function(*arguments, **options)


def _end_with(parent: int) -> None:
    """End this process, if it is a worker of joblib, when the process that started it is gone."""
    me = os.getpid()
    # Elsewhere the number may be that of another process; on Windows there is no such number of a parent.
    is_worker = sys.platform != "win32" and multiprocessing.current_process().name.startswith("LokyProcess")
    if is_worker and me != parent and me not in _watched:
        _watched.add(me)
        threading.Thread(target=_wait_for_end, args=(parent,), name="unseen-parent", daemon=True).start()


def _wait_for_end(parent: int) -> None:
    # It may be gone already, and this task have waited in the queue.
    is_child = os.getppid() == parent
    while os.getppid() == parent if is_child else _exists(parent):
        time.sleep(_SECONDS)
    os._exit(1)


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is somebody else's
        pass
    return True
