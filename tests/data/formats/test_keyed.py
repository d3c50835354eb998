"""The layout of named arrays, in .npz and HDF5 files."""

import pickle

import numpy as np
import pytest

from unseen.data import load_dataset
from unseen.data.formats.detect import read_contents
from unseen.data.formats.missing import find_missing_in_awa
from unseen.utils.errors import InputError


@pytest.fixture(params=["npz", "hdf5", "hdf5 in chunks"])
def write(request, npz, animals, tmp_path):
    """Write the animals in one of the file types."""
    if request.param == "npz":
        return npz
    h5py = pytest.importorskip("h5py")

    def write_hdf5(**changes):
        with h5py.File(tmp_path / "animals.h5", "w") as file:
            for key, value in (animals | changes).items():
                if value is None:
                    continue
                value = value.tolist() if value.dtype.kind == "U" else value
                chunks = {"compression": "gzip"} if request.param.endswith("chunks") and key == "X" else {}
                file.create_dataset(key, data=value, **chunks)
        return tmp_path / "animals.h5"

    return write_hdf5


def test_everything_is_read(write, animals):
    data = load_dataset(write())
    assert data.name == "animals"
    assert data.source.endswith(("animals.npz", "animals.h5"))
    assert data.X.dtype == np.float16
    assert np.array_equal(data.X, animals["X"])
    assert data.y.tolist() == animals["classes"][animals["y"]].tolist()
    assert data.classes.attributes == ("stripes", "legs")
    assert data.classes.vectors.tolist() == animals["attributes"].tolist()
    assert data.train.tolist() == [0, 1, 6, 7]
    assert data.unseen_classes.tolist() == ["okapi", "lion"]


def test_a_split_of_classes_comes_with_the_file(write):
    data = load_dataset(write(), split="standard")
    assert data.unseen_classes.tolist() == ["lion"]
    assert len(data.train) == 9
    assert data.test_seen.size == 0


def test_labels_may_be_names_and_most_arrays_are_optional(write, animals):
    names = animals["classes"][animals["y"]]
    names[6:9] = "horse mare"
    left_out = dict.fromkeys(["attribute_names", "trainval_loc", "test_seen_loc", "test_unseen_loc"])
    data = load_dataset(write(y=names, **left_out))
    assert data.unseen_classes.tolist() == ["lion"]
    assert data.y[6] == "horse+mare"
    assert data.classes.attributes is None


def test_other_features_and_attributes(write, animals):
    path = write(clip=animals["X"] + 1, words=np.eye(4))
    data = load_dataset(path, features="clip", attributes="words")
    assert np.array_equal(data.X, animals["X"] + 1)
    assert data.classes.width == 4
    assert data.classes.attributes is None


def test_plain_hdf5_features_are_mapped(animals, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "animals.h5", "w") as file:
        for key, value in animals.items():
            file[key] = value.tolist() if value.dtype.kind == "U" else value
    assert isinstance(load_dataset(tmp_path / "animals.h5").X, np.memmap)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"y": np.repeat(np.arange(1, 5), 3)}, "y has the class numbers 4, but the 4 described classes .* 0 to 3"),
        ({"y": np.array(["zebra"] * 11 + ["zebar"])}, r"y names classes .* 'zebar' \(did you mean 'zebra'\?\)"),
        ({"attributes": None}, "has no array 'attributes'.*features= and attributes= name others"),
        ({"trainval_loc": np.array([True] * 12)}, "trainval_loc has shape .* dtype bool: give a list of row numbers"),
        ({"test_seen_loc": None}, "a split of rows needs"),
        ({"trainval_loc": np.array([0, 1, 3, 6])}, "train and test_unseen share the rows 3"),
        ({"test_unseen_loc": np.array([3, 5, 9, 10, 11, 0])}, "share the rows 0"),
        (
            {"trainval_loc": np.array([0, 1, 6, 4]), "test_unseen_loc": np.array([3, 9])},
            "that are in train too",
        ),
        ({"trainval_loc": np.array([0, 6, 12])}, "train has row indices outside"),
    ],
)
def test_bad_arrays_get_a_sentence(write, changes, sentence):
    with pytest.raises(InputError, match=sentence):
        load_dataset(write(**changes))


def test_labels_outside_the_table_name_the_file(write):
    path = write(y=np.repeat([0, 1, 2, 9], 3))
    with pytest.raises(InputError, match=rf"{path.name}: y has the class numbers 9"):
        load_dataset(path)


class Trap:
    """Its pickle would create a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("name", ["trap.npz", "trap.pkl"])
def test_pickles_are_refused_and_not_run(npz, tmp_path, name):
    victim = tmp_path / "victim"
    trap = np.array([Trap(victim)] * 4, dtype=object)
    path = npz(name=name, classes=trap) if name.endswith("npz") else tmp_path / name
    if name.endswith("pkl"):
        path.write_bytes(pickle.dumps(trap))
    with pytest.raises(InputError, match="pickled Python objects, which are not read because that may run code"):
        load_dataset(path)
    assert not victim.exists()


@pytest.mark.parametrize("kept", [0.2, 0.6, 0.95])
def test_truncated_files_get_a_sentence(write, kept):
    path = write()
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(InputError, match="truncated"):
        load_dataset(path)


def test_a_single_array_gets_a_sentence(tmp_path):
    np.save(tmp_path / "X.npy", np.eye(3))
    with pytest.raises(InputError, match="holds a single array, not a dataset"):
        load_dataset(tmp_path / "X.npy")


def test_linked_arrays_of_other_files_are_not_followed(animals, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["X"] = animals["X"]
    with h5py.File(tmp_path / "animals.h5", "w") as file:
        file["X"] = h5py.ExternalLink("other.h5", "X")
    with pytest.raises(InputError, match="has no array 'X'"):
        load_dataset(tmp_path / "animals.h5")


def test_missing_attributes_of_awa(awa, shared_data):
    antelope = awa.classes.select(["antelope"]).vectors[0]
    assert antelope[:4].tolist() == [0, 0, 0, 0]
    filled = read_contents(shared_data / "AWA1_handcrafted.npz", missing="mean").classes
    others = awa.classes.without(["antelope"]).vectors
    assert filled.select(["antelope"]).vectors[0, :4] == pytest.approx(others[:, :4].mean(axis=0))


def test_minus_one_is_a_value_like_others_elsewhere(npz):
    assert load_dataset(npz()).classes.vectors[3, 0] == -1


def test_unknown_way_to_fill_gets_a_sentence(npz):
    with pytest.raises(InputError, match=r"missing='median' is not a way .* 'zero', 'mean', 'keep'"):
        load_dataset(npz(), missing="median")


def test_minus_one_is_a_value_in_other_descriptions_of_awa(awa):
    labels, described = list(awa.classes), np.array(awa.classes.vectors)
    described[0, :4] = -1
    assert find_missing_in_awa(described, labels).sum() == 4
    assert not find_missing_in_awa(np.where(described > 20, 1, -1), labels).any()
    assert not find_missing_in_awa(described - described.mean(axis=0), labels).any()
    assert not find_missing_in_awa(described[:, :60], labels).any()
