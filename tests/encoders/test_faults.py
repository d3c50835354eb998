"""Whatever fails while an extraction writes, it says so in a sentence, and the next run completes it."""

import errno
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from extracting import run_extract
from file_faults import ERRORS, choose_operations, failing
from picture_files import attributes, write_bomb, write_folder, write_picture
from small_disk import small_disk

from unseen import load_dataset
from unseen.encoders import find_pictures
from unseen.utils.errors import InputError


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "birds", per_class=2)


@pytest.fixture
def whole(birds: Path, tmp_path: Path) -> np.ndarray:
    run_extract(birds, tmp_path / "whole")
    return np.array(load_dataset(tmp_path / "whole").X)


@pytest.mark.chaos
@pytest.mark.parametrize("error", ERRORS, ids=errno.errorcode.get)
def test_any_operation_may_fail(error: int, birds: Path, whole: np.ndarray, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with failing(out, None) as faults:
        run_extract(birds, out)
    assert faults.count > 20
    operations = choose_operations(faults.count, error)
    refused = 0
    for at in operations:
        shutil.rmtree(out)
        with failing(out, at, error, lasting=at % 2 == 0):
            try:
                run_extract(birds, out)
            except InputError as refusal:
                sentence = str(refusal)
                refused += 1
            else:
                sentence = ""  # the operation was one that may fail, such as removing what is not needed
        assert "\n" not in sentence
        assert not sentence or f"cannot be written ({os.strerror(error)})" in sentence or "is damaged" in sentence
        run_extract(birds, out)
        np.testing.assert_array_equal(load_dataset(out).X, whole)
        assert not (out / ".unfinished").exists()
    assert refused
    print(f"extract, {errno.errorcode[error]}: {len(operations)} faults, {refused} refusals")


@pytest.mark.parametrize("size", [3, 100, 1000, 2500, 3100])
def test_a_full_disk(size: int, birds: Path, whole: np.ndarray, tmp_path: Path) -> None:
    """Files of an extraction of 16 pictures have up to 3,200 bytes."""
    out = tmp_path / "out"
    with small_disk(size), pytest.raises(InputError, match=r"out cannot be written \(File too large\): make room"):
        run_extract(birds, out)
    run_extract(birds, out)
    np.testing.assert_array_equal(load_dataset(out).X, whole)


def test_a_full_disk_while_adding_to_a_finished_folder(birds: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_extract(birds, out)
    before = np.array(load_dataset(out).X)
    write_picture(birds / "images" / "000.Bird_0" / "new.png", attributes(8)[0], seed=77)
    with small_disk(3000), pytest.raises(InputError, match="make room"):
        run_extract(birds, out)
    np.testing.assert_array_equal(load_dataset(out).X, before)
    assert run_extract(birds, out).encoded == 0
    assert len(load_dataset(out).X) == len(before) + 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folders_without_permission(birds: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(InputError, match=r"cannot be written \(Permission denied\): make it writable"):
        run_extract(birds, tmp_path / "closed" / "out")
    (birds / "images" / "000.Bird_0").chmod(0)
    with pytest.raises(InputError, match=r"000\.Bird_0 cannot be read \(Permission denied\)"):
        find_pictures(birds)


# Names and links


@pytest.mark.parametrize("name", [b"p\xff.png", b"p\n.png", b"p\r.png", "p\u2028.png".encode()])
def test_names_that_no_list_can_hold(name: bytes, birds: Path, tmp_path: Path) -> None:
    folder = birds / "images" / "000.Bird_0"
    os.rename(folder / "p0.png", os.fsencode(folder) + b"/" + name)
    with pytest.raises(InputError, match="names that a list of pictures cannot hold") as refusal:
        run_extract(birds, tmp_path / "out")
    assert "\n" not in str(refusal.value)
    str(refusal.value).encode()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", [b"b\xffirds", b"b\nirds"])
def test_folders_that_no_list_can_hold(name: bytes, birds: Path, tmp_path: Path) -> None:
    renamed = birds.rename(birds.with_name(os.fsdecode(name)))
    with pytest.raises(InputError, match="names that a list of pictures cannot hold"):
        run_extract(renamed, tmp_path / "out")


def test_flat_folders_are_checked_too(tmp_path: Path) -> None:
    write_picture(tmp_path / "flat" / "a\n.png", attributes(1)[0])
    with pytest.raises(InputError, match="names that a list of pictures cannot hold"):
        find_pictures(tmp_path / "flat")


@pytest.mark.parametrize(("place", "target"), [(".", "."), ("000.Bird_0", ".."), ("000.Bird_0", "../../..")])
def test_links_in_a_circle(place: str, target: str, birds: Path) -> None:
    (birds / "images" / place / "loop").symlink_to(target)
    with pytest.raises(InputError, match=r"loop is a link to a folder that it lies in, so it has no end"):
        find_pictures(birds)


def test_links_between_class_folders_in_a_circle(birds: Path) -> None:
    images = birds / "images"
    (images / "000.Bird_0" / "one").symlink_to(images / "001.Bird_1")
    (images / "001.Bird_1" / "zero").symlink_to(images / "000.Bird_0")
    with pytest.raises(InputError, match="has no end"):
        find_pictures(birds)


def test_linked_folders_and_pictures_are_found(birds: Path, tmp_path: Path) -> None:
    write_picture(tmp_path / "elsewhere" / "far.png", attributes(1)[0])
    folder = birds / "images" / "000.Bird_0"
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "near.png").symlink_to(tmp_path / "elsewhere" / "far.png")
    (folder / "gone.png").symlink_to(tmp_path / "elsewhere" / "gone.png")
    (folder / "self.png").symlink_to("self.png")
    done = run_extract(birds, tmp_path / "out")
    assert done.rows == 18
    # Those that are gone are listed, not passed over in silence.
    assert list(done.unreadable) == ["000.Bird_0/gone.png", "000.Bird_0/self.png"]


# Pictures that cannot be read


def test_pictures_that_cannot_be_read_are_listed_in_one_line_each(birds: Path, tmp_path: Path) -> None:
    folder = birds / "images" / "000.Bird_0"
    write_bomb(folder / "bomb.png")
    (folder / "empty.png").touch()
    (folder / "text.jpg").write_text("not a picture")
    (folder / "folder.png").mkdir()
    done = run_extract(birds, tmp_path / "out")
    assert done.rows == 16
    assert {path.rpartition("/")[2] for path in done.unreadable} == {"bomb.png", "empty.png", "text.jpg"}
    assert "pixels" in done.unreadable["000.Bird_0/bomb.png"]
    assert len((tmp_path / "out" / "unreadable.txt").read_text().splitlines()) == 3
