"""The `unseen` command."""

import sys

__all__ = ["app", "main"]


def _stop() -> SystemExit:
    """Return what ends the command where nothing has begun that could be lost."""
    sys.stderr.write("Stopped.\n")
    return SystemExit(130)


try:
    from unseen.cli.main import app
except KeyboardInterrupt:  # while everything is being imported
    raise _stop() from None


def main() -> None:
    """Run the command; Ctrl-C ends it without a traceback, even before Typer listens."""
    try:
        app()
    except KeyboardInterrupt:
        raise _stop() from None
