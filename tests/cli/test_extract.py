"""From a folder of pictures to labels, as a user types it."""

import csv
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import ran, run
from picture_files import attributes, write_folder, write_onnx, write_picture
from small_disk import small_disk

from unseen import ClassTable, load_dataset
from unseen.encoders.networks.onnx_file import OnnxImageEncoder
from unseen.files import read_model_file


def refused(sentence: str, *arguments: Any) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert result.stderr.startswith("✗ ")
    assert len(result.stderr.splitlines()) == 1


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "birds")


@pytest.fixture
def network(tmp_path: Path) -> Path:
    return write_onnx(tmp_path / "tiny.onnx")


@pytest.fixture
def encoded_paths(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of pictures in each batch that goes through the network."""
    counts: list[int] = []
    encode = OnnxImageEncoder.encode

    def counting(self: OnnxImageEncoder, batch: Any) -> Any:
        counts.append(len(batch))
        return encode(self, batch)

    monkeypatch.setattr(OnnxImageEncoder, "_probe", lambda self, path: 48)
    monkeypatch.setattr(OnnxImageEncoder, "encode", counting)
    return counts


# From pictures to labels


def test_three_commands(birds: Path, network: Path, tmp_path: Path) -> None:
    result = ran("extract", birds, "--encoder", network, "--out", tmp_path / "features")
    assert "32 pictures x 48 features" in result.stderr
    data = load_dataset(tmp_path / "features")
    assert data.X.shape == (32, 48)
    assert data.X.dtype == np.float32
    assert len(data.unseen_classes) == 2

    ran("fit", tmp_path / "features", "--no-calibrate", "--out", tmp_path / "birds.unseen")
    encoder = read_model_file(tmp_path / "birds.unseen").encoder
    assert encoder is not None
    assert encoder["name"] == str(network)

    # New pictures of classes that no training picture shows, in one flat folder.
    for at in (6, 7):
        for one in range(5):
            write_picture(tmp_path / "new" / f"{at}-{one}.png", attributes(8)[at], seed=1000 + 10 * at + one)
    lines = (birds / "classes.csv").read_text().splitlines()
    (tmp_path / "new.csv").write_text("\n".join([lines[0], *lines[-2:]]))
    result = ran("predict", tmp_path / "birds.unseen", tmp_path / "new", "--classes", tmp_path / "new.csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["row"] for row in rows] == sorted(f"{at}-{one}.png" for at in (6, 7) for one in range(5))
    assert all(row["label"] == f"00{row['row'][0]}.Bird_{row['row'][0]}" for row in rows)

    one = ran("predict", tmp_path / "birds.unseen", tmp_path / "new" / "7-0.png", "--classes", tmp_path / "new.csv")
    assert one.stdout.splitlines()[1].startswith("7-0.png,007.Bird_7")
    again = ran("predict", tmp_path / "birds.unseen", tmp_path / "features", "--classes", tmp_path / "new.csv")
    assert again.stdout.splitlines()[1].startswith("000.Bird_0/p0.png,")


def test_features_are_those_of_the_network(birds: Path, network: Path, tmp_path: Path) -> None:
    from PIL import Image

    ran("extract", birds, "--encoder", network, "--out", tmp_path / "out", "--batch", 5)
    encoder = OnnxImageEncoder(network)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    paths = list(manifest["pictures"])
    assert paths == sorted(paths)
    pixels = [encoder.preprocess(Image.open(birds / "images" / path).convert("RGB")) for path in paths]
    np.testing.assert_allclose(
        np.load(tmp_path / "out" / "features.npy"), encoder.encode(np.stack(pixels)), rtol=0, atol=1e-6
    )
    assert (tmp_path / "out" / "labels.txt").read_text().split() == [path.partition("/")[0] for path in paths]
    shown = (tmp_path / "out" / "pictures.txt").read_text().splitlines()
    assert [Path(picture).parts[-2:] for picture in shown] == [Path(path).parts[-2:] for path in paths]
    assert all(Path(picture).is_file() for picture in shown)


def test_flat_folder_has_no_labels(network: Path, tmp_path: Path) -> None:
    write_picture(tmp_path / "flat" / "a.png", attributes(1)[0])
    ran("extract", tmp_path / "flat", "--encoder", network, "--out", tmp_path / "out")
    assert sorted(entry.name for entry in (tmp_path / "out").iterdir()) == [
        "features.npy",
        "manifest.json",
        "pictures.txt",
    ]


def test_other_descriptions_of_the_same_pictures(birds: Path, network: Path, tmp_path: Path) -> None:
    (birds / "classes.csv").rename(tmp_path / "described.csv")
    result = ran("extract", birds, "--encoder", network, "--out", tmp_path / "out")
    assert "There is no classes.csv" in result.stderr
    fit = ("fit", tmp_path / "out", "--model", "eszsl", "--no-calibrate", "--out", tmp_path / "m.unseen")
    refused("has no classes.csv", *fit)
    refused("is not a file", *fit, "--classes", tmp_path / "nowhere.csv")
    ran(*fit, "--classes", tmp_path / "described.csv")
    ran("evaluate", tmp_path / "m.unseen", tmp_path / "out", "--classes", tmp_path / "described.csv")


# Nothing twice


def test_a_second_run_encodes_only_what_is_new(
    birds: Path, network: Path, tmp_path: Path, encoded_paths: list[int]
) -> None:
    command = ("extract", birds, "--encoder", network, "--out", tmp_path / "out")
    ran(*command)
    assert sum(encoded_paths) == 32
    before = np.load(tmp_path / "out" / "features.npy")
    ran(*command)
    assert sum(encoded_paths) == 32
    # One new, one renamed, one gone.
    images = birds / "images" / "000.Bird_0"
    write_picture(images / "new.png", attributes(8)[0], seed=77)
    (images / "p1.png").rename(images / "z.png")
    (images / "p2.png").unlink()
    assert "1 encoded now" in ran(*command).stderr
    assert sum(encoded_paths) == 33
    after = np.load(tmp_path / "out" / "features.npy")
    assert list(json.loads((tmp_path / "out" / "manifest.json").read_text())["pictures"])[:4] == [
        f"000.Bird_0/{name}.png" for name in ("new", "p0", "p3", "z")
    ]
    np.testing.assert_array_equal(after[[1, 2, 3]], before[[0, 3, 1]])
    np.testing.assert_array_equal(after[4:], before[4:])


def test_the_same_picture_twice_is_encoded_once(network: Path, tmp_path: Path, encoded_paths: list[int]) -> None:
    first = write_picture(tmp_path / "flat" / "a.png", attributes(1)[0])
    (tmp_path / "flat" / "b.png").write_bytes(first.read_bytes())
    ran("extract", tmp_path / "flat", "--encoder", network, "--out", tmp_path / "out")
    assert encoded_paths == [1]
    X = np.load(tmp_path / "out" / "features.npy")
    np.testing.assert_array_equal(X[0], X[1])


def start_slowly(command: list[str], hashes: Path) -> "subprocess.Popen[str]":
    """Run a command with a slow network until some pictures are encoded."""
    slow = (
        "import sys, time\n"
        "from unseen.encoders.networks.onnx_file import OnnxImageEncoder as E\n"
        "run = E.encode\n"
        "E.encode = lambda self, batch: (time.sleep(0.2), run(self, batch))[1]\n"
        "from unseen.cli import app\n"
        "app(sys.argv[1:])\n"
    )
    process = subprocess.Popen([sys.executable, "-c", slow, *command], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (hashes.is_file() and hashes.stat().st_size >= 4 * 130) and time.monotonic() < deadline:
        time.sleep(0.02)
    return process


def test_goes_on_after_a_kill(birds: Path, network: Path, tmp_path: Path) -> None:
    """Killed with a signal that no program can catch, in the midst of encoding."""
    out = tmp_path / "out"
    hashes = out / ".unfinished" / "hashes.txt"
    command = ["extract", str(birds), "--encoder", str(network), "--out", str(out), "--batch", "3"]
    process = start_slowly(command, hashes)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    kept = hashes.stat().st_size // 130
    assert 4 <= kept < 32
    # A batch that was half written: rows without hashes, and half a hash.
    with open(out / ".unfinished" / "rows.f32", "ab") as file:
        file.write(b"123")
    with open(hashes, "ab") as file:
        file.write(b"abc")
    assert f"{32 - kept} encoded now" in ran(*command).stderr
    assert not (out / ".unfinished").exists()
    ran("extract", birds, "--encoder", network, "--out", tmp_path / "whole")
    np.testing.assert_array_equal(np.load(out / "features.npy"), np.load(tmp_path / "whole" / "features.npy"))
    assert (out / "labels.txt").read_text() == (tmp_path / "whole" / "labels.txt").read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_says_how_to_go_on_when_interrupted(number: int, birds: Path, network: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ["extract", str(birds), "--encoder", str(network), "--out", str(out), "--batch", "3"]
    process = start_slowly(command, out / ".unfinished" / "hashes.txt")
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == f"Stopped. Encoded pictures are kept in {out}; continue with: unseen {shlex.join(command)}\n"
    assert not (out / ".unseen.lock").exists()
    assert "32 encoded now" not in ran(*shlex.split(said.partition(": unseen ")[2])).stderr
    assert load_dataset(out).X.shape == (32, 48)


def test_goes_on_after_a_kill_between_moving_files(
    birds: Path, network: Path, tmp_path: Path, encoded_paths: list[int]
) -> None:
    command = ("extract", birds, "--encoder", network, "--out", tmp_path / "out")
    ran(*command)
    out = tmp_path / "out"
    ready = out / ".unfinished" / "ready"
    ready.mkdir(parents=True)
    for name in ("features.npy", "manifest.json"):
        (out / name).rename(ready / name)
    n = sum(encoded_paths)
    ran(*command)
    assert sum(encoded_paths) == n
    assert load_dataset(out).X.shape == (32, 48)


def test_a_changed_encoder_is_noticed(birds: Path, network: Path, tmp_path: Path) -> None:
    command = ("extract", birds, "--encoder", network, "--out", tmp_path / "out")
    ran(*command)
    before = np.load(tmp_path / "out" / "features.npy")
    write_onnx(network, factor=2.0)
    refused("was encoded by", *command)
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "features.npy"), before)
    assert "32 encoded now" in ran(*command, "--force").stderr
    np.testing.assert_allclose(np.load(tmp_path / "out" / "features.npy"), 2 * before, rtol=1e-6)
    # Another way of cutting is another encoder, too.
    refused("was encoded by", *command, "--whole")


def test_predict_refuses_a_changed_encoder(birds: Path, network: Path, tmp_path: Path) -> None:
    ran("extract", birds, "--encoder", network, "--out", tmp_path / "out")
    ran("fit", tmp_path / "out", "--model", "eszsl", "--no-calibrate", "--out", tmp_path / "m.unseen")
    former = tmp_path / "former.onnx"
    former.write_bytes(network.read_bytes())
    write_onnx(network, factor=2.0)
    refused("its weights changed", "predict", tmp_path / "m.unseen", birds)
    ran("predict", tmp_path / "m.unseen", birds, "--weights", former)
    network.unlink()
    refused("is not a file", "predict", tmp_path / "m.unseen", birds)
    write_onnx(network, factor=2.0)
    ran("extract", birds, "--encoder", network, "--out", tmp_path / "other")
    refused("extract with that encoder", "predict", tmp_path / "m.unseen", tmp_path / "other")
    refused("extract with that encoder", "evaluate", tmp_path / "m.unseen", tmp_path / "other")
    ran("evaluate", tmp_path / "m.unseen", tmp_path / "out")


# Pictures that cannot be read


def test_unreadable_pictures_are_listed(birds: Path, network: Path, tmp_path: Path) -> None:
    images = birds / "images" / "000.Bird_0"
    (images / "p1.png").write_bytes(b"no picture")
    (images / "p2.png").write_bytes((images / "p2.png").read_bytes()[:200])
    (images / "notes.txt").write_text("not meant to be a picture")
    result = ran("extract", birds, "--encoder", network, "--out", tmp_path / "out")
    assert "2 pictures cannot be read" in result.stderr
    listed = (tmp_path / "out" / "unreadable.txt").read_text().splitlines()
    assert [line.partition("\t")[0] for line in listed] == ["000.Bird_0/p1.png", "000.Bird_0/p2.png"]
    assert load_dataset(tmp_path / "out").X.shape == (30, 48)
    # Mended, it joins the others, and the list goes.
    write_picture(images / "p1.png", attributes(8)[0])
    write_picture(images / "p2.png", attributes(8)[0], seed=1)
    ran("extract", birds, "--encoder", network, "--out", tmp_path / "out")
    assert not (tmp_path / "out" / "unreadable.txt").exists()
    assert load_dataset(tmp_path / "out").X.shape == (32, 48)


def test_no_readable_picture(network: Path, tmp_path: Path) -> None:
    (tmp_path / "flat").mkdir()
    (tmp_path / "flat" / "a.jpg").write_bytes(b"nothing")
    refused("none of the pictures", "extract", tmp_path / "flat", "--encoder", network, "--out", tmp_path / "out")


# Bad input


def test_folders_that_cannot_be_used(birds: Path, network: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    rest = ("--encoder", network, "--out", tmp_path / "out")
    refused("has no pictures", "extract", tmp_path / "empty", *rest)
    refused("is not a folder", "extract", tmp_path / "nowhere", *rest)
    write_picture(birds / "images" / "stray.png", attributes(1)[0])
    refused("beside class folders", "extract", birds, *rest)
    assert not (tmp_path / "out").exists()


def test_classes_that_do_not_match(birds: Path, network: Path, tmp_path: Path) -> None:
    rest = ("--encoder", network, "--out", tmp_path / "out")
    write_picture(birds / "images" / "Dodo" / "a.png", attributes(1)[0])
    refused("names classes that the class table does not describe: 'Dodo'", "extract", birds, *rest)
    (birds / "images" / "Dodo" / "a.png").unlink()
    for path in (birds / "images" / "003.Bird_3").iterdir():
        path.unlink()
    notes = ran("extract", birds, *rest).stderr
    assert "1 classes of the table have no pictures ('003.Bird_3')" in notes
    assert "2 class folders have no pictures" in notes
    (birds / "unseen.txt").write_text("Phoenix\n")
    refused("'Phoenix'", "extract", birds, *rest)
    (birds / "classes.csv").write_text("class,a\nx,one\n")
    refused("has no column of numbers", "extract", birds, *rest)


def write_workbook(path: Path, table: Path, names: list[str]) -> None:
    """Write a class table as people keep it, in a workbook: with a column of yes and no and one of notes."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for at, line in enumerate(csv.reader(table.open())):
        numbers = [float(cell) for cell in line[1:]] if at else line[1:]
        book.active.append([line[0], *numbers, *(["nice", "common"] if at else names)])
    book.save(path)


def test_a_class_table_in_a_workbook(birds: Path, network: Path, tmp_path: Path) -> None:
    write_workbook(tmp_path / "birds.xlsx", birds / "classes.csv", ["notes", "status"])
    expected = ClassTable.from_csv(birds / "classes.csv")
    (birds / "classes.csv").unlink()
    command = ("extract", birds, "--encoder", network, "--out", tmp_path / "out")
    said = ran(*command, "--classes", tmp_path / "birds.xlsx").stderr
    assert "8 classes, 12 attributes; 'notes', 'status' left out, for it holds words." in said
    assert ClassTable.from_csv(tmp_path / "out" / "classes.csv").vectors.tolist() == expected.vectors.tolist()
    # What was written is plain, so that nothing has to be understood a second time.
    assert "left out" not in ran("fit", tmp_path / "out", "--no-calibrate", "--out", tmp_path / "m.unseen").stderr


def test_the_class_table_of_a_folder_as_people_keep_it(birds: Path, network: Path, tmp_path: Path) -> None:
    lines = (birds / "classes.csv").read_text().splitlines()
    expected = ClassTable.from_csv(birds / "classes.csv")
    kept = [f"{lines[0]},notes", *(f"{line},nice" for line in lines[1:])]
    (birds / "classes.csv").write_text("\n".join(kept).replace(",", ";").replace(".", ",").replace(",Bird", ".Bird"))
    said = ran("extract", birds, "--encoder", network, "--out", tmp_path / "out").stderr.splitlines()
    notes = "8 classes, 12 attributes; separated by ';'; decimal commas; 'notes' left out, for it holds words."
    assert f"{birds / 'classes.csv'}: {notes}" in said
    assert ClassTable.from_csv(tmp_path / "out" / "classes.csv").vectors.tolist() == expected.vectors.tolist()


def test_weights_that_a_model_file_names_elsewhere(
    birds: Path, network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran("extract", birds, "--encoder", network, "--out", tmp_path / "out")
    model = tmp_path / "models" / "m.unseen"
    model.parent.mkdir()
    ran("fit", tmp_path / "out", "--model", "eszsl", "--no-calibrate", "--out", model)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    refused(f"names the weights {network} of its encoder, which are neither beside it", "predict", model, birds)
    ran("predict", model, birds, "--weights", network)
    monkeypatch.setenv("UNSEEN_DATA", str(network.parent))
    ran("predict", model, birds)
    monkeypatch.delenv("UNSEEN_DATA")
    monkeypatch.chdir(network.parent)
    ran("predict", model, birds)


def test_encoders_that_cannot_be_used(birds: Path, network: Path, tmp_path: Path) -> None:
    out = ("--out", tmp_path / "out")
    refused("encoder='vgg91' is not known (did you mean 'vgg19'?)", "extract", birds, "--encoder", "vgg91", *out)
    refused("is not a file", "extract", birds, "--encoder", "missing.onnx", *out)
    (tmp_path / "bad.onnx").write_bytes(b"nothing")
    refused("cannot be run as an ONNX network", "extract", birds, "--encoder", tmp_path / "bad.onnx", *out)
    refused("--device", "extract", birds, "--encoder", network, "--device", "tpu", *out)


def test_nothing_is_overwritten_unasked(birds: Path, network: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "labels.txt").write_text("precious")
    command = ("extract", birds, "--encoder", network, "--out", out)
    refused("exists already", *command)
    refused("is a file", *command[:-1], out / "labels.txt")
    assert (out / "labels.txt").read_text() == "precious"
    ran(*command, "--force")
    (out / "classes.csv").write_text("mine")
    refused("was changed after", *command)
    other = write_folder(tmp_path / "other")
    refused("was made of", "extract", other, *command[2:])


def test_what_fails_while_writing_is_a_sentence(birds: Path, network: Path, tmp_path: Path) -> None:
    command = ("extract", birds, "--encoder", network, "--out", tmp_path / "out")
    with small_disk(2000):
        refused("cannot be written (File too large): make room and run the same command again", *command)
    assert "32 encoded now" not in ran(*command).stderr
    (birds / "images" / "loop").symlink_to(".")
    refused("so it has no end: remove the link", *command)


@pytest.mark.parametrize(
    "settings", [{"PYTHONIOENCODING": "latin-1:strict"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
def test_systems_that_do_not_write_utf8(settings: dict[str, str], birds: Path, network: Path, tmp_path: Path) -> None:
    (birds / "images" / "000.Bird_0" / "鳥.png").write_bytes(b"not a picture")
    command = ["extract", str(birds), "--encoder", str(network), "--out", str(tmp_path / "out")]
    program = [sys.executable, "-c", "from unseen.cli import app; app()"]
    done = subprocess.run([*program, *command], env=os.environ | settings, capture_output=True, check=False)
    # Where even names of files are not taken for UTF-8, a list cannot hold them.
    assert done.returncode == (2 if "LC_ALL" in settings else 0), done.stderr
    lines = done.stderr.decode("ascii").splitlines()
    assert len(lines) == (1 if "LC_ALL" in settings else 2)
    assert lines[0].startswith("\\u2717 " if "LC_ALL" in settings else "1 pictures cannot be read")


def test_models_of_unknown_origin_take_no_pictures(birds: Path, tmp_path: Path) -> None:
    ran("fit", "digit-pairs", "--model", "eszsl", "--no-calibrate", "--out", tmp_path / "m.unseen")
    refused("features of unknown origin", "predict", tmp_path / "m.unseen", birds)
