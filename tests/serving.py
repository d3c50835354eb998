"""A server in a thread, and clients that ask it over a real connection."""

import http.client
import json
import socket
import threading
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from unseen.server import Access, Limits, Server, Service, make_app, open_socket


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def error(self) -> dict[str, str]:
        return self.json["error"]


@dataclass(frozen=True)
class Client:
    port: int

    def ask(self, path: str, body: Any = None, kind: str = "application/json", **headers: str) -> Reply:
        """Send bytes as they are and anything else as JSON; without a body, GET."""
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        sent = ({} if content is None else {"Content-Type": kind}) | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        try:
            connection.request("GET" if content is None else "POST", path, content, sent)
            found = connection.getresponse()
            return Reply(found.status, {name.lower(): value for name, value in found.getheaders()}, found.read())
        finally:
            connection.close()

    def send(self, content: bytes) -> socket.socket:
        """Open a connection and send bytes that need not be HTTP."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        connection.sendall(content)
        return connection


def read_all(connection: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


@contextmanager
def running(app: Any, limits: Limits) -> Iterator[Client]:
    """Run an application in a thread."""
    listening = open_socket("127.0.0.1", 0)
    port = listening.getsockname()[1]
    started = threading.Event()
    server = Server(app, listening, limits, started.set)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert started.wait(20)
        yield Client(port)
    finally:
        server.stop()
        thread.join(30)
        assert not thread.is_alive()


@contextmanager
def serving(service: Service, access: Access | None = None) -> Iterator[Client]:
    with running(make_app(service, access or Access("127.0.0.1")), service.limits) as client:
        yield client


def form(parts: list[tuple[str, str | None, bytes]], boundary: str = "xyz") -> bytes:
    """Write a multipart form of (name, file name, content)."""
    lines = []
    for name, filename, content in parts:
        named = "" if filename is None else f'; filename="{urllib.parse.quote(filename)}"'
        lines += [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'.encode(),
            content,
            b"\r\n",
        ]
    return b"".join([*lines, f"--{boundary}--\r\n".encode()])
