"""A long `unseen fit` that is stopped: it says how to go on, and no worker process outlives it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from written_results import write_small_data

from unseen.utils.workers import count_cores

psutil = pytest.importorskip("psutil")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals")

# A search with it never ends.
MODEL = """
import os, pathlib, time
from unseen.models import ESZSL

class Stalling(ESZSL):
    def fit_grid(self, *arguments, **options):
        pathlib.Path(f"begun-{os.getpid()}").touch()
        time.sleep(3600)
"""


# Where the search runs, and how many of its workers begin at once.
JOBS, CLUSTER = (("--jobs", "2"), min(2, count_cores())), (("--cluster", "1"), 1)


@pytest.fixture(params=[JOBS])
def stalled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A command whose workers are busy, with a process group of its own as a shell would give it."""
    place, n_workers = request.param
    if place[0] == "--cluster":
        pytest.importorskip("distributed")
    (tmp_path / "stalling.py").write_text(MODEL)
    data = write_small_data(tmp_path)
    command = [sys.executable, "-c", "from unseen.cli import app; app()", "fit", str(data), "-m", "stalling:Stalling"]
    command += ["--grid", "gamma=1,10", *place, "--out", "m.unseen"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("begun-*"))) < n_workers:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    workers = psutil.Process(process.pid).children(recursive=True)
    yield process, workers
    process.kill()
    for worker in workers:
        if worker.is_running():
            worker.kill()
    process.communicate()
    assert not (tmp_path / "m.unseen").exists()


@pytest.mark.parametrize("stalled", [JOBS, CLUSTER], indirect=True, ids=["processes", "cluster"])
@pytest.mark.parametrize(("stop", "number"), [(os.killpg, signal.SIGINT), (os.kill, signal.SIGTERM)])
def test_says_how_to_go_on(stop: Callable[[int, int], None], number: int, stalled: Any) -> None:
    """Ctrl-C reaches the workers too, a request to terminate the command only."""
    process, workers = stalled
    stop(process.pid, number)
    out, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert len(said.splitlines()) == 1, said
    assert said.startswith("Stopped. m.unseen is written whole or not at all; begin again with: unseen fit ")
    assert not out
    _, alive = psutil.wait_procs(workers, timeout=20)
    assert not alive


def test_workers_end_after_the_command_is_killed(stalled: Any) -> None:
    process, workers = stalled
    process.kill()
    process.wait()
    killed = time.monotonic()
    _, alive = psutil.wait_procs(workers, timeout=20)
    assert not alive
    print(f"workers ended {time.monotonic() - killed:.1f} s after the command was killed")
