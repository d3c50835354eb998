"""Run a benchmark by the name of its file.

python -m benchmarks --list             list the benchmarks and what they measure
python -m benchmarks NAME [options]     run one of them; --help shows its options, --small checks that it runs
python -m benchmarks [--small]          run those of speed, each number compared with its baseline
python -m benchmarks compare BASE       run the quick ones on another revision too, and say what got slower
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

BENCHMARKS = Registry(
    "benchmark", {path.stem: path for path in sorted(Path(__file__).parent.glob("[!_]*.py"))}, also=["compare"]
)


def main(arguments: list[str]) -> None:
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__.strip())
    elif arguments == ["--list"]:
        show_list()
    elif arguments[:1] == ["compare"]:
        import_module("benchmarks.comparing.command").main(arguments[1:])
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
    """Read the first line of a file's docstring without importing it, because it may need missing packages."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def start(arguments: list[str]) -> None:
    """Run what the arguments ask for; bad input ends the program with one sentence."""
    try:
        main(arguments)
    except InputError as error:
        sys.exit(f"✗ {error}")


if __name__ == "__main__":
    start(sys.argv[1:])
