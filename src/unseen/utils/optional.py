"""Import packages that only some files need, and say how to install one that is not there."""

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
        What to import.
    extra : str
        The extra of `unseen` that installs it.
    purpose : str
        What needs it, as the subject of a sentence.
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
        Such as "figures". From an index: ``pip install "unseen[figures]"``; from a clone, and in it:
        ``pip install -e ".[figures]"``; from elsewhere: with its address.
    """
    # These take a while to import, and only this sentence needs them.
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
    """Return where pip took the package from (PEP 610); empty where that was an index."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        text = distribution("unseen").read_text("direct_url.json")
    except PackageNotFoundError:
        return {}
    return dict(json.loads(text)) if text else {}
