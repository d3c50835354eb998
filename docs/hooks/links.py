"""Keep links inside the site: pages from the root of the repository, and names that the reference explains."""

import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
from reference import SOURCE, all_commands, exported, packages

ROOT = Path(__file__).parents[2]
PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}

# Names within links, headings and code blocks are left as they are.
CODE = re.compile(r"<a\b.*?</a>|<h\d.*?</h\d>|<pre.*?</pre>|<autoref.*?</autoref>|<code>([^<]+)</code>", re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add the guide for contributors and the list of changes."""
    for source, target in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, target, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Point to these pages where GitHub needs to be told another place."""
    for source, target in PAGES.items():
        markdown = re.sub(rf"\]\((?:\.\./)?{source}(#[\w-]+)?\)", rf"]({target}\1)", markdown)
    return markdown


def on_page_content(content: str, **_: Any) -> str:
    """Link names and commands in code font to where the reference explains them."""
    return CODE.sub(lambda found: linked(found[0], explanation(found[1] or "")), content)


def linked(text: str, identifier: str | None) -> str:
    """Return a text with a link that the plugin autorefs completes."""
    return text if identifier is None else f'<autoref identifier="{identifier}" optional>{text}</autoref>'


def explanation(code: str) -> str | None:
    """Return the identifier of what explains a piece of code, if there is one."""
    command = next((name for name in command_names() if f"{code} ".startswith(f"{name} ")), None)
    return names().get(code) if command is None else command.replace(" ", "-")


@cache
def command_names() -> list[str]:
    """Return the names of the commands."""
    return [name for name, _, _ in all_commands()]


@cache
def names() -> dict[str, str]:
    """Return what each name stands for: written in full, or alone where one package only exports it.

    Names such as `fit` or `answers`, which are words as well, count in full only.
    """
    full = {f"unseen.{package}.{name}" for package in packages() for name in exported(SOURCE / package / "__init__.py")}
    short: dict[str, str] = {}
    for identifier in full:
        name = identifier.rpartition(".")[2]
        if "_" in name or name != name.lower():
            short[name] = "" if name in short else identifier
    return {name: identifier for name, identifier in short.items() if identifier} | {name: name for name in full}
