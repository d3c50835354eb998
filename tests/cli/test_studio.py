"""`unseen studio` as a user runs it."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unseen.cli import app

pytest.importorskip("PIL.Image")


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "digits.unseen"
    assert run("fit", "digit-pairs", "--model", "eszsl", "--out", path)[0] == 0
    return path


def test_a_folder_with_one_page(model: Path, tmp_path: Path) -> None:
    code, output = run("studio", model, "digit-pairs", "--out", tmp_path / "page", "--limit", 40)
    assert code == 0, output
    assert [path.name for path in (tmp_path / "page").iterdir()] == ["index.html"]
    assert "40 rows among 30 candidates" in output
    assert "40 of 900 rows are shown" in output
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 40
    assert run("studio", model, "digit-pairs", "--out", tmp_path / "page")[0] == 2
    assert run("studio", model, "digit-pairs", "--out", tmp_path / "page", "--force", "--limit", 5)[0] == 0


def test_a_model_that_cannot_be_edited_is_said_to_be_one(tmp_path: Path) -> None:
    assert run("fit", "digit-pairs", "--model", "conse", "--out", tmp_path / "conse.unseen")[0] == 0
    command = ("studio", tmp_path / "conse.unseen", "digit-pairs", "--out", tmp_path / "page", "--limit", 5)
    code, output = run(*command)
    assert code == 0, output
    assert "classes cannot be edited on it: the scores of ConSE are not products" in output


def test_candidates_from_a_table(model: Path, tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("02\n42\n")
    code, output = run(
        "studio", model, "digit-pairs", "--classes", tmp_path / "some.txt", "--out", tmp_path / "page", "--limit", 5
    )
    assert code == 0, output
    assert "5 rows among 2 candidates" in output


def test_groups_from_a_file(model: Path, tmp_path: Path) -> None:
    (tmp_path / "parity.csv").write_text("class,group\n02,even\n42,even\n55,odd\n")
    command = ("studio", model, "digit-pairs", "--groups", tmp_path / "parity.csv", "--out", tmp_path / "page")
    code, output = run(*command, "--limit", 5)
    assert code == 0, output
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    [groups] = re.findall(r'"groups":({.*?}})', page)
    assert json.loads(groups) == {"parity": {"02": "even", "42": "even", "55": "odd"}}


def test_bad_input_gets_a_sentence(model: Path, tmp_path: Path) -> None:
    code, output = run("studio", model, tmp_path / "nothing.npy", "--out", tmp_path / "page")
    assert code == 2
    assert "nothing.npy" in output
    assert not (tmp_path / "page").exists()


def test_without_a_folder_it_is_served(model: Path) -> None:
    for package in ("starlette", "uvicorn"):
        pytest.importorskip(package)
    command = [sys.executable, "-m", "unseen", "studio", str(model), "digit-pairs", "--limit", "20", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline() + process.stderr.readline()
            found = re.search(r"20 rows among 30 candidates, is at (http://127\.0\.0\.1:\d+)\. Ctrl\+C stops it", said)
            assert found is not None, said
            page = urllib.request.urlopen(found.group(1), timeout=30).read().decode()
            assert '"functions":["rows","refine","model"]' in page
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        finally:
            process.kill()


def test_other_machines_need_a_token(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("starlette")
    monkeypatch.delenv("UNSEEN_TOKEN", raising=False)
    code, output = run("studio", model, "digit-pairs", "--host", "0.0.0.0")
    assert code == 2
    assert "host=0.0.0.0 can be reached from other machines, so it needs a token" in output
    monkeypatch.setitem(sys.modules, "starlette", None)
    code, output = run("studio", model, "digit-pairs")
    assert "a studio without --out needs the package starlette: pip install" in output
