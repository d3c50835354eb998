"""What a model file holds, and what is not taken for one."""

import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save_file
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import unseen
from unseen.data import ZeroShotDataset
from unseen.features import SquareRoot, UnitNorm, Whitening
from unseen.files import read_model_file
from unseen.files.container import read_container, sign_header
from unseen.models import ESZSL, JFA, Calibrated, Prepared
from unseen.selection import ClassDisjointSearch
from unseen.utils.errors import InputError

FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
BILINEAR = {"similarity": "BilinearSimilarity", "parameters": {}, "weights": None}


def scores(model, data: ZeroShotDataset):
    return model.decision_function(data.X_test_unseen, classes=data.unseen_table)


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def signed(path: Path, source: Path, change) -> Path:
    """Write a copy with a changed header and a checksum that is right: what a forger would do."""
    header, arrays = read_container(source)
    change(header)
    save_file(arrays, path, metadata={"unseen": sign_header(header, arrays)})
    return path


# What is in it


def test_the_file_is_safetensors_with_a_json_header(path: Path) -> None:
    with safe_open(path, framework="numpy") as file:
        header = json.loads(file.metadata()["unseen"])
    assert header["format"] == 1
    assert header["kind"] == "Calibrated"
    assert header["encoder"] == {"name": "vgg19"}
    assert {"python", "unseen", "numpy", "scikit-learn"} <= set(header["versions"])
    assert read_model_file(path).encoder == {"name": "vgg19"}


def test_the_same_model_gives_the_same_bytes(model: Calibrated, path: Path, tmp_path: Path) -> None:
    unseen.save(model, tmp_path / "again.unseen", encoder={"name": "vgg19"})
    assert (tmp_path / "again.unseen").read_bytes() == path.read_bytes()


def test_a_search_leaves_its_choice_and_how_it_was_made(data: ZeroShotDataset, tmp_path: Path) -> None:
    search = ClassDisjointSearch(ESZSL(), {"lam": [0.1, 10.0]}, random_state=0)
    search.fit(data.X_train, data.y_train, classes=data.classes)
    unseen.save(search, tmp_path / "s.unseen")
    file = read_model_file(tmp_path / "s.unseen")
    assert file.model.get_params() == search.best_estimator_.get_params()
    assert file.selection["grid"] == [{"lam": 0.1}, {"lam": 10.0}]
    assert file.selection["grid"][file.selection["chosen"]] == search.best_params_
    np.testing.assert_array_equal(file.selection["scores"], search.cv_results_["mean_test_score"])


def test_an_omega_chosen_by_itself_leaves_a_record_too(data: ZeroShotDataset, tmp_path: Path) -> None:
    model = JFA("auto", random_state=0).fit(data.X_train, data.y_train, classes=data.classes)
    unseen.save(model, tmp_path / "auto.unseen")
    read = read_model_file(tmp_path / "auto.unseen")
    assert read.model.omega_ == model.omega_
    assert read.selection is not None
    assert read.selection["chosen"] == model.selection_.best_index


def test_steps_of_preparation_come_back(data: ZeroShotDataset, tmp_path: Path) -> None:
    steps = make_pipeline(SquareRoot(), StandardScaler(), PCA(4), Whitening(), UnitNorm())
    model = Prepared(ESZSL(), features=steps, descriptions=Whitening(3.0))
    model.fit(data.X_train, data.y_train, classes=data.classes)
    unseen.save(model, tmp_path / "steps.unseen")
    again = unseen.load(tmp_path / "steps.unseen")
    np.testing.assert_array_equal(scores(again, data), scores(model, data))


def test_nothing_is_overwritten_unasked(model: Calibrated, tmp_path: Path) -> None:
    there = written(tmp_path / "m.unseen", b"precious")
    with pytest.raises(InputError, match="exists already"):
        unseen.save(model, there)
    assert there.read_bytes() == b"precious"
    unseen.save(model, there, force=True)
    assert isinstance(unseen.load(there), Calibrated)
    assert [file.name for file in tmp_path.iterdir()] == ["m.unseen"]


