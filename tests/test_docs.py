"""The examples of the user guides run as they are written."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unseen.cli import app

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("page", ["command-line.md", "confidence.md", "model-files.md", "pictures-and-texts.md"])
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
