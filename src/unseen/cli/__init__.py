"""The `unseen` command."""

import sys

try:
    from unseen.cli.main import app
except KeyboardInterrupt:  # while everything is being imported: nothing has begun that could be lost
    sys.stderr.write("Stopped.\n")
    raise SystemExit(130) from None

__all__ = ["app"]
