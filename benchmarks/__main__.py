"""Run a benchmark by its name, the name of its file.

python -m benchmarks --list             what each of them measures
python -m benchmarks NAME [options]     one of them; --help tells its options, --small only shows that it runs
python -m benchmarks [--small]          those of speed, each number beside the floor that it should keep to
"""

import ast
import sys
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from unseen.utils.errors import InputError
from unseen.utils.registry import Registry

SPEED = ("training_pass", "fit_and_predict", "row_scaling")

BENCHMARKS = Registry("benchmark", {path.stem: path for path in sorted(Path(__file__).parent.glob("[!_]*.py"))})


def main(arguments: list[str]) -> None:
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__.strip())
    elif arguments == ["--list"]:
        show_list()
    elif arguments and not arguments[0].startswith("-"):
        run(arguments[0], arguments[1:])
    else:
        for name in SPEED:
            run(name, arguments)


def run(name: str, options: list[str]) -> None:
    import_module(f"benchmarks.{BENCHMARKS.find(name).stem}").main(options)


def show_list() -> None:
    table = Table("benchmark", "what it measures", box=None)
    for name, path in BENCHMARKS.items():
        table.add_row(name, first_line(path))
    Console().print(table)


def first_line(path: Path) -> str:
    """Return what a file says that it measures, without running it: some need packages that are not installed."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except InputError as error:
        sys.exit(f"✗ {error}")
