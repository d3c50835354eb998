"""What can be learned from can be recognised: features alone, from every format, with labels beside them or without."""

import shutil

import numpy as np
import pytest

from unseen.data import ClassTable, load_dataset, load_rows
from unseen.data.benchmarks.known import read_benchmarks
from unseen.data.formats.detect import FORMATS, holds_features
from unseen.utils.errors import InputError

NAMES = [f"p{at}.jpg" for at in range(12)]


def write_hdf5(path, arrays):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        for key, value in arrays.items():
            file[key] = value.tolist() if value.dtype.kind == "U" else value
    return path


def write_csv(path, columns):
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([",".join(columns), *rows]))
    return path


def write_parquet(path, columns):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({key: list(value) for key, value in columns.items()}), path)
    return path


@pytest.fixture
def columns(animals):
    """The animals as columns of a table: labels first, then features."""
    X = animals["X"].astype(np.float32)
    return {"class": animals["classes"][animals["y"]], "f1": X[:, 0], "f2": X[:, 1]}


@pytest.fixture
def classes(animals):
    return ClassTable(animals["attributes"], animals["classes"])


@pytest.fixture
def authors(tmp_path):
    """The authors' folder of aPY, with features that tell the row."""
    from scipy.io import savemat

    folder = tmp_path / "aPY"
    folder.mkdir()
    numbers = np.repeat(np.arange(1, len(read_benchmarks()["APY"].class_names) + 1), 2)
    features = np.stack([np.arange(len(numbers)), numbers]).astype(np.float32)
    savemat(folder / "cnn_feat_imagenet-vgg-verydeep-19.mat", {"cnn_feat": features})
    described = {"class_attributes": np.ones((32, 64)) * np.arange(1, 33)[:, None], "labels": numbers[:, None]}
    savemat(folder / "class_attributes.mat", described)
    return folder


def write_labelled(kind, request, tmp_path):
    """Write a dataset of a format; return its path and what else `load_dataset` needs."""
    animals = request.getfixturevalue("animals")
    if kind in ("CSV", "Parquet"):
        write, ending = (write_csv, "csv") if kind == "CSV" else (write_parquet, "parquet")
        options = {"classes": request.getfixturevalue("classes"), "split": ["lion"]}
        return write(tmp_path / f"animals.{ending}", request.getfixturevalue("columns")), options
    made = {
        "xlsa17": lambda: request.getfixturevalue("xlsa17")(),
        "authors' VGG-19": lambda: request.getfixturevalue("authors"),
        "folder": lambda: request.getfixturevalue("folder").path,
        "npz": lambda: request.getfixturevalue("npz")(),
        "HDF5": lambda: write_hdf5(tmp_path / "animals.h5", animals),
    }
    return made[kind](), {}


@pytest.mark.parametrize("kind", [name for name in FORMATS if name != "npy"])
def test_what_can_be_learned_from_can_be_recognised(kind, request, tmp_path):
    path, options = write_labelled(kind, request, tmp_path)
    data, rows = load_dataset(path, **options), load_rows(path)
    assert rows.X.dtype == data.X.dtype
    assert np.array_equal(rows.X, data.X)
    assert len(rows.names) == len(data.X)
    assert holds_features(path)


def test_features_without_labels(animals, columns, tmp_path):
    X = animals["X"].astype(np.float32)
    (tmp_path / "folder").mkdir()
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "folder" / "features.npy", X)
    np.savez(tmp_path / "X.npz", clip=X)
    write_hdf5(tmp_path / "X.h5", {"clip": X})
    features = {"f1": columns["f1"], "f2": columns["f2"]}
    write_csv(tmp_path / "X.csv", features)
    write_parquet(tmp_path / "X.parquet", features)
    for name in ("X.npy", "folder", "X.npz", "X.h5", "X.csv", "X.parquet"):
        rows = load_rows(tmp_path / name)
        assert np.array_equal(rows.X, X), name
        assert list(rows.names) == list(range(12)), name


def test_single_arrays_are_mapped(animals, tmp_path):
    np.save(tmp_path / "X.npy", animals["X"])
    write_hdf5(tmp_path / "X.h5", {"X": animals["X"]})
    for name in ("X.npy", "X.h5"):
        assert isinstance(load_rows(tmp_path / name).X, np.memmap)


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_the_first_column_of_text_names_the_rows(write, columns, tmp_path):
    named = {"picture": NAMES} | {key: columns[key] for key in ("f1", "f2")}
    assert list(load_rows(write(tmp_path / "named", named)).names) == NAMES


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_a_column_of_labels_is_left_out(write, columns, animals, tmp_path):
    numbered = {"f1": columns["f1"], "kind": animals["y"], "f2": columns["f2"]}
    rows = load_rows(write(tmp_path / "numbered", numbered), label="kind")
    assert np.array_equal(rows.X, animals["X"])
    assert list(rows.names) == list(range(12))
    both = {"picture": NAMES, "kind": columns["class"], "f1": columns["f1"], "f2": columns["f2"]}
    rows = load_rows(write(tmp_path / "both", both), label="kind")
    assert np.array_equal(rows.X, animals["X"])
    assert list(rows.names) == NAMES
    rows = load_rows(tmp_path / "both", ["f2"])
    assert np.array_equal(rows.X, animals["X"][:, 1:])


