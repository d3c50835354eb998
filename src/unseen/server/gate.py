"""Stand before all addresses: who may ask, how many at a time, and what becomes of errors."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from unseen.server.access import Access
from unseen.server.errors import RequestError, from_input_error
from unseen.server.limits import Limits
from unseen.server.metrics import Metrics
from unseen.utils.errors import InputError

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

_log = logging.getLogger("unseen.server")

# Asked by machines that watch over others, which often have no token. It tells nothing but that the server runs.
_OPEN = "/healthz"
# Answered however busy the server is.
_ALWAYS = (_OPEN, "/metrics")
# What nginx calls a client that went away.
_GONE = 499


class Gate:
    """The application that calls the others.

    Parameters
    ----------
    app : ASGI application
    access : Access
    limits : Limits
    metrics : Metrics
    paths : collection of str
        The addresses that there are.
    pages : collection of str
        Those that people open in a browser, where the token is part of the address: ``/?token=TOKEN``.
    """

    def __init__(
        self,
        app: Any,
        access: Access,
        limits: Limits,
        metrics: Metrics,
        paths: Collection[str],
        pages: Collection[str] = (),
    ) -> None:
        self._app = app
        self._pages = frozenset(pages)
        self._access = access
        self._limits = limits
        self._metrics = metrics
        self._paths = frozenset(paths)

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["app"] = self  # then Starlette raises what it cannot find, in place of an answer of its own
        started, watched = time.perf_counter(), _Watched(send)
        self._metrics.in_flight += 1
        try:
            await self._answer(scope, receive, watched)
        finally:
            self._metrics.in_flight -= 1
            path = scope["path"] if scope["path"] in self._paths else "other"
            self._metrics.count_request(path, watched.status or _GONE, time.perf_counter() - started)

    async def _answer(self, scope: Message, receive: Any, send: "_Watched") -> None:
        try:
            self._let_in(scope)
            # The parts of a request have limits of their own; this one is for a client that does not take its answer.
            async with asyncio.timeout(self._limits.body_seconds + 2 * self._limits.seconds):
                await self._app(scope, receive, send)
        except (ClientDisconnect, asyncio.CancelledError):
            return
        except Exception as error:
            if send.status:
                raise  # the connection is closed in the middle of the answer
            await _respond(_explain(error), scope, receive, send)

    def _let_in(self, scope: Message) -> None:
        path, headers = scope["path"], Headers(scope=scope)
        shown = dict(parse_qsl(scope["query_string"].decode("latin1"))).get("token") if path in self._pages else None
        self._access.check(headers, open_to_all=path == _OPEN, shown=shown)
        if self._metrics.in_flight > self._limits.concurrency and path not in _ALWAYS:
            raise RequestError(
                503,
                "busy",
                f"the server answers {self._limits.concurrency} requests already: try again later",
                headers={"Retry-After": "1"},
            )


class _Watched:
    """What sends, and which status was sent."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)


def _explain(error: Exception) -> RequestError:
    if isinstance(error, RequestError):
        return error
    if isinstance(error, InputError):
        return from_input_error(error)
    if isinstance(error, HTTPException):
        kind = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "refused")
        message = f"{error.detail}: GET /openapi.json tells what there is"
        return RequestError(error.status_code, kind, message, headers=error.headers)
    _log.error("a request failed in a way that nobody foresaw", exc_info=error)
    what = f"the server failed in a way that nobody foresaw ({type(error).__name__}): its log tells more"
    return RequestError(500, "internal", what)


async def _respond(error: RequestError, scope: Message, receive: Any, send: Send) -> None:
    response = Response(error.to_json(), error.status, error.headers, "application/json")
    await response(scope, receive, send)