def test_a_failed_write_leaves_the_old_file(path: Path, model: Calibrated, tmp_path: Path, monkeypatch) -> None:
    there = written(tmp_path / "m.unseen", b"precious")

    def broken(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("safetensors.numpy.save_file", broken)
    with pytest.raises(OSError, match="disk full"):
        unseen.save(model, there, force=True)
    assert there.read_bytes() == b"precious"
    assert [file.name for file in tmp_path.iterdir()] == ["m.unseen"]


# What is refused


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda header: header.update(format=2), "newer unseen"),
        (lambda header: header.update(format="1"), "without a format version"),
        (lambda header: header.pop("model"), "holds an inconsistent model"),
        (lambda header: header["model"].update(estimator="Popen"), "which is not a kind of model"),
        (
            lambda header: header["model"].update(estimator="ZeroShotClassifier", state={}),
            "holds an inconsistent model",
        ),
        (lambda header: header["model"]["state"].update(predict=1), "attributes that a Calibrated does not have"),
        (lambda header: header["model"]["parameters"].update(shell="rm"), "holds an inconsistent model"),
        (lambda header: header.update(model=BILINEAR), "model is a BilinearSimilarity"),
        (lambda header: header.update(model={"import": "os"}), "of an unknown kind"),
        (lambda header: header.update(model={"array": "nowhere"}), "holds an inconsistent model"),
        (lambda header: header["model"].update(state={}), "not a fitted model"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_forged_header_is_refused(change, sentence: str, path: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=sentence):
        unseen.load(signed(tmp_path / "forged.unseen", path, change))


def test_a_pipeline_in_a_file_may_not_bring_a_cache(data: ZeroShotDataset, tmp_path: Path) -> None:
    model = Prepared(ESZSL(), features=make_pipeline(StandardScaler(), memory=str(tmp_path / "cache")))
    unseen.save(model.fit(data.X_train, data.y_train, classes=data.classes), tmp_path / "m.unseen")
    assert unseen.load(tmp_path / "m.unseen").features.memory is None

    def change(header) -> None:
        header["model"]["parameters"]["features"]["parameters"]["memory"] = "/tmp/cache"

    with pytest.raises(InputError, match="attributes that a Pipeline does not have"):
        unseen.load(signed(tmp_path / "forged.unseen", tmp_path / "m.unseen", change))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"", "truncated or damaged"), (b"PK\x03\x04 something", "damaged"), (b"\xff" * 100, "damaged")],
)
def test_other_files_are_refused(content: bytes, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=sentence):
        unseen.load(written(tmp_path / "m.unseen", content))


def test_other_safetensors_and_missing_files_are_refused(tmp_path: Path) -> None:
    save_file({"x": np.zeros(3)}, tmp_path / "other.safetensors")
    with pytest.raises(InputError, match="not a model file of unseen"):
        unseen.load(tmp_path / "other.safetensors")
    for nothing in (tmp_path / "nowhere.unseen", tmp_path):
        with pytest.raises(InputError, match="is not a file"):
            unseen.load(nothing)


@pytest.mark.parametrize("precision", ["BF16", "F16", "F8_E4M3", "F8_E8M0", "F4", "F6_E2M3", "C64", "I8", "no such"])
def test_arrays_of_another_precision_are_refused(precision: str, path: Path, tmp_path: Path) -> None:
    pytest.importorskip("ml_dtypes")  # with it NumPy knows precisions that it otherwise does not

    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    array = next(value for name, value in header.items() if name != "__metadata__")
    n_bytes = array["data_offsets"][1] - array["data_offsets"][0]
    width = {"BF16": 16, "F16": 16, "F4": 4, "F6_E2M3": 6, "C64": 64}.get(precision, 8)
    array.update(dtype=precision, shape=[8 * n_bytes // width])
    text = json.dumps(header).encode()
    with pytest.raises(InputError):
        unseen.load(written(tmp_path / "m.unseen", len(text).to_bytes(8, "little") + text + content[8 + size :]))


# Fuzzing: a damaged file either loads as it was or is refused with a sentence


def loads_equal_or_is_refused(content: bytes, model, data: ZeroShotDataset, tmp_path: Path) -> None:
    file = written(tmp_path / "fuzzed.unseen", content)
    try:
        loaded = unseen.load(file)
    except InputError:
        return
    np.testing.assert_array_equal(scores(loaded, data), scores(model, data))


# Most of a file is numbers; what leads to them is at its beginning.
PLACES = st.one_of(st.integers(0, 200), st.integers(0, 10**9))


@FUZZ
@given(changes=st.lists(st.tuples(PLACES, st.integers(1, 255)), min_size=1, max_size=4))
def test_changed_bytes(changes, path: Path, model: Calibrated, data: ZeroShotDataset, tmp_path: Path) -> None:
    content = bytearray(path.read_bytes())
    for place, change in changes:
        content[place % len(content)] ^= change
    loads_equal_or_is_refused(bytes(content), model, data, tmp_path)


@FUZZ
@given(at=PLACES, tail=st.binary(max_size=20))
def test_truncated_and_prolonged(
    at, tail, path: Path, model: Calibrated, data: ZeroShotDataset, tmp_path: Path
) -> None:
    content = path.read_bytes()
    loads_equal_or_is_refused(content[: at % (len(content) + 1)] + tail, model, data, tmp_path)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "x", "JFA", "PCA"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["array", "texts", "number", "tuple", "dict", "table", "estimator", "part", "similarity", "state"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


def places(tree, path=()):
    """List the places of a tree of JSON."""
    yield path
    for key, inner in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield from places(inner, (*path, key))


@settings(FUZZ, max_examples=300)
@given(random=st.randoms(use_true_random=False), value=JSON)
def test_forged_headers_load_or_are_refused(random, value, path: Path, data: ZeroShotDataset, tmp_path: Path) -> None:
    def change(header) -> None:
        *way, last = random.choice([place for place in places(header["model"]) if place])
        tree = header["model"]
        for key in way:
            tree = tree[key]
        tree[last] = value

    with suppress(InputError):
        unseen.load(signed(tmp_path / "forged.unseen", path, change))
