"""Commands killed at random moments: what can be loaded is right, and in the end nothing is lost."""

import os
import shutil
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from killing import Ended, start_runner
from picture_files import write_folder, write_onnx
from written_results import make_bench, make_fit, read_files

import unseen
from unseen import load_dataset
from unseen.utils.errors import InputError

pytestmark = [pytest.mark.chaos, pytest.mark.skipif(os.name != "posix", reason="forks")]

# Each batch takes a while, so that moments of all kinds are met.
SLOWLY = """
import time
from unseen.encoders.networks.onnx_file import OnnxImageEncoder as E
encode = E.encode
E.encode = lambda self, batch: (time.sleep(0.01), encode(self, batch))[1]
"""


def test_extract(tmp_path: Path) -> None:
    birds, network = write_folder(tmp_path / "birds", per_class=3), write_onnx(tmp_path / "tiny.onnx")
    half, whole, out = (tmp_path / name for name in ("half", "whole", "out"))
    found = Counter[str]()

    def extract_to(place: Path) -> list[Any]:
        return ["extract", birds, "--encoder", network, "--batch", 2, "--out", place]

    def prepare() -> None:
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(half, out)

    def check_killed() -> None:
        with suppress(InputError):
            X = load_dataset(out).X
            assert np.array_equal(X, before) or np.array_equal(X, after)
            found["loaded"] += 1

    def check_whole(_ended: Ended) -> None:
        assert read_files(out) == read_files(whole)

    with start_runner(tmp_path, SLOWLY) as runner:
        runner.complete(extract_to(half), half)
        write_folder(birds, per_class=8)
        shutil.copytree(half, whole)
        operations = runner.complete(extract_to(whole), whole).operations
        before, after = (np.array(load_dataset(place).X) for place in (half, whole))
        counted = runner.kill_often(
            extract_to(out), out, operations=operations, seconds=0.5,
            prepare=prepare, check_killed=check_killed, check_whole=check_whole,
        )  # fmt: skip
    print(f"{counted}; {found['loaded']} times the folder could be loaded")


def test_fit(tmp_path: Path) -> None:
    """The model file is the old one or the new one to the byte, so its answers are too."""
    command = make_fit(tmp_path)
    path = command.out / "m.unseen"
    found = Counter[str]()

    def check_killed() -> None:
        unseen.load(path)
        content = path.read_bytes()
        assert content in (before["m.unseen"], after["m.unseen"])
        found["new" if content == after["m.unseen"] else "old"] += 1
        found["drafts"] += len(list(command.out.glob(".*")))

    def check_whole(_ended: Ended) -> None:
        assert read_files(command.out) == after

    command.prepare()
    before = read_files(command.out)
    with start_runner(tmp_path) as runner:
        operations = runner.complete(command.arguments, command.out).operations
        after = read_files(command.out)
        assert before.keys() == after.keys() == {"m.unseen"}
        counted = runner.kill_often(
            command.arguments, command.out, operations=operations, seconds=0.02,
            prepare=command.prepare, check_killed=check_killed, check_whole=check_whole,
        )  # fmt: skip
    print(f"{counted}; {dict(found)}")


def test_bench(tmp_path: Path) -> None:
    command = make_bench(tmp_path)

    def check_whole(ended: Ended) -> None:
        assert command.read(command.out, ended.stdout) == whole
        assert [path.name for path in command.out.iterdir()] == ["trials.sqlite"]

    command.prepare()
    with start_runner(tmp_path) as runner:
        left_alone = runner.complete(command.arguments, command.out)
        whole = command.read(command.out, left_alone.stdout)
        counted = runner.kill_often(
            command.arguments, command.out, operations=left_alone.operations, seconds=0.3,
            prepare=command.prepare, check_killed=lambda: None, check_whole=check_whole,
        )  # fmt: skip
    print(f"{counted}; all results equal")
