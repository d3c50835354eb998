import subprocess
import sys

import pytest

from unseen.data import DATASETS, load_dataset
from unseen.errors import InputError


@pytest.mark.parametrize("name", DATASETS)
def test_every_dataset_carries_its_name_and_source(name):
    data = load_dataset(name, random_state=0)
    assert data.name == name
    assert data.source


def test_options_are_passed_on():
    assert len(load_dataset("synthetic", n_seen=3, n_unseen=2).classes) == 5


def test_unknown_name_gets_a_sentence():
    with pytest.raises(
        InputError, match=r"name='digitpairs' .*did you mean 'digit-pairs'\?.*'digit-pairs', 'synthetic'"
    ):
        load_dataset("digitpairs")


def test_unknown_option_gets_a_sentence():
    with pytest.raises(InputError, match=r"'synthetic' has no option 'nseen' \(did you mean 'n_seen'\?\)"):
        load_dataset("synthetic", nseen=3)


def test_importing_the_package_is_light():
    heavy = "import sys, unseen.data; print({'sklearn', 'narwhals', 'pandas', 'polars', 'torch'} & set(sys.modules))"
    path = f"import sys; sys.path[:] = {sys.path!r}; "
    assert subprocess.run([sys.executable, "-c", path + heavy], capture_output=True, text=True).stdout == "set()\n"
