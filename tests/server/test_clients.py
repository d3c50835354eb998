"""Clients that dawdle, vanish or come in crowds do not keep the others waiting."""

import json
import socket
import threading
import time
from typing import Any

import pytest
from serving import Client, read_all, serving

from unseen.data import ZeroShotDataset
from unseen.server import Limits, Service
from unseen.workflows import Fitted

HEAD = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture
def hasty(fitted: Fitted) -> Any:
    with serving(Service(fitted, limits=Limits(body_seconds=0.4, seconds=2.0))) as client:
        yield client


@pytest.mark.parametrize("begun", [b"", b"GET / HT", HEAD, HEAD + b"Content-Length: 100\r\n\r\n{"])
def test_a_request_that_does_not_come_is_given_up(hasty: Client, begun: bytes) -> None:
    found = read_all(hasty.send(begun))
    assert found.startswith(b"HTTP/1.1 408 ")
    assert b'"type": "timeout"' in found
    assert hasty.ask("/healthz").status == 200


def test_trickling_headers_do_not_renew_the_time(hasty: Client) -> None:
    connection = hasty.send(HEAD)
    ended = threading.Event()

    def trickle() -> None:
        try:
            while not ended.wait(0.1):
                connection.sendall(b"X: y\r\n")
        except OSError:
            pass

    thread = threading.Thread(target=trickle)
    thread.start()
    try:
        assert read_all(connection).startswith(b"HTTP/1.1 408 ")
    finally:
        ended.set()
        thread.join()


def test_the_second_request_of_a_connection_has_to_come_too(hasty: Client) -> None:
    connection = hasty.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert connection.recv(12) == b"HTTP/1.1 200"
    connection.sendall(b"GET /hea")
    assert b"HTTP/1.1 408 " in read_all(connection)


def test_a_refused_body_is_not_read_for_ever(hasty: Client) -> None:
    connection = hasty.send(HEAD + b"Content-Length: 99999999999\r\n\r\n")
    started = time.monotonic()
    try:
        while time.monotonic() - started < 20:
            connection.sendall(b"x" * 1000)
            time.sleep(0.02)
        raise AssertionError("it is still read")
    except OSError:
        assert time.monotonic() - started > 0.3, "the answer can be read before the connection ends"
    assert hasty.ask("/healthz").status == 200


@pytest.mark.parametrize("begun", [b"", HEAD, HEAD + b"Content-Length: 100\r\n\r\n{", None])
def test_killed_clients_leave_nothing_behind(client: Client, data: ZeroShotDataset, begun: bytes | None) -> None:
    if begun is None:  # a whole question, whose answer nobody takes
        body = b'{"rows": [' + str(data.X_train[0].tolist()).encode() + b"]}"
        begun = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    for _ in range(20):
        connection = client.send(begun)
        # The connection is reset, as if the process had been killed.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        connection.close()
    wait_until_idle(client)
    assert client.ask("/predict", {"rows": data.X_train[:1].tolist()}).status == 200


def wait_until_idle(client: Client) -> None:
    for _ in range(200):
        text = client.ask("/metrics").content.decode()
        if "\nunseen_requests_in_flight 1\n" in text:
            return
        time.sleep(0.02)
    raise AssertionError(text)


class Slow(Service):
    """A service that answers when it is told to."""

    def __init__(self, fitted: Fitted, limits: Limits) -> None:
        super().__init__(fitted, limits=limits)
        self.asked, self.go_on = threading.Event(), threading.Event()

    def answer(self, questions: Any) -> Any:
        self.asked.set()
        assert self.go_on.wait(20)
        return super().answer(questions)


def test_a_crowd_is_asked_to_come_later(fitted: Fitted, data: ZeroShotDataset) -> None:
    service, body = Slow(fitted, Limits(concurrency=2)), {"rows": data.X_train[:1].tolist()}
    found = []
    with serving(service) as client:
        threads = [threading.Thread(target=lambda: found.append(client.ask("/predict", body))) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            assert service.asked.wait(20)
            while b"unseen_requests_in_flight 3\n" not in client.ask("/metrics").content:
                time.sleep(0.01)
            crowded = client.ask("/predict", body)
            assert (crowded.status, crowded.error["type"]) == (503, "busy")
            assert crowded.headers["retry-after"] == "1"
            assert client.ask("/healthz").status == 200
        finally:
            service.go_on.set()
            for thread in threads:
                thread.join()
        assert [one.status for one in found] == [200, 200]


def test_an_answer_that_takes_too_long_is_given_up(fitted: Fitted, data: ZeroShotDataset) -> None:
    service = Slow(fitted, Limits(seconds=0.3))
    with serving(service) as client:
        try:
            found = client.ask("/predict", {"rows": data.X_train[:1].tolist()})
            assert (found.status, found.error["type"]) == (503, "too_slow")
        finally:
            service.go_on.set()
        assert client.ask("/predict", {"rows": data.X_train[:1].tolist()}).status == 200


def test_too_many_connections_are_refused(fitted: Fitted) -> None:
    with serving(Service(fitted, limits=Limits(connections=3))) as client:
        held = [client.send(b"") for _ in range(3)]
        while True:  # until the server has seen them
            found = read_all(client.send(b""))
            if found:
                break
        assert found.startswith(b"HTTP/1.1 503 ")
        for one in held:
            one.close()
        for _ in range(100):
            try:
                assert client.ask("/healthz").status == 200
                break
            except (AssertionError, OSError):
                time.sleep(0.02)
        else:
            raise AssertionError("the connections are still counted")


def test_an_answer_that_nobody_takes_is_dropped(fitted: Fitted, data: ZeroShotDataset) -> None:
    """The answer is larger than what the systems on both sides keep for a connection."""
    rows = data.X_train[:1].round(1).tolist() * 10_000
    body = json.dumps({"rows": rows, "names": ["x" * 1000] * len(rows)}).encode()
    with serving(Service(fitted, limits=Limits(seconds=2.0, body_seconds=1.0))) as client:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(30)
        connection.connect(("127.0.0.1", client.port))
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert connection.recv(12) == b"HTTP/1.1 200"
        # The server gives the connection up by itself, after the time of keeping it and that of an answer.
        time.sleep(4)
        assert 1_000 < len(read_all(connection)) < 10_000_000
        connection.close()
