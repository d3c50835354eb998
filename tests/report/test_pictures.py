"""A page shows the pictures that it is meant to, and no others."""

import base64
import io
import json
from pathlib import Path

import numpy as np
import pytest
from extracting import forge_manifest, run_extract
from picture_files import write_bomb, write_folder

from unseen import load_dataset
from unseen.data import ClassTable, ZeroShotDataset
from unseen.report.pictures import find_pictures
from unseen.utils.errors import InputError

Image = pytest.importorskip("PIL.Image")


def pixels_of(address: str) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))))


@pytest.fixture
def extracted(tmp_path: Path) -> Path:
    run_extract(write_folder(tmp_path / "birds"), tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    Image.new("RGB", (8, 8), (1, 2, 3)).save(tmp_path / "secret.png")
    return tmp_path / "secret.png"


@pytest.fixture
def three_rows() -> ZeroShotDataset:
    labels = ["zebra", "lion", "okapi"]
    return ZeroShotDataset(np.eye(3), labels, ClassTable(np.eye(3), labels), [0, 1], [], [2])


def test_extracted_pictures_are_shown(extracted: Path) -> None:
    show = find_pictures(load_dataset(extracted), str(extracted))
    assert show is not None
    first = extracted.parent / "birds" / "images" / "000.Bird_0" / "p0.png"
    np.testing.assert_allclose(pixels_of(show(0)), np.asarray(Image.open(first)), atol=60)


def test_pictures_are_shown_as_the_encoder_saw_them(tmp_path: Path, three_rows: ZeroShotDataset) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(np.full((20, 40), 30000, dtype=np.uint16)).save(tmp_path / "a.png", exif=exif)
    (tmp_path / "pictures.txt").write_text(3 * "a.png\n")
    show = find_pictures(three_rows, str(tmp_path))
    assert show is not None
    seen = pixels_of(show(0))
    assert seen.shape == (40, 20, 3)
    np.testing.assert_allclose(seen, 117, atol=2)


@pytest.mark.parametrize("name", ["../secret.png", "{secret}", "link.png", "sub/secret.png", "a\\..\\..\\secret.png"])
def test_a_list_stays_in_its_folder(name: str, tmp_path: Path, secret: Path, three_rows: ZeroShotDataset) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "link.png").symlink_to(secret)
    (folder / "sub").symlink_to(tmp_path)
    (folder / "pictures.txt").write_text(3 * f"{name.format(secret=secret)}\n")
    for listed in (None, folder / "pictures.txt"):
        show = find_pictures(three_rows, str(folder), listed)
        assert show is not None
        with pytest.raises(InputError, match="leads out of the folder"):
            show(0)


def test_a_forged_manifest_shows_nothing_unknown(extracted: Path, tmp_path: Path, secret: Path) -> None:
    hashes = list(json.loads((extracted / "manifest.json").read_text())["pictures"].values())
    names = [f"p{row}.png" for row in range(len(hashes) - 1)]
    data = load_dataset(extracted)
    for name, sentence in (("secret.png", "is not the picture"), ("../secret.png", "leads out")):
        forge_manifest(extracted, root=str(secret.parent), pictures=dict(zip([name, *names], hashes, strict=True)))
        show = find_pictures(data, str(extracted))
        assert show is not None
        with pytest.raises(InputError, match=sentence):
            show(0)


def test_pictures_that_cannot_be_shown(extracted: Path) -> None:
    data = load_dataset(extracted)
    show = find_pictures(data, str(extracted))
    assert show is not None
    first = extracted.parent / "birds" / "images" / "000.Bird_0" / "p0.png"
    first.write_bytes((first.parent / "p1.png").read_bytes())
    with pytest.raises(InputError, match=r"p0\.png is not the picture that was extracted"):
        show(0)
    first.unlink()
    with pytest.raises(InputError, match=r"p0\.png cannot be shown"):
        show(0)
    content = (extracted / "pictures.txt").read_text()
    (extracted / "pictures.txt").write_text(content.replace("p0", "p1"))
    with pytest.raises(InputError, match=r"pictures\.txt is not as `unseen extract` wrote it"):
        find_pictures(data, str(extracted))


def test_a_bomb_is_a_sentence(tmp_path: Path, three_rows: ZeroShotDataset) -> None:
    write_bomb(tmp_path / "bomb.png")
    (tmp_path / "pictures.txt").write_text(3 * "bomb.png\n")
    show = find_pictures(three_rows, str(tmp_path))
    assert show is not None
    with pytest.raises(InputError, match=r"bomb\.png cannot be shown"):
        show(0)
