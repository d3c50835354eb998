"""The scripts of the gallery run as they are, each in seconds."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parents[1] / "docs" / "gallery").glob("*.py"))

# Packages that some need besides those of the base installation.
NEEDED = {"4_none_of_these": ["matplotlib"], "5_why": ["matplotlib"], "6_export": ["onnx", "onnxruntime"]}

# A pattern that the output of each has to match.
SAID = {
    "1_first_steps": r"right: 0\.9",
    "2_own_similarity": r"right: 0\.[89]",
    "3_whole_batch": r"SPZSR  [789]",
    "4_none_of_these": r"answered, \d+ of these right",
    "5_why": r"taken for \d\d is \d\d",
    "6_export": r"same answers: 1\.0",
}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script_runs(script: Path, tmp_path: Path) -> None:
    for package in NEEDED.get(script.stem, []):
        pytest.importorskip(package)
    # By itself in an empty folder, as whoever copies it would run it; torch and its like are not to be needed.
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", str(script)],
        cwd=tmp_path, env=os.environ | {"MPLBACKEND": "agg"}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert re.search(SAID[script.stem], done.stdout), done.stdout


def test_every_script_says_something() -> None:
    assert [script.stem for script in SCRIPTS] == sorted(SAID)
