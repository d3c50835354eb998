"""Packages that only some files need."""

from importlib import import_module
from typing import Any

from unseen.utils.errors import InputError


def optional_module(module: str, extra: str, purpose: str) -> Any:
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
        raise InputError(f"{purpose} needs the package {package}: pip install 'unseen[{extra}]'") from error
