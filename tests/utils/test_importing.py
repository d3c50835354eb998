"""Packages that import their members on first use have all that they promise, and every module may come first."""

import subprocess
import sys
from importlib import import_module

import pytest

LAZY = ["unseen.data", "unseen.data.formats", "unseen.features", "unseen.files", "unseen.models", "unseen.workflows"]

# Only those that are imported by others in many ways; each from a clean state, but for packages of others.
FIRST = """
import sys
sys.path[:] = {path!r}
import pkgutil, importlib, unseen
names = [found.name for found in pkgutil.walk_packages(unseen.__path__, "unseen.")]
for name in names:
    if name.split(".")[1] in ("data", "files", "workflows", "confidence", "features") and "trial_child" not in name:
        for loaded in [known for known in sys.modules if known.partition(".")[0] == "unseen"]:
            del sys.modules[loaded]
        importlib.import_module(name)
print("all")
"""


@pytest.mark.parametrize("name", LAZY)
def test_every_member_is_found(name: str) -> None:
    package = import_module(name)
    assert sorted(package.__all__) == dir(package)
    for member in package.__all__:
        assert getattr(package, member) is not None
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        _ = package.nothing


def test_every_module_may_be_imported_first() -> None:
    code = FIRST.format(path=sys.path)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "all\n", done.stderr
