import numpy as np
import pytest

from unseen.data import load_dataset
from unseen.data.benchmarks.known import read_benchmarks
from unseen.utils.errors import InputError

N_PER_CLASS = 2


def features(numbers):
    """Made-up features that tell the row and the class, one column per image."""
    return np.stack([np.arange(len(numbers)), numbers]).astype(np.float32)


@pytest.fixture
def apy(tmp_path, write_mat):
    numbers = np.repeat(np.arange(1, 33), N_PER_CLASS)
    write_mat(tmp_path / "cnn_feat_imagenet-vgg-verydeep-19.mat", {"cnn_feat": features(numbers)})
    attributes = np.arange(32.0 * 64).reshape(32, 64)
    write_mat(tmp_path / "class_attributes.mat", {"class_attributes": attributes, "labels": numbers[:, None]})
    return tmp_path


def test_apy(apy):
    for path in (apy, apy / "cnn_feat_imagenet-vgg-verydeep-19.mat"):
        data = load_dataset(path)
        assert data.name == "APY"
        assert data.X.shape == (64, 2)
        assert data.unseen_classes.tolist() == list(read_benchmarks()["APY"].standard[0].unseen)
        assert data.y[0] == "aeroplane"
        assert data.classes.vectors[1, 0] == 64
    assert load_dataset(apy, split="standard-20/12").unseen_classes.tolist() == data.unseen_classes.tolist()


def test_awa(tmp_path, write_mat):
    names = read_benchmarks()["AWA1"].class_names
    unseen = [names.index(name) + 1 for name in read_benchmarks()["AWA1"].standard[0].unseen]
    train = np.repeat(np.setdiff1d(np.arange(1, 51), unseen), N_PER_CLASS)
    test = np.repeat(unseen, N_PER_CLASS)
    parts = {
        "train_feat": features(train),
        "train_labels": train[:, None],
        "test_feat": features(test),
        "test_labels": test[:, None],
    }
    write_mat(tmp_path / "feat-imagenet-vgg-verydeep-19.mat", parts)
    matrix = np.arange(50.0 * 85).reshape(50, 85)
    matrix[0, 0] = -1
    write_mat(tmp_path / "predicateMatrixContinuous.mat", {"predicateMatrixContinuous": matrix})
    data = load_dataset(tmp_path)
    assert set(data.unseen_classes) == set(read_benchmarks()["AWA1"].standard[0].unseen)
    assert (len(data.train), len(data.test_unseen)) == (80, 20)
    assert [names[int(number) - 1] for number in data.X[:, 1]] == data.y.tolist()
    assert data.classes.vectors[0, 0] == 0
    assert load_dataset(tmp_path, missing="keep").classes.vectors[0, 0] == -1


@pytest.fixture
def cub_folder(tmp_path, write_mat):
    numbers = np.repeat(np.arange(1, 201), N_PER_CLASS)
    write_mat(tmp_path / "cnn_feat-imagenet-vgg-verydeep-19.mat", {"cnn_feat": features(numbers)})
    images = np.column_stack([np.arange(1, 401), numbers])
    write_mat(tmp_path / "image_class_labels.mat", {"imageClassLabels": images})
    attributes = np.arange(200.0 * 312).reshape(200, 312)
    write_mat(tmp_path / "class_attribute_labels_continuous.mat", {"classAttributes": attributes})
    split = {"train_cid": np.arange(1, 151)[None], "test_cid": np.arange(151, 201)[None]}
    write_mat(tmp_path / "train_test_split.mat", split)
    return tmp_path


def test_cub(cub_folder):
    data = load_dataset(cub_folder)
    assert data.X.shape == (400, 2)
    # The split is the one that came with the data.
    assert data.unseen_classes[0] == "151.Black_capped_Vireo"
    assert len(data.unseen_classes) == 50
    assert load_dataset(cub_folder, split="standard-150/50").unseen_classes[0] == "001.Black_footed_Albatross"


def test_what_is_not_there_gets_a_sentence(cub_folder):
    (cub_folder / "image_class_labels.mat").unlink()
    with pytest.raises(InputError, match=r"image_class_labels\.mat does not exist: it should hold 'imageClassLabels'"):
        load_dataset(cub_folder)


def test_other_fields_are_listed(apy, write_mat):
    write_mat(apy / "class_attributes.mat", {"attributes": np.eye(3), "bbox": np.eye(4)})
    with pytest.raises(
        InputError, match=r"has no variable 'class_attributes', 'labels', .* it holds 'attributes', 'bbo"
    ):
        load_dataset(apy)


def test_another_number_of_classes_gets_a_sentence(apy, write_mat):
    write_mat(apy / "class_attributes.mat", {"class_attributes": np.eye(3), "labels": np.ones((64, 1))})
    with pytest.raises(InputError, match="describes 3 classes, but APY has 32"):
        load_dataset(apy)
