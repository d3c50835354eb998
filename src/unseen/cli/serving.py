"""What the commands that serve something share."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unseen.server import Access


def prepare_access(host: str, token: str | None, purpose: str) -> "Access":
    """Return who may ask, before anything is read; the token is given, or in the environment.

    Parameters
    ----------
    host, token
        As the user gave them.
    purpose : str
        What needs the packages of the extra, as the subject of a sentence.
    """
    from unseen.utils.optional import import_optional

    for package in ("starlette", "uvicorn"):
        import_optional(package, "server", purpose)
    from unseen.server.access import TOKEN, Access

    return Access(host, token if token is not None else os.environ.get(TOKEN) or None)
