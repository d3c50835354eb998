"""`unseen sweep` killed at random moments: in the end its results are those of a run that was left alone."""

import os
import random
import shutil
import signal
import time

import pytest
from killing import KILLS, ROW
from sweeping import start_sweep, write_data


@pytest.mark.chaos
def test_killed_at_random_moments(data, tmp_path):
    psutil = pytest.importorskip("psutil")
    write_data(tmp_path / "small.npz", data)
    whole, out = tmp_path / "whole", tmp_path / "out"

    def start(place, jobs):
        return start_sweep(tmp_path / "small.npz", "--grid=-2:2:2", "--jobs", jobs, "--out", place)

    run = start(whole, 1)
    _, said = run.communicate()
    assert run.returncode == 0, said
    seconds = time_of(said)
    choice = random.Random(os.environ.get("UNSEEN_SEED", "0"))
    killed = finished = 0
    while killed < KILLS:
        if killed % ROW == 0:
            shutil.rmtree(out, ignore_errors=True)
        run = start(out, choice.choice([1, 1, 2]))
        while run.poll() is None and not out.exists():
            time.sleep(0.001)
        time.sleep(choice.random() ** 2 * seconds)
        workers = psutil.Process(run.pid).children(recursive=True)
        run.kill()
        for worker in workers:
            worker.kill()
        _, said = run.communicate()
        assert run.returncode in (0, -signal.SIGKILL), said
        killed += run.returncode != 0
        finished += run.returncode == 0
        if run.returncode and killed % ROW and killed < KILLS:
            continue
        run = start(out, 1)
        _, said = run.communicate()
        assert run.returncode == 0, said
        for path in whole.iterdir():
            if path.name != "sweep.sqlite":
                assert (out / path.name).read_bytes() == path.read_bytes(), path.name
        assert sorted(os.listdir(out)) == sorted(os.listdir(whole))
    print(f"{killed} kills of a sweep ({finished} came too late); all results equal")


def time_of(said):
    """Read from what the command says how long it solved."""
    return float(said.split(" solved now in ")[1].split(" s;")[0])
