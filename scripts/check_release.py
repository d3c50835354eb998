"""Look into the wheel and the sdist of a folder, and try each in an empty environment.

`python scripts/check_release.py dist`, after `python -m build --outdir dist`; `make release-check` does both.
"""

import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"

# Run in the environment: every package is imported, and the metadata agree with the source.
TRIAL = """
import importlib, importlib.metadata, pkgutil, unseen
for module in pkgutil.iter_modules(unseen.__path__, "unseen."):
    importlib.import_module(module.name)
for name in unseen.__all__:
    getattr(unseen, name)
version = importlib.metadata.version("unseen")
assert unseen.__version__ == version, (unseen.__version__, version)
print(version, "in", unseen.__path__[0])
"""


def package_files() -> set[str]:
    """Return all files of the package as a wheel names them: modules, and the data beside them."""
    files = (path for path in (SOURCE / "unseen").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(SOURCE).as_posix() for path in files}


def faults_of_wheel(path: Path) -> list[str]:
    """Return what is wrong with the files of a wheel: missing ones, and those of something else."""
    inside, expected = set(ZipFile(path).namelist()), package_files()
    strange = {name for name in inside - expected if ".dist-info/" not in name}
    return [f"{path.name} lacks {name}" for name in sorted(expected - inside)] + [
        f"{path.name} has {name}, which does not belong to the package" for name in sorted(strange)
    ]


def faults_of_sdist(path: Path) -> list[str]:
    """Return what is wrong with the files of an sdist: what a build or the tests would miss, and what is not ours."""
    with tarfile.open(path) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"pyproject.toml", "README.md", "LICENSE", "Makefile", "tests/conftest.py"}
    needed |= {f"src/{name}" for name in package_files()}
    strange = {name for name in inside if name.split("/")[0] in ("shared", "site", "dist") or name.startswith(".venv")}
    return [f"{path.name} lacks {name}" for name in sorted(needed - inside)] + [
        f"{path.name} has {name}, which is not part of the source" for name in sorted(strange)
    ]


def try_out(path: Path) -> None:
    """Install a distribution into an empty environment, import all of it, and run the demo from an empty folder."""
    print(f"{path.name}: installing into an empty environment", flush=True)
    with TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "env", with_pip=True)
        programs = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin")
        subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", path.resolve()], check=True)
        subprocess.run([programs / "python", "-P", "-c", TRIAL], cwd=folder, check=True)
        subprocess.run([programs / "unseen", "demo"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    print(f"{path.name}: imported, and the demo ran", flush=True)


def main(folder: Path) -> None:
    """Check both distributions of a folder; end with a sentence for each fault."""
    wheels, sdists = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    if len(wheels) != 1 or len(sdists) != 1:
        sys.exit(f"{folder} has {len(wheels)} wheels and {len(sdists)} sdists: empty it and build one of each")
    faults = faults_of_wheel(wheels[0]) + faults_of_sdist(sdists[0])
    if faults:
        sys.exit("\n".join(faults))
    for path in (*wheels, *sdists):
        try_out(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
