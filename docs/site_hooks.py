"""What `make docs` adds to the pages in this folder: the gallery, the guide for contributors, pages not yet listed."""

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

HERE = Path(__file__).parent


def on_config(config: Any) -> Any:
    """List the gallery, and under "More" every page that the navigation does not name."""
    config.nav.append({"Gallery": [f"gallery/{script.stem}.md" for script in scripts()]})
    named = set(re.findall(r"[\w/.-]+\.md", str(config.nav)))
    rest = [page.name for page in sorted(HERE.glob("*.md")) if page.name not in named]
    config.nav.append({"More": [*rest, {"Contributing": "contributing.md"}]})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the scripts of the gallery as pages, and the guide for contributors."""
    for script in scripts():
        files.append(File.generated(config, f"gallery/{script.stem}.md", content=as_page(script)))
    contributing = (HERE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "contributing.md", content=contributing))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links that leave this folder, as GitHub needs them, stay inside the site."""
    return markdown.replace("](../CONTRIBUTING.md)", "](contributing.md)")


def scripts() -> list[Path]:
    """Return the scripts of the gallery in their order."""
    return sorted((HERE / "gallery").glob("*.py"))


def as_page(script: Path) -> str:
    """Turn a script into Markdown: its docstring and the comments that begin with `#:` are prose, the rest is code."""
    text = script.read_text(encoding="utf-8")
    _, docstring, code = text.split('"""', 2)
    title, _, lead = docstring.strip().partition("\n")
    parts = [f"# {title.rstrip('.')}", lead.strip()]
    for block in re.split(r"^((?:#:.*\n)+)", code, flags=re.MULTILINE):
        if block.startswith("#:"):
            parts.append(re.sub(r"^#: ?", "", block, flags=re.MULTILINE).strip())
        elif block.strip():
            parts.append(f"```python\n{block.strip()}\n```")
    parts.append(f"The whole script: `docs/gallery/{script.name}`. The tests run it.")
    return "\n\n".join(part for part in parts if part) + "\n"
