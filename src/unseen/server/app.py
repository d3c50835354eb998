"""Put the server together as an ASGI application."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.routing import Route, Router

from unseen import __version__
from unseen.server.access import Access
from unseen.server.endpoints import Endpoints
from unseen.server.gate import Gate
from unseen.server.metrics import Metrics
from unseen.server.service import Service


def make_app(service: Service, access: Access, more: Sequence[Route] = (), pages: Sequence[str] = ()) -> Gate:
    """Return the application that answers requests to a model.

    Parameters
    ----------
    service : Service
        The model and its candidates.
    access : Access
        Who may ask.
    more : sequence of Route
        Addresses besides those of the server, behind the same gate.
    pages : sequence of str
        Those of them that people open in a browser, where a token is part of the address.
    """
    metrics = Metrics(__version__, service.name)
    endpoints = Endpoints(service, metrics)

    @asynccontextmanager
    async def live(app: Any) -> AsyncIterator[None]:
        yield
        endpoints.close()

    routes = [*endpoints.routes(), *more]
    router = Router(routes, lifespan=live)
    return Gate(router, access, service.limits, metrics, {route.path for route in routes}, pages)
