"""Import optional packages, and say how to install one that is missing."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from unseen.utils.errors import InputError


def import_optional(module: str, extra: str, purpose: str) -> Any:
    """Import a package that comes with an extra of `unseen`, or say how to install it.

    Parameters
    ----------
    module : str
        Name of the module to import.
    extra : str
        The extra of `unseen` that installs it.
    purpose : str
        What needs the package, as the subject of a sentence.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise InputError(f"{purpose} needs the package {package}: {suggest_install(extra)}") from error


def suggest_install(extra: str) -> str:
    """Return the command that installs an extra, in the way in which `unseen` itself was installed.

    Parameters
    ----------
    extra : str
        Name of the extra, such as "figures". The command is ``pip install "unseen[figures]"`` if `unseen` came from
        an index, ``pip install -e ".[figures]"`` inside an editable clone, and contains the address otherwise.
    """
    # Imported here because they load slowly and are rarely needed.
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    origin = _read_origin()
    url = str(origin.get("url", ""))
    if "dir_info" in origin:
        clone = Path(url2pathname(urlsplit(url).path))
        editable = "-e " if origin["dir_info"].get("editable") else ""
        return f'pip install {editable}"{"." if clone == Path.cwd() else clone}[{extra}]"'
    if "vcs_info" in origin:
        url = f"{origin['vcs_info']['vcs']}+{url}"
    return f'pip install "unseen[{extra}] @ {url}"' if url else f'pip install "unseen[{extra}]"'


def _read_origin() -> dict[str, Any]:
    """Return where pip installed the package from (PEP 610); empty if that was an index."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        text = distribution("unseen").read_text("direct_url.json")
    except PackageNotFoundError:
        return {}
    return dict(json.loads(text)) if text else {}
