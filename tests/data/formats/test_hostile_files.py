"""Files that somebody damaged, or made to read other files or to keep the reader busy: one sentence each."""

import sys
from pathlib import Path

import numpy as np
import pytest

from unseen.data import ClassTable, load_rows
from unseen.data.formats import trial_reading
from unseen.data.formats.mat import read_mat
from unseen.data.formats.trial_reading import check_by_trial
from unseen.utils.errors import InputError

h5py = pytest.importorskip("h5py")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that a hostile one would like to have read."""
    path = tmp_path / "secret.bin"
    np.ones((4, 3)).tofile(path)
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["X"] = np.ones((4, 3))
    return path


def test_external_storage_is_not_read(tmp_path: Path, secret: Path) -> None:
    with h5py.File(tmp_path / "d.h5", "w") as file:
        file.create_dataset("X", (4, 3), "f8", external=[(str(secret), 0, 96)])
    with pytest.raises(InputError, match="the numbers of /X lie in other files"):
        load_rows(tmp_path / "d.h5")


def test_virtual_datasets_are_not_read(tmp_path: Path, secret: Path) -> None:
    layout = h5py.VirtualLayout((4, 3), "f8")
    layout[:] = h5py.VirtualSource(str(secret.with_suffix(".h5")), "X", (4, 3))
    with h5py.File(tmp_path / "d.h5", "w") as file:
        file.create_virtual_dataset("X", layout)
    with pytest.raises(InputError, match="the numbers of /X lie in other files"):
        load_rows(tmp_path / "d.h5")


@pytest.mark.parametrize("link", [h5py.ExternalLink("secret.h5", "/X"), h5py.SoftLink("/Y")], ids=["external", "soft"])
def test_links_are_not_followed(tmp_path: Path, secret: Path, link: object) -> None:
    with h5py.File(tmp_path / "d.h5", "w") as file:
        file["X"] = link
        file["Y"] = np.ones(3)
    with pytest.raises(InputError, match="has no array 'X'"):
        load_rows(tmp_path / "d.h5", "X")
    with pytest.raises(InputError, match="X is a link to another place"):
        read_mat(tmp_path / "d.h5", ["X"])


def test_a_reader_that_crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    with pytest.raises(InputError, match=r"damaged .its reader ended by signal 11.: make or fetch it again"):
        check_by_trial(tmp_path / "child.py")


def test_a_reader_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, tmp_path, "import time; time.sleep(60)")
    monkeypatch.setattr(trial_reading, "SECONDS", 1)
    with pytest.raises(InputError, match="reading it takes more than 1 s"):
        check_by_trial(tmp_path / "child.py")


PAIRS = np.array([(1, "a"), (2, "b")], dtype=[("f", object), ("g", object)])
# Found by fuzzing SciPy 1.17: the variable, and the byte that is changed in its file of version 5.
CRASHES = {
    "a kind of number that does not exist": (np.arange(6.0).reshape(2, 3), 176, 194),
    "a cell array that claims to be of numbers": (np.array(["a", "bcd"], dtype=object), 144, 9),
}
HANGS = {"15 million structures of which two are there": (PAIRS, 162, 228)}


def write_damaged_mat(path: Path, value: object, at: int, byte: int) -> None:
    from scipy.io import savemat

    savemat(path, {"v": value, "good": np.ones(3)})
    assert read_mat(path, ["good"])["good"].size
    content = bytearray(path.read_bytes())
    content[at] = byte
    path.write_bytes(content)


@pytest.mark.parametrize("damage", CRASHES.values(), ids=CRASHES)
def test_a_file_that_crashes_scipy(tmp_path: Path, damage: tuple[object, int, int]) -> None:
    """Read in this process, it would end the tests."""
    write_damaged_mat(tmp_path / "d.mat", *damage)
    with pytest.raises(InputError, match=r"d.mat is truncated or damaged"):
        read_mat(tmp_path / "d.mat", ["v"])


def test_arrays_are_those_that_scipy_reads(tmp_path: Path) -> None:
    from scipy.io import loadmat, savemat
    from scipy.sparse import csc_array

    large = np.random.default_rng(0).normal(size=(300, 400))
    values = {"large": large, "whole": np.arange(6, dtype=np.int16).reshape(2, 3), "one": 7.0, "none": np.ones((0, 3))}
    cells = np.array(["zebra", "Löwe"], dtype=object)
    savemat(tmp_path / "d.mat", values | {"cells": cells, "sparse": csc_array(np.eye(3)), "other": large})
    found = read_mat(tmp_path / "d.mat", [*values, "cells", "sparse"], ["nowhere"])
    assert list(found) == [*values, "cells", "sparse"]
    expected = loadmat(tmp_path / "d.mat")
    for name in values:
        np.testing.assert_array_equal(found[name], expected[name], strict=True)
    assert found["cells"].ravel().tolist() == cells.tolist()
    np.testing.assert_array_equal(found["sparse"], np.eye(3))


def test_a_structure_is_not_an_array(tmp_path: Path) -> None:
    from scipy.io import savemat

    savemat(tmp_path / "d.mat", {"v": PAIRS})
    with pytest.raises(InputError, match="v is a structure, not an array"):
        read_mat(tmp_path / "d.mat", ["v"])


@pytest.mark.parametrize("damage", HANGS.values(), ids=HANGS)
def test_a_file_that_keeps_scipy_busy(
    tmp_path: Path, damage: tuple[object, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_damaged_mat(tmp_path / "d.mat", *damage)
    monkeypatch.setattr(trial_reading, "SECONDS", 1)
    with pytest.raises(InputError, match=r"d.mat is (truncated or )?damaged"):
        read_mat(tmp_path / "d.mat", ["v"])


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of memory")
def test_a_reader_that_wants_all_memory(tmp_path: Path) -> None:
    """A few kilobytes that claim to hold 80 GB."""
    with h5py.File(tmp_path / "d.h5", "w") as file:
        file.create_dataset("X", (10**5, 10**5), "f8", chunks=(1000, 1000), compression="gzip")
    with pytest.raises(InputError, match="damaged"):
        load_rows(tmp_path / "d.h5")


def pretend(monkeypatch: pytest.MonkeyPatch, folder: Path, code: str) -> None:
    """Put a reader that behaves like this in the place of the real one."""
    (folder / "child.py").write_text(code)
    monkeypatch.setattr(trial_reading, "_CHILD", folder / "child.py")


@pytest.mark.parametrize(
    ("name", "delimiter", "sentence"),
    [
        ("nowhere.csv", ",", "No such file or directory.: give the path of a CSV file"),
        (".", ",", "Is a directory.: give the path of a CSV file"),
        ("t.csv", ";;", "delimiter=';;' is not a single character"),
        ("t.csv", "", "delimiter='' is not a single character"),
        ("t.csv", 3, "delimiter=3 is not a single character"),
    ],
)
def test_class_tables_that_cannot_be_opened(tmp_path: Path, name: str, delimiter: str, sentence: str) -> None:
    (tmp_path / "t.csv").write_text("label,a\nzebra,1\n")
    with pytest.raises(InputError, match=sentence):
        ClassTable.from_csv(tmp_path / name, delimiter=delimiter)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and so on", b"\x93NUMPY\x01\x00", b"\x89HDF\r\n\x1a\n\0\0"])
def test_damaged_files(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "d.bin").write_bytes(content)
    with pytest.raises(InputError, match=r"empty|truncated|damaged"):
        load_rows(tmp_path / "d.bin")
