"""Small datasets in every format, and the real ones where they are at hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from shared_data import SHARED_DATA

from unseen.data.formats.detect import read_contents


@pytest.fixture(scope="session")
def shared_data():
    """The folder of real datasets, or a skip that says where it was looked for."""
    if not (SHARED_DATA / "CUB_vgg_fc7.npz").is_file():
        pytest.skip(f"the real datasets are not in {SHARED_DATA} (set UNSEEN_DATA)")
    return SHARED_DATA


# Read once, for decompressing it takes seconds.
@pytest.fixture(scope="session")
def cub(shared_data):
    return read_contents(shared_data / "CUB_vgg_fc7.npz")


@pytest.fixture(scope="session")
def awa(shared_data):
    return read_contents(shared_data / "AWA1_handcrafted.npz")


@pytest.fixture
def animals():
    """Four classes of three rows; okapi and lion are unseen."""
    return {
        "X": np.arange(24, dtype=np.float16).reshape(12, 2),
        "y": np.repeat(np.arange(4), 3),
        "classes": np.array(["zebra", "okapi", "horse+mare", "lion"]),
        "attributes": np.array([[1.0, 4.0], [0.5, 4.0], [0.0, 4.5], [-1.0, 5.0]]),
        "attribute_names": np.array(["stripes", "legs"]),
        "trainval_loc": np.array([0, 1, 6, 7]),
        "test_seen_loc": np.array([2, 8]),
        "test_unseen_loc": np.array([3, 4, 5, 9, 10, 11]),
        "unseen_standard": np.array(["lion"]),
    }


@pytest.fixture
def npz(tmp_path, animals):
    """Write the animals, with changes, to an .npz file; a change to None leaves an array out."""

    def write(name="animals.npz", **changes):
        arrays = {key: value for key, value in (animals | changes).items() if value is not None}
        np.savez(tmp_path / name, **arrays)
        return tmp_path / name

    return write


def _write_v73(path, variables):
    """Write what MATLAB would with -v7.3: axes reversed, cells as references."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in variables.items():
            if isinstance(value, list):
                refs = file.create_dataset(name, (1, len(value)), dtype=h5py.ref_dtype)
                refs.attrs["MATLAB_class"] = np.bytes_("cell")
                for at, text in enumerate(value):
                    codes = np.array([[ord(letter)] for letter in text], dtype=np.uint16)
                    refs[0, at] = file.create_dataset(f"#refs#/{name}{at}", data=codes).ref
            else:
                file.create_dataset(name, data=np.asarray(value).T).attrs["MATLAB_class"] = np.bytes_("double")
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")


def _write_v5(path, variables):
    from scipy.io import savemat

    cells = {name: np.array(value, dtype=object)[:, None] for name, value in variables.items() if type(value) is list}
    savemat(path, variables | cells, do_compression=True)


@pytest.fixture(params=["v5", "v7.3"])
def write_mat(request):
    """Write a MATLAB file of either version."""
    return _write_v5 if request.param == "v5" else _write_v73


@pytest.fixture
def xlsa17(tmp_path, animals):
    """Write the animals, with changes, as a folder of the xlsa17 package."""

    def write(writer=_write_v5, features="res101.mat", **changes):
        folder = tmp_path / "ANIMALS"
        folder.mkdir(exist_ok=True)
        variables = {
            "att": animals["attributes"].T / 5,
            "original_att": animals["attributes"].T,
            "allclasses_names": animals["classes"].tolist(),
            "trainval_loc": animals["trainval_loc"][:, None] + 1,
            "test_seen_loc": animals["test_seen_loc"][:, None] + 1,
            "test_unseen_loc": animals["test_unseen_loc"][:, None] + 1,
            "features": animals["X"].T.astype(np.float32),
            "labels": animals["y"][:, None] + 1,
        } | changes
        kept = {name: value for name, value in variables.items() if value is not None}
        of_features = {name: kept.pop(name) for name in ("features", "labels", "image_files") if name in kept}
        writer(folder / features, of_features)
        writer(folder / "att_splits.mat", kept)
        return folder

    return write


@pytest.fixture
def folder(tmp_path, animals):
    """A folder as a user prepares it, and the files in it."""
    path = tmp_path / "mine"
    path.mkdir()
    np.save(path / "features.npy", animals["X"])
    labels = animals["classes"][animals["y"]]
    (path / "labels.txt").write_text("\n".join(labels) + "\n")
    rows = [f"{name},{a},{b}" for name, (a, b) in zip(animals["classes"], animals["attributes"], strict=True)]
    (path / "classes.csv").write_text("\n".join(["class,stripes,legs", *rows]))
    (path / "unseen.txt").write_text("# not in the zoo\nlion\nOkapi\n")
    return SimpleNamespace(path=path, labels=labels)
