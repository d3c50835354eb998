import re
import sys

import numpy as np
import pytest

from unseen.data import load_dataset
from unseen.data.formats.mat import read_mat
from unseen.data.formats.xlsa17 import read_splits
from unseen.utils.errors import InputError
from unseen.utils.optional import suggest_install

SIZES = {"APY": 15339, "AWA1": 30475, "AWA2": 37322, "CUB": 11788, "SUN": 14340}


def test_both_versions_of_matlab_files(xlsa17, write_mat, animals):
    data = load_dataset(xlsa17(write_mat))
    assert data.name == "ANIMALS"
    assert data.X.dtype == np.float32
    assert np.array_equal(data.X, animals["X"])
    assert data.y.tolist() == animals["classes"][animals["y"]].tolist()
    assert data.classes.vectors == pytest.approx(animals["attributes"] / 5)
    assert data.train.tolist() == [0, 1, 6, 7]
    assert data.test_unseen.tolist() == [3, 4, 5, 9, 10, 11]


def test_choice_of_features_and_attributes(xlsa17, animals):
    folder = xlsa17(features="clip.mat")
    for data in (load_dataset(folder, features="clip.mat"), load_dataset(folder / "clip.mat")):
        assert np.array_equal(data.X, animals["X"])
    described = load_dataset(folder, features="clip.mat", attributes="original_att").classes
    assert described.vectors == pytest.approx(animals["attributes"])


def test_features_by_rows_are_understood(xlsa17, write_mat, animals):
    folder = xlsa17(write_mat)
    write_mat(folder / "rows.mat", {"features": animals["X"], "labels": animals["y"][:, None] + 1})
    assert np.array_equal(load_dataset(folder, features="rows.mat").X, animals["X"])


def test_features_are_laid_out_by_rows_without_a_copy(xlsa17, write_mat):
    assert load_dataset(xlsa17(write_mat)).X.flags.c_contiguous


def test_classes_without_names_are_numbered(xlsa17):
    data = load_dataset(xlsa17(allclasses_names=None))
    assert data.unseen_classes.tolist() == [2, 4]
    assert load_dataset(xlsa17(allclasses_names=None), split=[1]).unseen_classes.tolist() == [1]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"labels": np.full((12, 1), 5)}, "labels has the class numbers 5, but the 4 described classes .* 1 to 4"),
        ({"labels": np.full((12, 1), 1.5)}, "labels has values that are not whole numbers: number the classes from 1"),
        ({"labels": None}, r"res101\.mat has no variable 'labels', .* it holds 'features'"),
        ({"trainval_loc": None}, r"att_splits\.mat has no variable 'trainval_loc'"),
        ({"test_unseen_loc": np.array([[4], [13]])}, r"names row 13, but res101\.mat has 12 rows: .*same dataset"),
        ({"trainval_loc": np.array([[0], [7]])}, "trainval_loc has the row number 0: the package counts rows from 1"),
        ({"trainval_loc": np.array([[1], [4], [7]])}, "train and test_unseen share the rows 3"),
        ({"labels": np.ones((5, 1))}, r"features has shape \(2, 12\) for 5 labels"),
        ({"att": np.full((2, 4), np.nan)}, "describe each class by finite numbers"),
    ],
)
def test_bad_packages_get_a_sentence(xlsa17, write_mat, changes, sentence):
    with pytest.raises(InputError, match=sentence):
        load_dataset(xlsa17(write_mat, **changes))


def test_unknown_attributes_get_a_sentence(xlsa17):
    with pytest.raises(InputError, match=r"attributes='binary' is not in att_splits.mat: choose 'att', 'original_att'"):
        load_dataset(xlsa17(), attributes="binary")


@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("name", ["res101.mat", "att_splits.mat"])
def test_truncated_files_get_a_sentence(xlsa17, write_mat, kept, name):
    folder = xlsa17(write_mat)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(InputError, match=rf"{name}.*(truncated|not a MATLAB file|no variable)"):
        load_dataset(folder)
    assert (folder / name).read_bytes() == whole[: int(kept * len(whole))]


def test_a_structure_is_no_array(xlsa17):
    from scipy.io import savemat

    folder = xlsa17()
    savemat(folder / "res101.mat", {"features": {"a": 1}, "labels": np.ones((12, 1))})
    with pytest.raises(InputError, match="features is a structure, not an array: give the expected file"):
        load_dataset(folder)


def test_a_file_that_is_not_zero_shot_data_gets_a_sentence(tmp_path, write_mat):
    write_mat(tmp_path / "weather.mat", {"rain": np.eye(3)})
    with pytest.raises(InputError, match=r"weather\.mat is not a dataset, but a MATLAB file with no att_splits\.mat"):
        load_dataset(tmp_path / "weather.mat")


