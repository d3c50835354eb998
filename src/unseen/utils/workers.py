"""How many processes to start for what there is to do, and what to say if one of them dies."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from unseen.utils.errors import InputError
from unseen.utils.validation import check_whole_number

# The most that joblib may be asked to leave free.
_MOST_CORES = 2**15


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
