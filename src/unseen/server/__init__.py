"""Serve a model over HTTP: `unseen serve`, as an application that other programs can run too.

- `Service`: the model, loaded once, and what it is asked.
- `make_app`: the ASGI application; `Access` says who may ask, and `Limits` for how much.
- `Server`, `open_socket`: answer requests until the process is asked to stop.

It needs the extra `server` (Starlette and uvicorn).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unseen.server.access import Access
    from unseen.server.app import make_app
    from unseen.server.limits import Limits
    from unseen.server.running import Server, open_socket
    from unseen.server.service import Service

# Imported on first use: the pieces that need no extra work without it.
_HOMES = {
    "Access": "access",
    "Limits": "limits",
    "Server": "running",
    "Service": "service",
    "make_app": "app",
    "open_socket": "running",
}

__all__ = ["Access", "Limits", "Server", "Service", "make_app", "open_socket"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"unseen.server.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'unseen.server' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
