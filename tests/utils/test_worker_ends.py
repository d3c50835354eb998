"""Worker processes end with the process that started them, and no other process does."""

import os
import subprocess
import sys

import joblib
import pytest

from unseen.utils.workers import Task


def test_tasks_of_processes_and_threads_are_answered() -> None:
    for how in ("processes", "threads"):
        done = joblib.Parallel(n_jobs=2, prefer=how)(joblib.delayed(Task(abs))(-number) for number in range(4))
        assert done == [0, 1, 2, 3]


# The process that gave out the task is gone already: nobody waits for what it does.
LATE = """
import subprocess, sys, time
from multiprocessing import current_process
from unseen.utils.workers import Task
ended = subprocess.Popen(["true"])
ended.wait()
task = Task(time.sleep)
task._parent = ended.pid
current_process().name = sys.argv[1]
task(5)
print("done")
"""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere workers are not ended")
@pytest.mark.parametrize(("name", "printed"), [("LokyProcess-1", ""), ("Dask Worker process", "done\n")])
def test_a_worker_that_comes_too_late_ends_too(name: str, printed: str) -> None:
    program = LATE if not printed else LATE.replace("task(5)", "task(1.5)")
    ended = subprocess.run([sys.executable, "-c", program, name], capture_output=True, text=True, check=False)
    assert ended.stdout == printed, ended.stderr