def test_a_missing_file_gets_a_sentence(xlsa17):
    folder = xlsa17()
    (folder / "res101.mat").unlink()
    with pytest.raises(InputError, match=r"res101\.mat does not exist: it should hold 'features', 'labels'"):
        load_dataset(folder)


def test_text_for_a_matlab_file_gets_a_sentence(xlsa17):
    folder = xlsa17()
    (folder / "res101.mat").write_text("<html>404</html>")
    with pytest.raises(InputError, match=r"not a MATLAB file of version 5 to 7.3"):
        load_dataset(folder)


def test_hdf5_is_asked_for_by_name(tmp_path, monkeypatch):
    header = b"MATLAB 7.3 MAT-file".ljust(512)
    for name in ("res101.mat", "att_splits.mat"):
        (tmp_path / name).write_bytes(header + b"\x89HDF\r\n\x1a\n")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(InputError, match=re.escape(f"needs the package h5py: {suggest_install('hdf5')}")):
        load_dataset(tmp_path)


@pytest.mark.parametrize("name", SIZES)
def test_published_splits_with_features_of_the_right_size(shared_data, tmp_path, name):
    from scipy.io import savemat

    folder = tmp_path / name
    folder.mkdir()
    (folder / "att_splits.mat").symlink_to(shared_data / "splits" / name / "att_splits.mat")
    splits = read_splits(folder)
    numbers = made_up_labels(splits, SIZES[name])
    savemat(folder / "res101.mat", {"features": np.ones((2, SIZES[name]), np.float32), "labels": numbers[:, None]})
    data = load_dataset(folder)
    assert len(data.train) + len(data.test_seen) + len(data.test_unseen) == SIZES[name]
    assert len(data.unseen_classes) == {"APY": 12, "CUB": 50, "SUN": 72}.get(name, 10)


def made_up_labels(splits, n_rows):
    """Give the unseen rows the last classes, and the others the first."""
    n_classes = len(splits.classes)
    n_unseen = {32: 12, 50: 10, 200: 50, 717: 72}[n_classes]
    numbers = np.arange(n_rows) % (n_classes - n_unseen) + 1
    rows = splits.rows
    # Each seen class has to be among the training rows.
    numbers[rows.train] = np.arange(len(rows.train)) % (n_classes - n_unseen) + 1
    numbers[rows.test_unseen] = np.arange(len(rows.test_unseen)) % n_unseen + n_classes - n_unseen + 1
    return numbers


def test_class_names_of_the_package_join_with_those_of_cub(shared_data, cub):
    package = read_splits(shared_data / "splits" / "CUB", "original_att").classes
    assert list(package) != list(cub.classes)
    assert package.select(list(cub.classes)).vectors / 100 == pytest.approx(cub.classes.vectors, abs=1e-6)


def test_missing_attributes_of_the_package(shared_data):
    folder = shared_data / "splits" / "AWA2"
    assert read_splits(folder).classes.select(["antelope"]).vectors[0, :4].tolist() == [0, 0, 0, 0]
    assert (read_splits(folder, missing="keep").classes.vectors < 0).sum() == 4


def test_sun_has_two_standard_splits_of_which_one_is_known(shared_data, tmp_path):
    from scipy.io import savemat

    (tmp_path / "att_splits.mat").symlink_to(shared_data / "splits" / "SUN" / "att_splits.mat")
    labels = np.arange(14340)[:, None] // 20 + 1
    savemat(tmp_path / "res101.mat", {"features": np.ones((1, 14340), np.float32), "labels": labels})
    for split in ("standard", "standard-707/10"):
        data = load_dataset(tmp_path, split=split)
        assert (len(data.train), len(data.test_unseen)) == (14140, 200)
    assert "inn_indoor" in data.unseen_classes
    with pytest.raises(InputError, match=r"split='standard-645/72' .*is not available, .*pass the list"):
        load_dataset(tmp_path, split="standard-645/72")
    # The older package's class numbers name the same classes.
    older = read_mat(
        shared_data / "splits" / "older" / "stkernelSUNAttributes" / "experimentIndices.mat", ["testClassesIndices"]
    )
    numbers = older["testClassesIndices"].ravel().astype(int) - 1
    assert set(data.classes.labels[numbers]) == set(data.unseen_classes)


def test_standard_splits_agree_with_the_older_package(shared_data, awa):
    from unseen.data.splits import apply_split

    folder = shared_data / "splits" / "older" / "stkernelAwA"
    older = read_mat(folder / "experimentIndices.mat", ["testClassesIndices", "testInstancesIndices"])
    names = awa.classes.labels[older["testClassesIndices"].ravel().astype(int) - 1]
    assert set(names) == set(apply_split(awa, "standard").unseen_classes)
