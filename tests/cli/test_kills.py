"""`unseen extract` killed at random moments: what can be loaded is right, and in the end nothing is lost."""

import os
import random
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from picture_files import write_folder, write_onnx

from unseen import load_dataset
from unseen.utils.errors import InputError

KILLS = int(os.environ.get("UNSEEN_KILLS", "3"))
# So many in a row, before the work begins anew.
ROW = 4

# Runs the command line and kills itself: before a certain operation on files below a folder, or some time after the
# first. Each batch takes a while, so that moments of all kinds are met.
PROGRAM = """
import os, signal, sys, threading, time
from unseen.encoders.networks.onnx_file import OnnxImageEncoder as E
out, operation, seconds, *arguments = sys.argv[1:]
count, encode = 0, E.encode

def kill():
    os.kill(os.getpid(), signal.SIGKILL)

def watch(event, details):
    global count
    if event in ("open", "os.mkdir", "os.rename", "os.remove", "shutil.rmtree") and str(details[0]).startswith(out):
        count += 1
        if count == 1 and float(seconds):
            threading.Thread(target=lambda: (time.sleep(float(seconds)), kill()), daemon=True).start()
        if count == int(operation):
            kill()

from unseen.cli import app
E.encode = lambda self, batch: (time.sleep(0.01), encode(self, batch))[1]
sys.addaudithook(watch)
try:
    app(arguments)
finally:
    print(count)
"""


def run_killed(
    command: list[str], out: Path, *, operation: int = 0, seconds: float = 0
) -> "subprocess.CompletedProcess[str]":
    program = [sys.executable, "-c", PROGRAM, str(out), str(operation), str(seconds), *command]
    return subprocess.run(program, capture_output=True, text=True, check=False)


@pytest.mark.chaos
def test_killed_at_random_moments(tmp_path: Path) -> None:
    birds, network = write_folder(tmp_path / "birds", per_class=3), write_onnx(tmp_path / "tiny.onnx")
    half, whole, out = (tmp_path / name for name in ("half", "whole", "out"))

    def extract_to(place: Path) -> list[str]:
        return ["extract", str(birds), "--encoder", str(network), "--batch", "2", "--out", str(place)]

    assert run_killed(extract_to(half), half).returncode == 0
    write_folder(birds, per_class=8)
    shutil.copytree(half, whole)
    done = run_killed(extract_to(whole), whole)
    assert done.returncode == 0, done.stderr
    operations = int(done.stdout)
    before, after = (np.array(load_dataset(place).X) for place in (half, whole))

    choice = random.Random(os.environ.get("UNSEEN_SEED", "0"))
    killed = tried = loaded = 0
    while killed < KILLS:
        if killed % ROW == 0:
            shutil.rmtree(out, ignore_errors=True)
            shutil.copytree(half, out)
        moments = ({"operation": choice.randint(1, operations)}, {"seconds": choice.random() / 2})
        moment = choice.choice(moments)
        done = run_killed(extract_to(out), out, **moment)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        killed += done.returncode != 0
        tried += 1
        with suppress(InputError):
            found = load_dataset(out).X
            loaded += 1
            assert np.array_equal(found, before) or np.array_equal(found, after)
        if done.returncode and killed % ROW and killed < KILLS:
            continue
        done = run_killed(extract_to(out), out)
        assert done.returncode == 0, done.stderr
        for path in whole.iterdir():
            assert (out / path.name).read_bytes() == path.read_bytes(), path.name
        assert sorted(path.name for path in out.iterdir()) == sorted(path.name for path in whole.iterdir())
    print(f"{killed} kills among {operations} operations; afterwards {loaded} of {tried} folders could be loaded")
