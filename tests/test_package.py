"""The package as it is installed: its version, what it needs, and what describes it."""

import re
import runpy
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

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
