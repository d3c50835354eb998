"""The examples of the user guides run as they are written."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unseen.cli import app

DOCS = Path(__file__).parents[1] / "docs"


PAGES = [
    "choosing-omega.md",
    "command-line.md",
    "confidence.md",
    "model-files.md",
    "pictures-and-texts.md",
    "reading-the-report.md",
    "ten-minutes.md",
]


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"^```(python|sh)\n(.*?)^```$", (DOCS / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    assert blocks
    for kind, text in blocks:
        if kind == "python":
            exec(text, names)
            continue
        for command in text.splitlines():
            program, *arguments = shlex.split(command)
            assert program == "unseen"
            result = CliRunner().invoke(app, arguments)
            assert result.exit_code == 0, (command, result.output)


def test_the_guide_is_built_without_a_warning_and_needs_no_network(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=DOCS.parent, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    pages = {path.stem: path.read_text() for path in (tmp_path / "site").rglob("*.html")}
    assert {"index", "ten-minutes", "1_first_steps", "contributing"} <= set(pages)
    for name, text in pages.items():
        assert not re.findall(r"<(?:script|img|link)[^>]*(?:src|href)=\"(?:https?:)?//", text), name
