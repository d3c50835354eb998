"""Rows to learn from: those of the seen classes, or all."""

import numpy as np
import pytest

from unseen.data import load_dataset, load_training
from unseen.utils.errors import InputError

SPLITS = ["trainval_loc", "test_seen_loc", "test_unseen_loc", "unseen_standard"]


def test_training_rows_are_those_of_the_split(npz):
    for split in (None, "standard", ["zebra"], "random:1"):
        data, rows = load_dataset(npz(), split), load_training(npz(), split)
        assert np.array_equal(rows.X, data.X_train)
        assert rows.y.tolist() == data.y_train.tolist()
        assert rows.classes == data.classes
        assert rows.name == "animals"


def test_all_rows_where_they_are_asked_for_or_no_split_comes_with_them(npz, animals):
    for rows in (load_training(npz(), "none"), load_training(npz(**dict.fromkeys(SPLITS)))):
        assert np.array_equal(rows.X, animals["X"])
        assert rows.y.tolist() == animals["classes"][animals["y"]].tolist()


def test_datasets_that_need_no_file():
    data = load_dataset("synthetic", n_seen=3, n_unseen=2)
    assert len(load_training("synthetic", n_seen=3, n_unseen=2).X) == len(data.train)
    assert len(load_training("synthetic", "none", n_seen=3, n_unseen=2).X) == len(data.X)


def test_options_of_the_split(npz):
    rows = load_training(npz(), "random:0", n_unseen=2, seen_fraction=0.4)
    data = load_dataset(npz(), "random:0", n_unseen=2, seen_fraction=0.4)
    assert np.array_equal(rows.X, data.X_train)
    assert len(rows.X) == 4
    with pytest.raises(InputError, match="'seen_fraction' is an option of a split, but all rows are used for learning"):
        load_training(npz(), "none", seen_fraction=0.4)


def test_bad_rows_get_a_sentence(npz, animals):
    X = animals["X"].copy()
    X[7, 1] = np.nan
    with pytest.raises(InputError, match=r"animals\.npz has nan in row 7, column 1 of its features"):
        load_training(npz(X=X), "none")


def test_there_is_nothing_to_measure_without_unseen_classes(npz):
    with pytest.raises(InputError, match=r"split='none' leaves no class unseen.*load_training"):
        load_dataset(npz(), "none")
