"""Settings, random weights and commands that the tests of the sweep share."""

import subprocess
import sys

import numpy as np

from unseen.similarity import Omega
from unseen.utils.arrays import convert_like

SETTINGS = np.array(
    [
        [1000.0, 10.0, 0.1, 1.0, 1.0],
        [100.0, 100.0, 10.0, 1.0, 0.1],
        [1.0, 1.0, 0.1, 0.1, 1.0],
        [100.0, 0.01, 10.0, 1e-4, 1.0],
        [0.01, 1e-5, 1e-5, 1e-5, 1.0],
        [1.0, 10.0, 1e3, 1e2, 1.0],
        [0.1, 1e3, 0.01, 1e-3, 10.0],
    ]
)
NO_SPREAD = np.zeros(3)


def random_weights(objective, share, seed=0):
    """Random weights for all settings, at a share of the radius of the positive-definite set."""
    W = np.random.default_rng(seed).normal(size=(len(SETTINGS), *objective.shape))
    W *= (share * Omega.from_rows(SETTINGS).limit / np.linalg.norm(W, 2, axis=(1, 2)))[:, None, None]
    return as_arrays_of(objective, W)


def as_arrays_of(objective, array):
    """The array in the library and on the device of the objective."""
    return convert_like(array, objective.data.train.psi)


def start_sweep(*arguments):
    """Start the command in a process of its own."""
    command = [sys.executable, "-c", "from unseen.cli import app; app()", "sweep", *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def write_data(path, data):
    """Write a data set for the command to read."""
    np.savez(
        path, X=data.X, y=data.classes.index_of(data.y), classes=data.classes.labels, attributes=data.classes.vectors,
        trainval_loc=data.train, test_seen_loc=data.test_seen, test_unseen_loc=data.test_unseen,
    )  # fmt: skip
