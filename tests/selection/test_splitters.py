import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_score

from unseen.selection import ClassKFold, HoldOutClasses
from unseen.utils.errors import InputError

SPLITTERS = [
    HoldOutClasses(random_state=0),
    HoldOutClasses(3, random_state=0),
    ClassKFold(2),
    ClassKFold(shuffle=False),
]


@given(st.sampled_from(SPLITTERS), st.lists(st.integers(0, 30), min_size=10).filter(lambda y: len(set(y)) >= 10))
def test_no_class_is_on_both_sides(splitter, y):
    y = np.array(y)
    splits = list(splitter.split(y[:, None], y))
    assert len(splits) == splitter.get_n_splits(y, y)
    for train, test in splits:
        np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(len(y)))
        assert not set(y[train]) & set(y[test])
        assert len(set(y[test])) >= 2


@given(st.integers(2, 6), st.integers(12, 40), st.booleans())
def test_each_class_is_held_out_by_one_fold(n_splits, n_classes, shuffle):
    y = np.repeat(np.arange(n_classes), 2)
    held_out = [np.unique(y[test]) for _, test in ClassKFold(n_splits, shuffle=shuffle).split(y, y)]
    np.testing.assert_array_equal(np.sort(np.concatenate(held_out)), np.arange(n_classes))
    sizes = [len(fold) for fold in held_out]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("held_out", "n_classes", "count"), [(0.2, 20, 4), (0.2, 5, 2), (3, 20, 3), (np.int64(2), 4, 2)]
)
def test_how_many_classes_are_held_out(held_out, n_classes, count):
    y = np.arange(n_classes)
    assert [len(test) for _, test in HoldOutClasses(held_out, n_splits=4).split(y, y)] == [count] * 4


@pytest.mark.parametrize("splitter", [*SPLITTERS[:2], ClassKFold(2, random_state=5)])
def test_a_seed_gives_the_same_splits(splitter):
    y = [f"class {at}" for at in range(12)]
    once, again = ([test.tolist() for _, test in splitter.split(y, y)] for _ in range(2))
    assert once == again


def test_random_classes_differ_between_splits():
    y = np.arange(50)
    drawn = {tuple(test) for _, test in HoldOutClasses.as_in_paper(10, random_state=0).split(y, y)}
    assert len(drawn) == 10
    assert all(len(test) == 2 for test in drawn)


def test_works_as_cv_of_scikit_learn():
    y = np.repeat(np.arange(10), 3)
    scores = cross_val_score(DummyClassifier(), y[:, None], y, cv=ClassKFold(5, random_state=0))
    assert scores.tolist() == [0] * 5


def test_describes_itself():
    assert repr(HoldOutClasses(2, n_splits=5)) == "HoldOutClasses(held_out=2, n_splits=5, random_state=None)"


@pytest.mark.parametrize(
    ("splitter", "n_classes", "sentence"),
    [
        (HoldOutClasses(1), 9, "held_out must be a whole number of at least 2, got 1"),
        (HoldOutClasses(1.5), 9, "held_out=1.5 is not a share of the classes"),
        (HoldOutClasses(8), 9, "held_out=8 takes 8 of the 9 classes in y: leave at least 2"),
        (HoldOutClasses(0.5), 3, "held_out=0.5 takes 2 of the 3 classes"),
        (HoldOutClasses(n_splits=0), 9, "n_splits must be a whole number of at least 1"),
        (HoldOutClasses(random_state="x"), 9, "random_state must be"),
        (ClassKFold(1), 9, "n_splits must be a whole number of at least 2"),
        (ClassKFold(5), 9, "n_splits=5 leaves folds of fewer than 2 of the 9 classes"),
    ],
)
def test_bad_input_gets_a_sentence(splitter, n_classes, sentence):
    y = np.arange(n_classes)
    with pytest.raises(InputError, match=sentence):
        list(splitter.split(y, y))


def test_labels_are_needed():
    with pytest.raises(InputError, match="y is None, but the split is by class"):
        list(HoldOutClasses().split(np.eye(4)))
