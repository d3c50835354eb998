"""Notebooks and pages need neither typer nor rich, and a command waits only for what it uses."""

import pkgutil
import subprocess
import sys

import unseen.workflows

MODULES = [found.name for found in pkgutil.walk_packages(unseen.workflows.__path__, "unseen.workflows.")]


def run(code: str) -> str:
    path = f"import sys; sys.path[:] = {sys.path!r}; "
    return subprocess.run([sys.executable, "-c", path + code], capture_output=True, text=True, check=True).stdout


def test_every_workflow_can_be_imported_without_typer_and_rich() -> None:
    blocked = "sys.modules['typer'] = sys.modules['rich'] = None; "
    names = sorted(unseen.workflows.__all__)
    used = f"import unseen.workflows as w; [getattr(w, name) for name in {names!r}]; "
    assert run(f"{blocked}{used}import {', '.join(MODULES)}; print('all')") == "all\n"


def test_nothing_is_imported_before_it_is_used() -> None:
    loaded = "print(*sorted(name for name in sys.modules if name in ('numpy', 'sklearn', 'matplotlib', 'torch')))"
    assert run(f"import unseen.workflows; {loaded}") == "\n"
    assert "matplotlib" not in run(f"from unseen.workflows import fit, predict, evaluate; {loaded}").split()


def test_every_name_is_found_and_described() -> None:
    for name in unseen.workflows.__all__:
        assert getattr(unseen.workflows, name).__doc__, name
    assert set(unseen.workflows.__all__) <= set(dir(unseen.workflows))
