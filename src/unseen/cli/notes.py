"""Print messages that several commands share."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unseen.cli.errors import say
from unseen.utils.errors import shorten


def say_unreadable(unreadable: Mapping[str, str], listed: Path | None = None) -> None:
    """List the pictures that could not be read, if there are any."""
    if unreadable:
        named = [f"{path} ({reason})" for path, reason in unreadable.items()]
        where = f"; see {listed}" if listed else ""
        say(f"{len(unreadable)} pictures cannot be read and are left out: {shorten(named, 3)}{where}.")


@contextmanager
def say_warnings() -> Iterator[None]:
    """Print warnings as sentences, without the line of code that they come from."""

    def show(message: Warning | str, *place: Any, **more: Any) -> None:
        say(f"Note: {message}.")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
