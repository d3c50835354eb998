"""Close connections whose clients keep the server waiting, which uvicorn by itself does not."""

import asyncio
import socket
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from unseen.server.errors import RequestError
from unseen.server.limits import Limits


class LimitedConnection(H11Protocol):
    """A connection on which each request has to come, and its answer to be taken, within a time.

    The time of a body is the business of whoever reads it. Here are the headers, what is left of a body after it was
    refused, and an answer that the client does not take.
    """

    limits: Limits
    _hurry: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request, unless there are too many connections."""
        super().connection_made(transport)
        # Or the body of an answer waits 40 ms until the client has confirmed the headers. Python sets it by itself only
        # on sockets that were made with the number of the protocol.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) > self.limits.connections:
            self._end(RequestError(503, "busy", "the server has too many connections: try again later"))
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """Go on waiting while the request is not there, whatever trickles in."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE or (self.cycle is not None and self.cycle.response_complete):
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP."""
        self._end(RequestError(400, "malformed", f"{msg.rstrip('.')}: let an HTTP library write it"))

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection on which nothing more comes; at once, if its last answer is not taken in time."""
        super().timeout_keep_alive_handler()
        if self.transport.get_write_buffer_size():
            self.loop.call_later(self.limits.seconds, self.transport.abort)

    def _wait(self) -> None:
        if self._hurry is None:
            self._hurry = self.loop.call_later(self.limits.body_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None

    def _give_up(self) -> None:
        self._hurry = None
        within = f"the request did not come within {self.limits.body_seconds:g} seconds: send it faster"
        self._end(RequestError(408, "timeout", within))

    def _end(self, error: RequestError) -> None:
        """Close the connection, with an answer unless one is under way."""
        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = error.to_json()
            head = (
                f"HTTP/1.1 {error.status} {error.kind}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            )
            self.transport.write(head.encode("ascii") + body)
        self.transport.close()


def limit_connections(limits: Limits) -> type[LimitedConnection]:
    """Return the class of connections with these limits, for uvicorn's option `http`."""
    return type("Connection", (LimitedConnection,), {"limits": limits})
