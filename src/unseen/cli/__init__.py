"""The `unseen` command."""

from unseen.cli.main import app

__all__ = ["app"]
