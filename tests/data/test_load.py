import subprocess
import sys

import numpy as np
import pytest

from unseen.data import DATASETS, load_dataset
from unseen.utils.errors import InputError


@pytest.mark.parametrize("name", DATASETS)
def test_every_dataset_carries_its_name_and_source(name):
    data = load_dataset(name, random_state=0)
    assert data.name == name
    assert data.source


@pytest.mark.parametrize("name", DATASETS)
def test_a_name_stands_for_the_same_data_each_time(name):
    first, second = (load_dataset(name) for _ in range(2))
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.y, second.y)


def test_options_are_passed_on():
    assert len(load_dataset("synthetic", n_seen=3, n_unseen=2).classes) == 5


def test_unknown_name_gets_a_sentence():
    with pytest.raises(
        InputError, match=r"name='digitpairs' .*did you mean 'digit-pairs'\?.*'digit-pairs', 'synthetic'"
    ):
        load_dataset("digitpairs")


def test_unknown_option_gets_a_sentence():
    with pytest.raises(InputError, match=r"'synthetic' has no parameter 'nseen' \(did you mean 'n_seen'\?\)"):
        load_dataset("synthetic", nseen=3)


def test_importing_the_package_is_light():
    names = {"sklearn", "narwhals", "pandas", "polars", "torch", "scipy", "h5py", "pooch", "requests", "pyarrow"}
    heavy = f"import sys, unseen.data; print({names!r} & set(sys.modules))"
    path = f"import sys; sys.path[:] = {sys.path!r}; "
    assert subprocess.run([sys.executable, "-c", path + heavy], capture_output=True, text=True).stdout == "set()\n"


def test_a_path_that_is_not_there_gets_a_sentence(tmp_path):
    with pytest.raises(InputError, match=r"none\.npz' is not known: .*or give the path of a file or folder"):
        load_dataset(tmp_path / "none.npz")


def test_made_datasets_have_no_split_to_choose():
    with pytest.raises(InputError, match="'digit-pairs' has no parameter 'split'"):
        load_dataset("digit-pairs", split="standard")


def test_what_is_no_dataset_is_described(tmp_path):
    with pytest.raises(InputError, match=r"is not a dataset, but a folder with nothing in it. What can be read: "):
        load_dataset(tmp_path)
    (tmp_path / "noise").write_bytes(bytes(range(1, 256)) * 20)
    with pytest.raises(InputError, match="is not a dataset, but a file of an unknown kind"):
        load_dataset(tmp_path / "noise")
    with pytest.raises(InputError, match="is not a dataset, but a folder with 'noise'"):
        load_dataset(tmp_path)


@pytest.mark.parametrize("name", ["", 3, None])
def test_what_is_no_name_gets_a_sentence(name):
    with pytest.raises(InputError, match=rf"name={name!r} is not known"):
        load_dataset(name)