def test_other_features(npz, folder, animals):
    path = npz(clip=animals["X"] * 2)
    assert np.array_equal(load_rows(path, "clip").X, animals["X"] * 2)
    np.save(folder.path / "clip.npy", animals["X"] * 3)
    assert np.array_equal(load_rows(folder.path, "clip.npy").X, animals["X"] * 3)


def test_labels_are_not_read(npz, folder):
    assert len(load_rows(npz(y=np.array(["no such class"] * 12))).X) == 12
    (folder.path / "labels.txt").write_text("no such class\n")
    (folder.path / "classes.csv").write_text("damaged")
    assert len(load_rows(folder.path).X) == 12


def test_by_name(npz, monkeypatch):
    monkeypatch.setenv("UNSEEN_DATA", str(npz().parent))
    assert len(load_rows("animals").X) == 12
    assert load_rows("synthetic", n_seen=3, n_unseen=2, n_features=7).X.shape[1] == 7


def test_a_folder_of_pictures_holds_no_features(folder):
    assert holds_features(folder.path)
    (folder.path / "features.npy").unlink()
    assert not holds_features(folder.path)
    assert not holds_features(folder.path.parent / "nowhere")


@pytest.mark.parametrize(
    ("name", "content", "options", "sentence"),
    [
        ("a.csv", "f1,f2\n1,2\n3,\n", {}, "cannot be read as a table of numbers"),
        ("a.csv", "f1,f2\n1,2\n3,inf\n", {}, "has inf in row 1, column 1 of its features"),
        ("a.csv", "name,f1\nx,1\ny,nan\n", {}, "has nan in row 'y', column 0"),
        ("a.csv", "f1,f2\n", {}, "has a header but no rows"),
        ("a.csv", "name\nx\n", {}, "has text only, in the column 'name'"),
        ("a.csv", "f1\n1\n", {"label": "f1"}, "has no column of features"),
        ("a.csv", "f1,f2\n1,2\n", {"label": "kind"}, "has no column 'kind'"),
        ("a.csv", "f1,f2\n1,2\n", {"features": "f1"}, "pass a list of columns"),
        ("a.csv", "f1,f2\n1,2\n", {"classes": "c.csv"}, "features of the format 'CSV' has no parameter 'classes'"),
        ("a.csv", "", {}, "is empty"),
        ("a.npy", b"\x93NUMPY\x01\x00", {}, "truncated, damaged or pickled"),
        ("a.npz", b"PK\x03\x04 and so on", {}, "truncated, damaged or pickled"),
        ("a.h5", b"\x89HDF\r\n\x1a\n and so on", {}, "truncated"),
        ("a.parquet", b"PAR1 and so on", {}, "truncated or damaged"),
    ],
)
def test_bad_rows_get_a_sentence(tmp_path, name, content, options, sentence):
    pytest.importorskip({"a.h5": "h5py", "a.parquet": "pyarrow"}.get(name, "numpy"))
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InputError, match=sentence):
        load_rows(tmp_path / name, **options)


def test_arrays_that_are_not_there_get_a_sentence(tmp_path, animals):
    np.savez(tmp_path / "two.npz", a=np.eye(2), b=np.eye(2))
    with pytest.raises(InputError, match="has no array 'X': name one of 'a', 'b'"):
        load_rows(tmp_path / "two.npz")
    write_hdf5(tmp_path / "two.h5", {"a": np.eye(2), "b": np.eye(2)})
    with pytest.raises(InputError, match="has no array 'X': name one of 'a', 'b'"):
        load_rows(tmp_path / "two.h5")
    np.save(tmp_path / "flat.npy", np.arange(3.0))
    with pytest.raises(InputError, match=r"flat\.npy must have two dimensions"):
        load_rows(tmp_path / "flat.npy")
    with pytest.raises(InputError, match="holds a single one"):
        load_rows(tmp_path / "flat.npy", "X")
    with pytest.raises(InputError, match="is not known"):
        load_rows(tmp_path / "nowhere.npy")


def test_pickles_are_refused(tmp_path):
    np.save(tmp_path / "X.npy", np.array([["a", 1.0]], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="truncated, damaged or pickled"):
        load_rows(tmp_path / "X.npy")
    np.savez(tmp_path / "X.npz", X=np.array([["a", 1.0]], dtype=object))
    with pytest.raises(InputError, match="pickled Python objects"):
        load_rows(tmp_path / "X.npz")


def test_a_folder_is_read_from_anywhere(folder, tmp_path, monkeypatch):
    shutil.move(folder.path, tmp_path / "elsewhere")
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path))
    assert len(load_rows("elsewhere").X) == 12
