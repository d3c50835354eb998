"""The places a sweep runs in: all give the same, and a lost worker costs nothing."""

import os
import signal
from contextlib import nullcontext
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np
import pytest
from sweeping import NO_SPREAD, SETTINGS

from unseen.learning import Smooth, SoftMaximum
from unseen.sweep import DaskCluster, Processes, sweep
from unseen.sweep.blocks import BlockSolver
from unseen.sweep.solver import Task
from unseen.utils.errors import InputError

GRID = (0.01, 1.0, 100.0)


@pytest.fixture(scope="module")
def here(data, tmp_path_factory):
    """The bytes of the results of an undisturbed sweep in one process."""
    folder = tmp_path_factory.mktemp("here")
    sweep(data, folder, grid=GRID, max_iter=20)
    return (folder / "results.csv").read_bytes()


def kill_one(is_worker):
    """Return what to be told of progress, and the list of the one process that it kills once blocks are stored."""
    killed = []

    def watch(progress):
        if "distinct problems" in progress.doing and progress.done and not killed:
            import psutil

            children = psutil.Process().children(recursive=True)
            workers = [process for process in children if is_worker in " ".join(process.cmdline())]
            killed.append(workers[-1].pid)
            os.kill(workers[-1].pid, signal.SIGKILL)

    return watch, killed


def test_processes_give_the_same_bytes_even_if_one_dies(data, here, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr("unseen.utils.workers.count_cores", lambda: 2)
    watch, killed = kill_one("LokyProcess")
    sweep(data, tmp_path, grid=GRID, max_iter=20, executor=Processes(2), on_progress=watch)
    assert killed
    assert "A worker process died; its settings are tried again" in capfd.readouterr().err
    assert (tmp_path / "results.csv").read_bytes() == here


def test_dask_gives_the_same_bytes_even_if_a_worker_dies(data, here, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("unseen.utils.workers.count_cores", lambda: 2)
    watch, killed = kill_one("spawn_main")
    sweep(data, tmp_path, grid=GRID, max_iter=20, executor=DaskCluster(workers=2), on_progress=watch)
    assert killed
    assert (tmp_path / "results.csv").read_bytes() == here


def test_torch_gives_the_same_but_for_rounding(data, tmp_path):
    short = {"grid": (1.0, 100.0)}
    here, there = sweep(data, tmp_path / "here", **short), sweep(data, tmp_path / "there", **short, device="cpu")
    # A free W that creeps along a pole of H settles in the one and not in the other.
    done = here.columns["converged"] & there.columns["converged"]
    assert done.mean() > 0.9
    for column, tolerance in (("objective", 1e-2), ("per_image_accuracy", 0.04)):
        np.testing.assert_allclose(there.columns[column][done], here.columns[column][done], atol=0, rtol=tolerance)


@pytest.mark.parametrize("jobs", [2, 100_000])
def test_no_more_processes_than_blocks_or_cores(jobs, monkeypatch):
    import joblib

    asked = []
    monkeypatch.setattr("unseen.utils.workers.count_cores", lambda: 3)
    monkeypatch.setattr(joblib, "parallel_config", lambda **options: asked.append(options["n_jobs"]) or nullcontext())
    monkeypatch.setattr(joblib, "Parallel", lambda **_: lambda calls: (call for call in ()))
    blocks = [[Task(at, SETTINGS[0], NO_SPREAD)] for at in range(5)]
    assert not list(Processes(jobs).run(BlockSolver(None, SoftMaximum(0.1), Smooth()), blocks))
    assert asked == [min(jobs, 3)]


@pytest.mark.parametrize("mps", [True, False])
def test_processes_that_would_block_each_other_on_a_gpu_are_told(mps, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path))
    if mps:
        (tmp_path / "control").touch()
    assert not list(Processes(2).run(BlockSolver(None, SoftMaximum(0.1), Smooth(), device="cuda"), []))
    assert ("unless NVIDIA's MPS runs" in capsys.readouterr().err) != mps


@pytest.mark.parametrize("dashboard", [False, True])
def test_local_dask_workers_listen_to_this_machine_only(dashboard, capsys):
    pytest.importorskip("distributed")
    import psutil

    with DaskCluster(workers=1, dashboard=dashboard).connect() as client:
        client.wait_for_workers(1)
        processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
        heard = {c.laddr.ip for p in processes for c in p.net_connections("tcp") if c.status == psutil.CONN_LISTEN}
        page = nullcontext() if dashboard else pytest.raises(HTTPError, match="Not Found")
        with page:
            urlopen(client.dashboard_link).close()
    assert heard == {"127.0.0.1"}
    assert ("The workers are shown at http://127.0.0.1" in capsys.readouterr().err) == dashboard


def test_an_unreachable_scheduler_is_a_sentence(data, tmp_path):
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match=r"scheduler='tcp://127\.0\.0\.1:1' does not answer"):
        sweep(data, tmp_path, grid=(1.0,), executor=DaskCluster(scheduler="tcp://127.0.0.1:1", timeout=1))
