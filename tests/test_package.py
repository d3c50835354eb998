"""The package as it is installed: its version, what it needs, and what describes it."""

import re
import runpy
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml

import unseen

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_installed_version_is_that_of_the_source() -> None:
    assert version("unseen") == unseen.__version__


def test_every_requirement_has_a_lowest_version(project: dict[str, Any]) -> None:
    constraints = runpy.run_path(str(ROOT / "scripts" / "lowest_versions.py"))["constraints"]
    found = constraints(project, list(project["optional-dependencies"]))
    assert "numpy==2.0" in found
    assert "dask==2024.8" in found
    assert all(re.fullmatch(r"[\w-]+==\d[\d.]*", constraint) for constraint in found)
    with pytest.raises(SystemExit, match="'hdf' is not an extra"):
        constraints(project, ["hdf"])
    with pytest.raises(SystemExit, match="'numpy' has no lowest version"):
        constraints({"dependencies": ["numpy"], "optional-dependencies": {}}, [])


def test_the_workflow_asks_make_for_targets_that_exist(project: dict[str, Any]) -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert commands == ["make test PYTHON=python", "make ${{ matrix.target }} PYTHON=python"]
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    matrix = jobs["check"]["strategy"]["matrix"]["target"]
    assert {"lint", "test-lowest", "docs", "release-check"} == {words.split()[0] for words in matrix} <= set(targets)
    [extras] = [words.partition("EXTRAS=")[2].split(",") for words in matrix if "EXTRAS" in words]
    assert set(extras) < set(project["optional-dependencies"])
    assert project["requires-python"] == ">=" + jobs["test"]["strategy"]["matrix"]["python"][0]


def test_a_release_with_a_missing_or_a_foreign_file_is_refused(tmp_path: Path) -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "check_release.py"))
    files = script["package_files"]()
    endings = {Path(name).suffix for name in files}
    assert {".py", ".yaml", ".toml", ".css", ".typed"} <= endings
    for name, content in {
        "whole.whl": files,
        "short.whl": files - {"unseen/py.typed"},
        "foreign.whl": files | {"tests/conftest.py"},
    }.items():
        with ZipFile(tmp_path / name, "w") as archive:
            for file in {*content, "unseen-1.dist-info/METADATA"}:
                archive.writestr(file, "")
    check = script["faults_of_wheel"]
    assert check(tmp_path / "whole.whl") == []
    assert check(tmp_path / "short.whl") == ["short.whl lacks unseen/py.typed"]
    [fault] = check(tmp_path / "foreign.whl")
    assert "tests/conftest.py" in fault
    with pytest.raises(SystemExit, match="3 wheels and 0 sdists"):
        script["main"](tmp_path)


def test_the_command_runs_as_a_module() -> None:
    said = subprocess.run([sys.executable, "-m", "unseen", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("unseen ")


def test_the_dockerfile_names_what_there_is(project: dict[str, Any]) -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = [path for line in re.findall(r"^COPY (.+)$", text, flags=re.MULTILINE) for path in line.split()[:-1]]
    assert all((ROOT / path).exists() for path in copied)
    # What the package is built from.
    assert {"pyproject.toml", "README.md", "LICENSE", "src"} <= set(copied)
    [extras] = re.findall(r'pip install .*"\.\[(.+)\]"', text)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    assert '["unseen", "serve", "--host", "0.0.0.0"]' in text
    assert "EXPOSE 8000" in text
