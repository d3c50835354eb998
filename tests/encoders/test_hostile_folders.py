"""A folder that somebody else made cannot make `extract` write or delete anything outside of it."""

import json
from pathlib import Path

import pytest
from extracting import forge_manifest, run_extract
from picture_files import write_folder

from unseen import load_dataset
from unseen.encoders.finishing import finish_earlier
from unseen.utils.errors import InputError
from unseen.utils.storage.digests import digest_bytes


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "birds")


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious.txt").write_text("precious")
    return tmp_path / "elsewhere" / "precious.txt"


def forge_ready(out: Path, birds: Path, name: str, content: bytes = b"forged") -> Path:
    """Make what a killed run may leave, with one more file than it writes."""
    whole = out.with_name("whole")
    run_extract(birds, whole)
    ready = out / ".unfinished" / "ready"
    ready.parent.mkdir(parents=True)
    whole.rename(ready)
    files = json.loads((ready / "manifest.json").read_text())["files"]
    forge_manifest(ready, files=files | {name: digest_bytes(content)})
    return ready


NAMES = ["../elsewhere/precious.txt", "{precious}", "sub/precious.txt", "a\\..\\b", "a\0b", "a\nb", "..", "notes.txt"]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_a_forged_manifest(name: str, birds: Path, precious: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    name = name.format(precious=precious)
    ready = forge_ready(out, birds, name, precious.read_bytes())
    (out / "sub").symlink_to(precious.parent)
    (out / "notes.txt").write_text("precious")
    if name == "notes.txt":
        (ready / name).write_text("forged")
    with pytest.raises(InputError, match="exists already, with"):
        run_extract(birds, out)
    run_extract(birds, out, force=True)
    assert [path.name for path in precious.parent.iterdir()] == ["precious.txt"]
    assert precious.read_text() == (out / "notes.txt").read_text() == "precious"
    assert load_dataset(out).X.shape == (32, 48)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_a_forged_output(name: str, birds: Path, precious: Path, tmp_path: Path) -> None:
    """Files of an earlier extraction that are not written again are removed, but not what somebody wrote in a list."""
    out = tmp_path / "out"
    name = name.format(precious=precious)
    run_extract(birds, out)
    forge_manifest(out, files={name: digest_bytes(precious.read_bytes())})
    (out / "sub").symlink_to(precious.parent)
    (out / "notes.txt").write_text("precious")
    with pytest.raises(InputError, match="which `unseen extract` does not write"):
        run_extract(birds, out)
    run_extract(birds, out, force=True)
    assert precious.read_text() == (out / "notes.txt").read_text() == "precious"
    assert load_dataset(out).X.shape == (32, 48)


@pytest.mark.parametrize(
    "changes",
    [
        {"pictures": {"a.png": "0"}},
        {"pictures": {"a.png": ["0"]}},
        {"pictures": 7},
        {"files": {"labels.txt": None}},
        {"folder": None},
        {"encoder": {}},
        {"encoder": {"name": "pixels", "fingerprint": "fingerprint of pixels", "width": 48, "weights": []}},
    ],
)
def test_values_of_a_forged_output(changes: dict[str, object], birds: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_extract(birds, out)
    forge_manifest(out, **changes)
    with pytest.raises(InputError):
        run_extract(birds, out)
    run_extract(birds, out, force=True)
    assert load_dataset(out).X.shape == (32, 48)


@pytest.mark.parametrize("name", ["rows.f32", "hashes.txt", "encoder.json"])
@pytest.mark.parametrize("force", [False, True])
def test_links_in_place_of_work_files(name: str, force: bool, birds: Path, precious: Path, tmp_path: Path) -> None:
    work = tmp_path / "out" / ".unfinished"
    work.mkdir(parents=True)
    (work / name).symlink_to(precious)
    with pytest.raises(InputError, match="leads out of the folder"):
        run_extract(birds, tmp_path / "out", force=force)
    assert precious.read_text() == "precious"


@pytest.mark.parametrize("name", [".unfinished", ".unfinished/ready"])
def test_links_in_place_of_work_folders(name: str, birds: Path, precious: Path, tmp_path: Path) -> None:
    link = tmp_path / "out" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(precious.parent)
    with pytest.raises(InputError, match="leads out of the folder"):
        run_extract(birds, tmp_path / "out", force=True)
    assert [path.name for path in precious.parent.iterdir()] == ["precious.txt"]


def test_links_among_finished_files(birds: Path, precious: Path, tmp_path: Path) -> None:
    """A link that was put in place of a file of labels is not moved to where the labels are read."""
    out = tmp_path / "out"
    ready = forge_ready(out, birds, "labels.txt", precious.read_bytes())
    (ready / "labels.txt").unlink()
    (ready / "labels.txt").symlink_to(precious)
    finish_earlier(out)
    assert list(out.iterdir()) == [out / ".unfinished"]
    run_extract(birds, out)
    assert len(load_dataset(out).y) == 32
    assert precious.read_text() == "precious"


def test_links_in_the_output_are_replaced_not_followed(birds: Path, precious: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_extract(birds, out)
    for name in ("labels.txt", "features.npy", "manifest.json"):
        (out / name).unlink()
        (out / name).symlink_to(precious)
    run_extract(birds, out, force=True)
    assert precious.read_text() == "precious"
    assert load_dataset(out).X.shape == (32, 48)
