"""Whatever fails in a command, the user reads one sentence: the details are in a file, or shown with UNSEEN_DEBUG."""

import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from tests.commands import run
from tests.small_disk import small_disk

import unseen
from unseen.cli import main
from unseen.cli.commands import info as info_command
from unseen.data import make_zero_shot
from unseen.models import ESZSL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = make_zero_shot(n_seen=8, n_unseen=4, n_features=6, n_attributes=5, n_per_class=6, random_state=0)
    unseen.save(ESZSL().fit(data.X_train, data.y_train, classes=data.classes), tmp_path / "m.unseen")
    np.save(tmp_path / "X.npy", data.X_test_unseen)
    return tmp_path


@pytest.fixture
def defect(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A command that fails in a way that nobody foresaw."""

    def fail(*_arguments: object) -> None:
        raise ZeroDivisionError("of all\nthings")

    monkeypatch.setattr("unseen.workflows.describing.describe", fail, raising=False)
    monkeypatch.setattr("unseen.files.loading.read_container", fail)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)


def test_a_defect_is_one_sentence_and_a_file(defect: None, folder: Path) -> None:
    assert info_command is not None
    result = run("info", folder / "m.unseen")
    assert result.exit_code == 70
    assert len(result.stderr.splitlines()) == 1
    assert "ZeroDivisionError: of all things" in result.stderr
    [details] = re.findall(r"the details are in (\S+\.txt)", result.stderr)
    text = Path(details).read_text()
    assert "Traceback" in text
    assert "numpy" in text


def test_debugging_shows_the_traceback(defect: None, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSEEN_DEBUG", "1")
    assert isinstance(run("info", folder / "m.unseen").exception, ZeroDivisionError)


def test_a_full_disk_in_fit(tmp_path: Path) -> None:
    with small_disk(1000):
        result = run("fit", "digit-pairs", "-m", "eszsl", "--no-calibrate", "--out", tmp_path / "m.unseen")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert "cannot be written" in result.stderr
    assert not list(tmp_path.iterdir())


START = [sys.executable, "-c", "from unseen.cli import app; app()"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_that_has_no_room(folder: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [*START, "predict", str(folder / "m.unseen"), str(folder / "X.npy")]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert "the output cannot be written (No space left on device)" in ended.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_output_in_other_encodings(encoding: str, folder: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    for arguments in (["info", str(folder / "nowhere.unseen")], ["datasets", "list"], ["--nonsense"]):
        ended = subprocess.run([*START, *arguments], capture_output=True, env=environment, check=False)
        assert ended.returncode in (0, 2)
        assert b"Error" not in ended.stderr


def test_an_interruption_at_the_start(tmp_path: Path) -> None:
    interrupting = (
        "import os, signal, sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'typer': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from unseen.cli import app; app()"
    )
    ended = subprocess.run([sys.executable, "-c", interrupting], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (128 + signal.SIGINT, "Stopped.\n")


def test_an_interruption_before_typer_listens(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("unseen.cli.app", interrupt)
    with pytest.raises(SystemExit, match="130"):
        main()
    assert capsys.readouterr().err == "Stopped.\n"


def test_the_command_is_the_one_that_listens() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"unseen": "unseen.cli:main"}


def test_importing_the_package_imports_nothing_else() -> None:
    """There an interruption could not be told from a defect, for the command is not found yet."""
    code = "import sys; before = set(sys.modules); import unseen; print(*(set(sys.modules) - before))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["unseen"]
