"""Write the reference: one page for each package from its docstrings, one for the commands from their help texts."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main
from mkdocs.structure.files import File, Files

from unseen.cli import app

SOURCE = Path(__file__).parents[2] / "src" / "unseen"

# Who searches for a word looks for the guide that explains it first.
BEHIND_THE_GUIDES = "---\nsearch:\n  boost: 0.3\n---\n\n"

# For what stands below a heading of its own.
DEEPER = "    options:\n      heading_level: 3"


def on_config(config: Any) -> Any:
    """List the pages in the navigation, under "Reference"."""
    [section] = [entry["Reference"] for entry in config.nav if "Reference" in entry]
    section.append({"Commands": "reference/commands.md"})
    section.extend({f"unseen.{name}": f"reference/{name}.md"} for name in packages())
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages."""
    pages = {"index": overview(), "commands": commands()} | {name: package_page(name) for name in packages()}
    for name, content in pages.items():
        files.append(File.generated(config, f"reference/{name}.md", content=BEHIND_THE_GUIDES + content))
    return files


def packages() -> list[str]:
    """Return the packages of the library by name; the commands have a page of their own."""
    return sorted(path.parent.name for path in SOURCE.glob("*/__init__.py") if path.parent.name != "cli")


def overview() -> str:
    """Return the page that lists the packages, each with what it says of itself."""
    rows = [f"| [`unseen.{name}`]({name}.md) | {first_line(SOURCE / name / '__init__.py')} |" for name in packages()]
    head = [
        "# Reference",
        "",
        "What each package offers, from the docstrings. The names used most can be imported from `unseen` itself: "
        + ", ".join(f"`{name}`" for name in exported(SOURCE / "__init__.py"))
        + ".",
        "",
        "The command `unseen` is described under [commands](commands.md).",
        "",
        "| package | |",
        "| --- | --- |",
    ]
    return "\n".join([*head, *rows, ""])


def package_page(name: str) -> str:
    """Return the page of a package: what it exports, then each part of it that has names of its own to import."""
    folder = SOURCE / name
    if exported(folder / "__init__.py"):
        first = f"::: unseen.{name}"
        parts = [init.parent.name for init in sorted(folder.glob("*/__init__.py")) if exported(init)]
    else:
        first = first_line(folder / "__init__.py")
        parts = [path.stem for path in sorted(folder.glob("*.py")) if path.stem != "__init__"]
    sections = [f"## `unseen.{name}.{part}`\n\n::: unseen.{name}.{part}\n{DEEPER}" for part in parts]
    return "\n\n".join([f"# `unseen.{name}`", first, *sections]) + "\n"


def exported(init: Path) -> list[str]:
    """Read `__all__` of a package."""
    for statement in ast.parse(init.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            return list(ast.literal_eval(statement.value))
    return []


def first_line(module: Path) -> str:
    """Read what a module says of itself in one line."""
    return (ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def commands() -> str:
    """Return the page of the commands: usage, arguments and options of each."""
    shown = "[The command line](../command-line.md) shows them at work."
    head = f"# Commands\n\nWhat `unseen COMMAND --help` says. {shown}\n\n"
    return head + "\n".join(command_section(command, context, name) for name, command, context in all_commands())


def all_commands() -> Iterator[tuple[str, Any, Any]]:
    """Yield each command with its full name, those of groups included."""
    group = typer.main.get_command(app)
    return commands_of(group, typer.Context(group, info_name="unseen"), "unseen")


def commands_of(group: Any, context: Any, prefix: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the commands of a group."""
    for name in group.list_commands(context):
        command, full = group.get_command(context, name), f"{prefix} {name}"
        inside = typer.Context(command, parent=context, info_name=name)
        if hasattr(command, "list_commands"):
            yield from commands_of(command, inside, full)
        else:
            yield full, command, inside


def command_section(command: Any, context: Any, name: str) -> str:
    """Return the help of one command as Markdown."""
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    rows = [
        f"| `{cell(call)}` | {cell(text)} |" for call, text in filter(None, records) if not call.startswith("--help")
    ]
    table = "\n".join(["| | |", "| --- | --- |", *rows])
    return f"## {name}\n\n{command.help}\n\n```text\n{usage}\n```\n\n{table}\n"


def cell(text: str) -> str:
    """Return text as a cell of a table can hold it."""
    return text.replace("|", "\\|").replace("\n", " ")
