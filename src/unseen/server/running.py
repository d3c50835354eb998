"""Run the server until it is asked to stop, and let it finish what it has begun."""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from unseen.server.connections import limit_connections
from unseen.server.limits import Limits
from unseen.utils.errors import InputError

_STOPPED_BY = (signal.SIGINT, signal.SIGTERM)


def open_socket(host: str, port: int) -> socket.socket:
    """Open the socket that the server listens at, or say why it cannot.

    Parameters
    ----------
    host : str
    port : int
        The port; 0 stands for any that is free.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        # Python adds the address, which is said already.
        reason = str(error.strerror or error).partition(" (while")[0]
        raise InputError(
            f"port={port} of host={host} cannot be listened at ({reason}): choose another, or 0 for any that is free"
        ) from error


def write_address(listening: socket.socket) -> str:
    """Return the address of a server, as one opens it in a browser."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """Answer requests until the process is asked to stop, or `stop` is called; then finish those that have begun.

    Parameters
    ----------
    app : ASGI application
    listening : socket
        As `open_socket` returns it; it is closed at the end.
    limits : Limits
    on_start : callable, optional
        Called when requests are answered.
    """

    def __init__(
        self, app: Any, listening: socket.socket, limits: Limits, on_start: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(_configure(app, limits))
        self._listening = listening
        self._on_start = on_start

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer requests; in the main thread, SIGINT and SIGTERM end it."""
        asyncio.run(self.serve(sockets or [self._listening]))

    def stop(self) -> None:
        """Ask it to stop, from any thread."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if self.started:
            self._on_start()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal; uvicorn would raise it once more at the end, as if nothing had been finished."""
        in_main = threading.current_thread() is threading.main_thread()
        before = {number: signal.signal(number, self.handle_exit) for number in _STOPPED_BY} if in_main else {}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _configure(app: Any, limits: Limits) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=limit_connections(limits),
        ws="none",
        lifespan="on",
        log_level="warning",
        # It would hold the addresses that were asked for, and the server keeps nothing of its users.
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=limits.body_seconds,
        timeout_graceful_shutdown=int(limits.body_seconds + limits.seconds) + 1,
    )
