import copy
import dataclasses
import pickle

import numpy as np
import pytest

from unseen.data import ClassTable, ZeroShotDataset
from unseen.utils import arrays
from unseen.utils.errors import InputError

TABLE = ClassTable.one_hot(["okapi", "zebra", "horse", "lion"])
PARTS = {
    "X": np.arange(12.0).reshape(6, 2),
    "y": ["zebra", "horse", "zebra", "okapi", "horse", "okapi"],
    "classes": TABLE,
    "train": [0, 1],
    "test_seen": [2],
    "test_unseen": [5, 3],
}


def dataset(**changes):
    return ZeroShotDataset(**(PARTS | changes))


def test_parts_of_the_data():
    data = dataset(name="animals", source="the zoo")
    assert data.seen_classes.tolist() == ["zebra", "horse"]
    assert data.unseen_classes.tolist() == ["okapi"]
    assert data.seen_table == TABLE.select(["zebra", "horse"])
    assert data.unseen_table == TABLE.select(["okapi"])
    assert data.X_train.tolist() == [[0, 1], [2, 3]]
    assert data.y_train.tolist() == ["zebra", "horse"]
    assert data.X_test_seen.tolist() == [[4, 5]]
    assert data.y_test_seen.tolist() == ["zebra"]
    assert data.X_test_unseen.tolist() == [[10, 11], [6, 7]]
    assert data.y_test_unseen.tolist() == ["okapi", "okapi"]
    assert data.source == "the zoo"
    assert repr(data) == (
        "<ZeroShotDataset 'animals': 6 examples of 2 features, 2 seen and 1 unseen classes described by 4 attributes; "
        "2 train, 1 test_seen, 2 test_unseen>"
    )


def test_from_parts_is_the_same_dataset_in_another_order():
    data = dataset()
    built = ZeroShotDataset.from_parts(
        TABLE,
        train=(data.X_train, data.y_train),
        test_seen=(data.X_test_seen, data.y_test_seen),
        test_unseen=(data.X_test_unseen, list(data.y_test_unseen)),
    )
    for part in ("X_train", "y_train", "X_test_seen", "y_test_seen", "X_test_unseen", "y_test_unseen"):
        assert np.array_equal(getattr(built, part), getattr(data, part))


def test_test_seen_may_be_empty():
    assert dataset(test_seen=[]).X_test_seen.shape == (0, 2)
    assert (
        ZeroShotDataset.from_parts(
            TABLE, (np.eye(2), ["zebra", "horse"]), None, ([[1, 2]], ["okapi"])
        ).test_seen.tolist()
        == []
    )


def test_features_are_not_copied(tmp_path):
    X = np.memmap(tmp_path / "X", dtype=np.float16, mode="w+", shape=(6, 2))
    data = dataset(X=X)
    assert data.X is X
    assert data.X_train.dtype == np.float16


def test_finite_check_reads_blocks(monkeypatch):
    monkeypatch.setattr(arrays, "BLOCK_BYTES", 16)
    X = PARTS["X"].copy()
    assert dataset(X=X).X is X
    X[4, 1] = -np.inf
    with pytest.raises(InputError, match="X has -inf at row 4, column 1"):
        dataset(X=X)


def test_is_frozen():
    data = dataset()
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        data.train[0] = 3
    with pytest.raises(ValueError, match="read-only"):
        data.y[0] = "lion"


def test_labels_may_be_any_hashable():
    table = ClassTable.one_hot([("a", 1), ("a", 2), ("b", 1)])
    y = [("a", 1), ("a", 2), ("b", 1)]
    data = ZeroShotDataset(np.eye(3), y, table, [0, 1], [], [2])
    assert data.unseen_classes.tolist() == [("b", 1)]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda data: pickle.loads(pickle.dumps(data))])
def test_copies(copied):
    twin = copied(dataset(name="animals"))
    assert repr(twin) == repr(dataset(name="animals"))
    assert np.array_equal(twin.X_train, dataset().X_train)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"X": np.arange(6.0)}, r"X must have two dimensions .* got shape \(6,\)"),
        ({"X": np.full((6, 1), "pixel")}, "X must hold real numbers, got 'pixel' at row 0"),
        ({"X": np.full((6, 1), np.nan, dtype=np.float16)}, "X has nan at row 0, column 0"),
        ({"y": ["zebra"]}, "y has 1 labels for 6 rows of X"),
        ({"y": np.full((6, 1), "zebra")}, r"y must be one-dimensional, got shape \(6, 1\)"),
        ({"y": ["zebra"] * 5 + ["zebar"]}, r"y has labels that .* describe: 'zebar' \(did you mean 'zebra'\?\)"),
        ({"classes": np.eye(3)}, "classes must be a ClassTable, got ndarray"),
        ({"train": [0, 6]}, r"train has row indices outside 0\.\.5: 6; .*subtract 1"),
        ({"train": [0, -1]}, "train has row indices outside .* -1"),
        ({"train": [0, 1, 1]}, "train repeats the row indices 1"),
        ({"train": [0.0, 1.0]}, "train must hold whole row indices, got dtype float64"),
        ({"train": np.ones(6, dtype=bool)}, r"train .* boolean mask: pass np\.flatnonzero\(train\)"),
        ({"train": [[0, 1]]}, r"train must be a one-dimensional array .* shape \(1, 2\)"),
        ({"test_seen": [1, 2]}, "train and test_seen share the rows 1"),
        ({"test_unseen": [0, 3]}, "train and test_unseen share the rows 0"),
        ({"test_seen": [3]}, "test_seen and test_unseen share the rows 3"),
        ({"test_unseen": [3, 4]}, "test_unseen has rows of classes that are in train too: 'horse'"),
        ({"test_unseen": [3], "test_seen": [5]}, "test_seen has rows of classes without training rows: 'okapi'"),
        ({"train": [0, 2], "test_seen": []}, r"train has rows of 1 class\(es\), 'zebra': .* at least two"),
        ({"train": []}, "train has rows of 0 class"),
        ({"test_unseen": []}, "test_unseen is empty"),
    ],
)
def test_bad_dataset_gets_a_sentence(changes, sentence):
    with pytest.raises(InputError, match=sentence):
        dataset(**changes)


@pytest.mark.parametrize(
    ("train", "sentence"),
    [
        ((np.eye(3), ["zebra", "horse", "zebra"]), "different numbers of features, .*'train': 3, 'test_unseen': 2"),
        ((np.eye(2), ["zebra"]), "train has 1 labels for 2 rows"),
        (([1.0, 2.0], ["zebra", "horse"]), "X of train must have two dimensions"),
        ((np.eye(2), "zebra"), "y of train must be a list"),
    ],
)
def test_bad_parts_get_a_sentence(train, sentence):
    with pytest.raises(InputError, match=sentence):
        ZeroShotDataset.from_parts(TABLE, train, None, ([[1, 2]], ["okapi"]))
