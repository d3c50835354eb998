"""Blocks of problems: always the same ones, and always the same numbers."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from unseen.learning import Smooth, SoftMaximum
from unseen.sweep.blocks import CORE_BLOCK, BlockSolver
from unseen.sweep.data import make_split
from unseen.sweep.problems import find_distinct_problems
from unseen.sweep.settings import make_settings
from unseen.sweep.solver import make_tasks

PROBLEMS = find_distinct_problems(make_settings((0.01, 1.0, 100.0), (1.0,)))


@pytest.fixture(scope="module")
def solver(data):
    return BlockSolver(make_split(data).scale(), SoftMaximum(0.1), Smooth(max_iter=20))


def test_every_problem_is_in_one_block(solver):
    blocks = solver.cut(make_tasks(PROBLEMS, range(len(PROBLEMS))))
    assert sorted(task.problem for block in blocks for task in block) == list(range(len(PROBLEMS)))
    assert {len(block) for block in blocks[:-1]} == {CORE_BLOCK}


def laid_out_otherwise(array):
    """The same array in memory that is neither aligned nor in rows, as Dask and pickle may hand it on."""
    memory = np.empty(array.nbytes + 1, dtype=np.uint8)[1:]
    other = memory.view(array.dtype).reshape(array.shape[::-1]).T
    other[...] = array
    return other


def test_outcomes_do_not_depend_on_the_layout_in_memory(solver):
    block = solver.cut(make_tasks(PROBLEMS, range(len(PROBLEMS))))[0]
    solver = solver.with_warm_starts(PROBLEMS)
    moved = replace(
        solver, data=solver.data.map(laid_out_otherwise), warm_starts=solver.warm_starts.map(laid_out_otherwise)
    )
    assert moved.solve(block) == solver.solve(block)


PROGRAM = """
import hashlib, tempfile, sys
from pathlib import Path
from unseen import load_dataset
from unseen.sweep import sweep
with tempfile.TemporaryDirectory() as folder:
    sweep(load_dataset("digit-pairs"), folder, grid=(1.0, 100.0), max_iter=5, dimensions=20)
    print(hashlib.sha256(Path(folder, "results.csv").read_bytes()).hexdigest())
"""


def test_outcomes_do_not_depend_on_the_threads_of_the_machine():
    found = set()
    for threads in ("1", "2"):
        environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), threads)
        run = [sys.executable, "-c", PROGRAM]
        found.add(subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(found) == 1
