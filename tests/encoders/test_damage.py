"""Damaged files are refused, or what is read is equal to what was written."""

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from extracting import run_extract, stop_after
from file_faults import damaged
from picture_files import write_folder

from unseen import load_dataset
from unseen.data import ZeroShotDataset, load_rows
from unseen.encoders import extraction, read_manifest
from unseen.utils.errors import InputError

# Of each of the four tests that damage at random.
CASES = int(os.environ.get("UNSEEN_DAMAGES", "120")) // 4


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("source") / "birds")


@pytest.fixture(scope="module")
def finished(birds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("finished") / "out"
    run_extract(birds, out)
    return out


@pytest.fixture(scope="module")
def unfinished(birds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("unfinished") / "out"
    with pytest.raises(KeyboardInterrupt):
        run_extract(birds, out, on_picture=stop_after(20))
    return out


@pytest.fixture(scope="module")
def not_moved(birds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All is written, but not in its place yet."""
    out = tmp_path_factory.mktemp("not_moved") / "out"
    killed = mock.patch.object(extraction, "move_in_place", side_effect=KeyboardInterrupt)
    with killed, pytest.raises(KeyboardInterrupt):
        run_extract(birds, out)
    return out


def damage(folder: Path, choice: random.Random) -> None:
    """Change one file of a folder as disks and people do."""
    file = choice.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
    file.write_bytes(damaged(file.read_bytes(), choice))


def damaged_copies(folder: Path, place: Path) -> list[Path]:
    copies = []
    for case in range(CASES):
        copies.append(place / str(case))
        shutil.copytree(folder, copies[-1])
        damage(copies[-1], random.Random(case))
    return copies


def assert_same(found: ZeroShotDataset, whole: ZeroShotDataset) -> None:
    np.testing.assert_array_equal(found.X, whole.X)
    assert found.y.tolist() == whole.y.tolist()
    assert found.unseen_classes.tolist() == whole.unseen_classes.tolist()
    assert found.classes == whole.classes


def outcome(run: Callable[[Path], None], copy: Path) -> str:
    try:
        run(copy)
    except InputError as error:
        return "refused" if "\n" not in str(error) else "refused in several lines"
    return "equal"


@pytest.mark.chaos
def test_a_damaged_folder_is_refused_or_loads_the_same(finished: Path, tmp_path: Path) -> None:
    whole, names = load_dataset(finished), list(read_manifest(finished).pictures)

    def load(copy: Path) -> None:
        assert_same(load_dataset(copy), whole)

    def read(copy: Path) -> None:
        """As `unseen predict` does."""
        assert list(read_manifest(copy).pictures) == names
        np.testing.assert_array_equal(load_rows(copy / "features.npy").X, whole.X)
        np.testing.assert_array_equal(load_rows(copy).X, whole.X)

    copies = damaged_copies(finished, tmp_path)
    for run in (load, read):
        found = Counter(outcome(run, copy) for copy in copies)
        print(run.__name__, dict(found))
        assert found["refused"] > 0.2 * CASES
        assert found["refused"] + found["equal"] == CASES


@pytest.mark.chaos
@pytest.mark.parametrize("state", ["finished", "unfinished", "not_moved"])
def test_extracting_over_damaged_files(
    state: str, birds: Path, finished: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    whole = load_dataset(finished)

    def extract(copy: Path) -> None:
        run_extract(birds, copy)
        assert_same(load_dataset(copy), whole)
        assert (copy / "pictures.txt").read_bytes() == (finished / "pictures.txt").read_bytes()

    copies = damaged_copies(request.getfixturevalue(state), tmp_path)
    found = Counter(outcome(extract, copy) for copy in copies)
    print(state, dict(found))
    assert found["refused"] + found["equal"] == CASES
    assert found["refused" if state == "finished" else "equal"] > 0.8 * CASES


@pytest.mark.parametrize("name", ["features.npy", "labels.txt", "classes.csv", "unseen.txt", "manifest.json"])
def test_the_sentence_names_the_file_and_force_mends_it(name: str, birds: Path, finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    content = bytearray((out / name).read_bytes())
    content[len(content) // 2] ^= 1
    (out / name).write_bytes(content)
    with pytest.raises(InputError, match=rf"{name} is .*extract again with --force"):
        load_dataset(out)
    run_extract(birds, out, force=True)
    assert_same(load_dataset(out), load_dataset(finished))


@pytest.mark.parametrize("asked", [".", "features.npy"])
def test_features_alone_are_checked_too(asked: str, finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "out")
    content = bytearray((tmp_path / "out" / "features.npy").read_bytes())
    content[-1] ^= 1
    (tmp_path / "out" / "features.npy").write_bytes(content)
    with pytest.raises(InputError, match=r"features\.npy is not as `unseen extract` wrote it"):
        load_rows(tmp_path / "out" / asked)


def test_lost_files_are_missed(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "out")
    (tmp_path / "out" / "unseen.txt").unlink()
    with pytest.raises(InputError, match=r"unseen\.txt is not as `unseen extract` wrote it"):
        load_dataset(tmp_path / "out")


def test_without_our_manifest_nothing_is_checked(finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    X = np.load(out / "features.npy") + 1
    np.save(out / "features.npy", X)
    for manifest in ('{"name": "a web page", "files": []}', "[]", None):
        if manifest is None:
            (out / "manifest.json").unlink()
        else:
            (out / "manifest.json").write_text(manifest)
        np.testing.assert_array_equal(load_dataset(out).X, X)
    # Files that extract did not write are the user's own.
    shutil.copy(finished / "manifest.json", out)
    np.save(out / "other.npy", X)
    np.testing.assert_array_equal(load_dataset(out, features="other.npy").X, X)


def test_a_mixture_of_two_extractions_is_refused(birds: Path, finished: Path, tmp_path: Path) -> None:
    """What a kill between moving files leaves: new features beside an old manifest."""
    source, out = tmp_path / "birds", tmp_path / "out"
    shutil.copytree(birds, source)
    run_extract(source, out)
    before = load_dataset(out).X.copy()
    first = next((source / "images").rglob("*.png"))
    shutil.copy(first.parents[1] / "007.Bird_7" / "p0.png", first)
    replaced = Path.replace

    def replace_once(path: Path, target: Path) -> Path:
        if target.name != "features.npy":
            raise KeyboardInterrupt
        return replaced(path, target)

    with mock.patch.object(Path, "replace", replace_once), pytest.raises(KeyboardInterrupt):
        run_extract(source, out)
    with pytest.raises(InputError, match="is not as `unseen extract` wrote it"):
        load_dataset(out)
    run_extract(source, out)
    assert (before != load_dataset(out).X).any()
