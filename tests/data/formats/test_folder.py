import numpy as np
import pytest

from unseen.data import load_dataset
from unseen.utils.errors import InputError


def test_folder(folder, animals):
    data = load_dataset(folder.path)
    assert isinstance(data.X, np.memmap)
    assert np.array_equal(data.X, animals["X"])
    assert data.y.tolist() == folder.labels.tolist()
    assert data.unseen_classes.tolist() == ["okapi", "lion"]
    assert data.classes.attributes == ("stripes", "legs")
    assert data.name == "mine"
    assert load_dataset(folder.path, split=["zebra"]).unseen_classes.tolist() == ["zebra"]


def test_test_rows_of_seen_classes(folder):
    (folder.path / "test_seen.txt").write_text("2\n8\n")
    data = load_dataset(folder.path)
    assert data.test_seen.tolist() == [2, 8]
    assert data.train.tolist() == [0, 1, 6, 7]
    assert data.test_unseen.tolist() == [3, 4, 5, 9, 10, 11]


def test_table_of_features(folder, animals):
    (folder.path / "features.npy").unlink()
    (folder.path / "labels.txt").unlink()
    rows = [f"{name},{a},{b}" for name, (a, b) in zip(folder.labels, animals["X"], strict=True)]
    (folder.path / "features.csv").write_text("\n".join(["class,f1,f2", *rows]))
    data = load_dataset(folder.path)
    assert np.array_equal(data.X, animals["X"])
    assert data.unseen_classes.tolist() == ["okapi", "lion"]


def test_features_of_another_name(folder, animals):
    np.save(folder.path / "clip.npy", animals["X"] * 2)
    assert np.array_equal(load_dataset(folder.path, features="clip.npy").X, animals["X"] * 2)


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("unseen.txt", "lynx\n", "split names classes .* 'lynx'"),
        ("unseen.txt", "\n", r"unseen\.txt is empty"),
        ("labels.txt", "zebra\n", r"labels\.txt has 1 labels for 12 rows"),
        ("labels.txt", "zebar\n" * 12, r"labels names classes .* 'zebar'"),
        ("labels.txt", None, r"has no labels\.txt: write the class of each row of features\.npy"),
        ("features.npy", None, r"has no features\.npy or features\.csv .*pictures must be turned into features"),
        ("features.npy", "nonsense", r"features\.npy is truncated, damaged or pickled"),
        ("test_seen.txt", "2\n-8\n", r"test_seen\.txt has '-8': write row numbers from 0 to 11"),
        ("test_seen.txt", "3\n", "test_seen and test_unseen share the rows 3"),
        ("classes.csv", "class,a\nzebra\n", r"classes\.csv, line 2 has 1 cells"),
        ("features.csv", "class,a\nzebra,1\n", "keep the labels in one place"),
    ],
)
def test_bad_folders_get_a_sentence(folder, file, text, sentence):
    if file == "features.csv":
        (folder.path / "features.npy").unlink()
    if text is None:
        (folder.path / file).unlink()
    else:
        (folder.path / file).write_text(text)
    with pytest.raises(InputError, match=sentence):
        load_dataset(folder.path)


def test_rows_without_unseen_classes_get_a_sentence(folder):
    (folder.path / "unseen.txt").unlink()
    (folder.path / "test_seen.txt").write_text("2\n")
    with pytest.raises(InputError, match=r"has test_seen\.txt but no unseen\.txt"):
        load_dataset(folder.path)


def test_pictures_get_a_sentence(shared_data):
    with pytest.raises(InputError, match=r"only 'classes.csv', 'images', 'unseen.txt': .*pictures must be turned"):
        load_dataset(shared_data / "cub_images")
