"""Every reader is given real files with bytes changed, cut and inserted: it reads them or answers with a sentence.

`make test` tries a few files of each kind, `make fuzz` (UNSEEN_FUZZ=10000) many. No crash, no hang, no exception but
`InputError`. MATLAB and HDF5 files start a process each, so that a twentieth as many are tried.
"""

import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unseen
from unseen.data import ClassTable, load_rows, load_training, make_zero_shot
from unseen.data.formats.extracted import MANIFEST, sign
from unseen.data.formats.mat import read_mat
from unseen.encoders.manifest import read_manifest
from unseen.experiments import shipped_experiments, shipped_tables
from unseen.experiments.catalogue.systems import read_system
from unseen.experiments.paper_tables.table import read_table
from unseen.experiments.spec import read_experiment
from unseen.models import ESZSL
from unseen.utils.errors import InputError

CASES = int(os.environ.get("UNSEEN_FUZZ", "40"))
# However busy the machine is, a small file takes no longer.
DEADLINE = 30.0

DATA = make_zero_shot(n_seen=4, n_unseen=2, n_features=3, n_attributes=3, n_per_class=3, random_state=0)
ARRAYS = {
    "X": DATA.X,
    "y": DATA.y,
    "classes": np.array(list(DATA.classes)),
    "attributes": DATA.classes.vectors,
}


MATRICES = {"att": DATA.classes.vectors.T, "names": np.array(["a", "b"], dtype=object)}


def write_hdf5(path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        for name, array in ARRAYS.items():
            file[name] = array.astype("S") if array.dtype.kind == "U" else array
        file.create_dataset("packed", data=DATA.X, compression="gzip")


def write_mat(path: Path) -> None:
    from scipy.io import savemat

    savemat(path, MATRICES, do_compression=True)


def write_plain_mat(path: Path) -> None:
    """Write what is damaged in its numbers and names, not in its compression."""
    from scipy.io import savemat

    savemat(path, MATRICES | {"s": {"x": 1.0, "y": "text"}})


def write_table(path: Path) -> None:
    rows = [",".join([label, *map(str, row)]) for label, row in zip(DATA.y, DATA.X.tolist(), strict=True)]
    path.write_text("\n".join(["label,a,b,c", *rows]))


def write_experiment(path: Path) -> None:
    path.write_bytes(shipped_experiments()["cub-splits-jfa"].read_bytes())


def write_system(path: Path) -> None:
    path.write_bytes(shipped_experiments()["cub-proposed-jfa"].read_bytes())


def write_manifest(path: Path) -> None:
    encoder = {"name": "e", "fingerprint": "f", "width": 3, "weights": None, "whole": False}
    found = {"pictures": {"a.jpg": "0"}, "unreadable": {}, "files": {}}
    path.write_text(sign({"folder": "f", "root": "r", "encoder": encoder} | found))


# The name of the file, who writes a good one, who reads it, and how many times fewer cases are tried.
Reader = tuple[str, Callable[[Path], Any], Callable[[Path], Any], int]
READERS: dict[str, Reader] = {
    "class table": ("t.csv", DATA.classes.to_csv, ClassTable.from_csv, 1),
    "feature table": ("f.csv", write_table, lambda path: load_training(path, "none", classes=DATA.classes), 1),
    "feature rows": ("f.csv", write_table, load_rows, 1),
    "npz": ("d.npz", lambda path: np.savez(path, **ARRAYS), lambda path: load_training(path, "none"), 1),
    "packed npz": (
        "d.npz",
        lambda path: np.savez_compressed(path, **ARRAYS),
        lambda path: load_training(path, "none"),
        1,
    ),
    "npy": ("X.npy", lambda path: np.save(path, DATA.X), load_rows, 1),
    "HDF5": ("d.h5", write_hdf5, lambda path: load_training(path, "none"), 20),
    "packed HDF5": ("d.h5", write_hdf5, lambda path: load_rows(path, "packed"), 20),
    "MATLAB": ("d.mat", write_plain_mat, lambda path: read_mat(path, ["att"], ["names"]), 20),
    "packed MATLAB": ("d.mat", write_mat, lambda path: read_mat(path, ["att"], ["names"]), 20),
    "experiment": ("e.yaml", write_experiment, lambda path: read_experiment(path, "mine"), 1),
    "system": ("s.yaml", write_system, lambda path: read_system(path, "mine"), 1),
    "table": (
        "p.yaml",
        lambda path: path.write_bytes(shipped_tables()["paper-table-2"].read_bytes()),
        lambda path: read_table(path, "mine"),
        1,
    ),
    "manifest": (MANIFEST, write_manifest, lambda path: read_manifest(path.parent), 1),
    "model": (
        "m.unseen",
        lambda path: unseen.save(ESZSL().fit(DATA.X_train, DATA.y_train, classes=DATA.classes), path),
        unseen.load,
        1,
    ),
}


@cache
def good_file(kind: str) -> bytes:
    name, write, read, _ = READERS[kind]
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        read(path)  # what is damaged below has to be good before
        return path.read_bytes()


PLACE = st.floats(0, 1, exclude_max=True)
# What is done at which place of the file, and with which bytes.
DAMAGE = st.tuples(
    st.sampled_from(["flip", "cut", "insert", "repeat", "zero"]), PLACE, st.binary(min_size=1, max_size=8)
)


def damaged(content: bytes, damages: list[tuple[str, float, bytes]]) -> bytes:
    for how, place, extra in damages:
        at = int(place * len(content))
        rest = content[at + len(extra) :]
        content = {
            "flip": content[:at] + bytes(a ^ b for a, b in zip(content[at:], extra, strict=False)) + rest,
            "cut": content[:at] if extra[0] % 2 else content[:at] + rest,
            "insert": content[:at] + extra + content[at:],
            "repeat": content[:at] + content[at : at + 8 * extra[0]] * (1 + extra[-1] % 8) + content[at:],
            "zero": content[:at] + bytes(len(extra)) + rest,
        }[how]
    return content


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", READERS)
def test_damaged_files_are_read_or_refused(kind: str) -> None:
    name, _, read, fewer = READERS[kind]

    @settings(
        max_examples=max(3, CASES // fewer), deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.lists(DAMAGE, min_size=1, max_size=4))
    def try_one(damages: list[tuple[str, float, bytes]]) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(damaged(good_file(kind), damages))
            begun = time.monotonic()
            try:
                read(path)
            except InputError as error:
                assert str(error)  # noqa: PT017 (any other exception fails the test)
            assert time.monotonic() - begun < DEADLINE

    try_one()
