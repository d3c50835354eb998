"""The places a sweep runs in: all give the same, and a lost worker costs nothing."""

import os
import signal

import numpy as np
import pytest

from unseen.learning import Smooth
from unseen.sweep import DaskCluster, Processes, sweep
from unseen.sweep.executors import BlockSolver
from unseen.utils.errors import InputError

GRID = (0.01, 1.0, 100.0)


@pytest.mark.parametrize("options", [{"executor": Processes(2)}, {"device": "cpu"}], ids=["cores", "torch"])
def test_processes_and_torch_give_the_same(data, tmp_path, options):
    if "device" in options:
        pytest.importorskip("torch")
    short = {"grid": (1.0, 100.0)}
    here = sweep(data, tmp_path / "here", **short)
    other = sweep(data, tmp_path / "other", **short, **options)
    done = here.columns["converged"] & (here.columns["iterations"] < 60)
    for column, tolerance in (("objective", 1e-2), ("per_image_accuracy", 0.04)):
        np.testing.assert_allclose(other.columns[column][done], here.columns[column][done], atol=0, rtol=tolerance)


@pytest.mark.parametrize("mps", [True, False])
def test_processes_that_would_block_each_other_on_a_gpu_are_told(mps, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path))
    if mps:
        (tmp_path / "control").touch()
    assert not list(Processes(2).run(BlockSolver(None, 0.1, Smooth(), device="cuda"), []))
    assert ("unless NVIDIA's MPS runs" in capsys.readouterr().err) != mps


def test_dask_survives_the_loss_of_a_worker(data, tmp_path):
    pytest.importorskip("distributed")
    killed = []

    def kill_one(progress):
        if progress.done and not killed:
            import psutil

            workers = [p for p in psutil.Process().children(recursive=True) if "spawn_main" in " ".join(p.cmdline())]
            killed.append(workers[-1].pid)
            os.kill(workers[-1].pid, signal.SIGKILL)

    there = sweep(
        data, tmp_path / "dask", grid=GRID, executor=DaskCluster(workers=2), on_progress=kill_one, max_iter=20
    )
    here = sweep(data, tmp_path / "here", grid=GRID, max_iter=20)
    assert killed
    easy = here.columns["converged"] & (here.columns["iterations"] < 20)
    np.testing.assert_allclose(there.columns["objective"][easy], here.columns["objective"][easy], rtol=1e-3)


def test_an_unreachable_scheduler_is_a_sentence(data, tmp_path):
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match=r"scheduler='tcp://127\.0\.0\.1:1' does not answer"):
        sweep(data, tmp_path, grid=(1.0,), executor=DaskCluster(scheduler="tcp://127.0.0.1:1", timeout=1))
