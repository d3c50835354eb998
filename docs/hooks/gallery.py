"""Show the scripts of the gallery as pages: prose and code, in their order."""

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

FOLDER = Path(__file__).parents[1] / "gallery"


def on_config(config: Any) -> Any:
    """List the scripts in the navigation, under "Gallery"."""
    [section] = [entry["Gallery"] for entry in config.nav if "Gallery" in entry]
    section.extend(f"gallery/{script.stem}.md" for script in scripts())
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add one page for each script, and one that lists them."""
    files.append(File.generated(config, "gallery/index.md", content=overview()))
    for script in scripts():
        files.append(File.generated(config, f"gallery/{script.stem}.md", content=as_page(script)))
    return files


def scripts() -> list[Path]:
    """Return the scripts in their order."""
    return sorted(FOLDER.glob("*.py"))


def overview() -> str:
    """Return the page that lists the scripts, each with its first words."""
    lines = [f"- [{title}]({script.stem}.md): {lead}" for script in scripts() for title, lead, _ in [parts(script)]]
    return "\n".join(["# Gallery", "", "Short scripts, each by itself. The tests run all of them.", "", *lines, ""])


def as_page(script: Path) -> str:
    """Turn a script into Markdown: its docstring and the comments that begin with `#:` are prose, the rest is code."""
    title, lead, code = parts(script)
    blocks = [f"# {title}", lead]
    for block in re.split(r"^((?:#:.*\n)+)", code, flags=re.MULTILINE):
        if block.startswith("#:"):
            blocks.append(re.sub(r"^#: ?", "", block, flags=re.MULTILINE).strip())
        elif block.strip():
            blocks.append(f"```python\n{block.strip()}\n```")
    blocks.append(f"The whole script is `docs/gallery/{script.name}`.")
    return "\n\n".join(block for block in blocks if block) + "\n"


def parts(script: Path) -> tuple[str, str, str]:
    """Divide a script into its title, the rest of its docstring, and its code."""
    _, docstring, code = script.read_text(encoding="utf-8").split('"""', 2)
    title, _, lead = docstring.strip().partition("\n")
    return title.rstrip("."), lead.strip(), code
