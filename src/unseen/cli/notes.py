"""Print messages that several commands share."""

from collections.abc import Mapping
from pathlib import Path

from unseen.cli.errors import say
from unseen.utils.errors import shorten


def say_unreadable(unreadable: Mapping[str, str], listed: Path | None = None) -> None:
    """List the pictures that could not be read, if there are any."""
    if unreadable:
        named = [f"{path} ({reason})" for path, reason in unreadable.items()]
        where = f"; see {listed}" if listed else ""
        say(f"{len(unreadable)} pictures cannot be read and are left out: {shorten(named, 3)}{where}.")
