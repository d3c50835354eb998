"""Put load on `unseen serve`: requests a second, p99 and memory, also beside clients that misbehave.

The server is a process of its own on 127.0.0.1, and this process is its clients; nothing leaves the machine. A bare
call answers one row, or 64 rows at once, without HTTP. Memory is that of the server, read from /metrics after the first
tenth of the requests and at the end.
"""

import asyncio
import json
import random
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import unseen
from benchmarks.predict_files import make_files
from benchmarks.tools.load import HOST, Load, load, make_request, put_load
from benchmarks.tools.ratios import Row, ratio_options, show
from benchmarks.tools.timing import MiB, time_best
from unseen.confidence import answers
from unseen.data import read_class_table

BODY_SECONDS = 2.0
START = f"""
import sys
from unseen.server import Access, Limits, Server, Service, make_app, open_socket
limits = Limits(body_seconds={BODY_SECONDS}, concurrency=256, connections=1024)
service = Service("model.unseen", "new.csv", limits=limits)
listening = open_socket("{HOST}", 0)
say = lambda: print(listening.getsockname()[1], flush=True)
Server(make_app(service, Access("{HOST}")), listening, limits, say).run()
"""
# Memory that the server may gain after the first tenth of the requests.
GROWTH = 8.0


def main(arguments: list[str]) -> None:
    parser = ratio_options(__name__, __doc__)
    parser.add_argument("--requests", type=int, default=100_000, help="number of requests for the memory")
    parser.add_argument("--each", type=int, default=5_000, help="number of requests for each other measurement")
    options = parser.parse_args(arguments)
    n, d, m = (50, 20, 10) if options.small else (1_000, 512, 200)
    count, each = (400, 100) if options.small else (options.requests, options.each)
    with TemporaryDirectory() as folder:
        make_files(Path(folder), n, d, m)
        X = np.load(Path(folder) / "all.npy")
        with serve(folder) as port:
            bare = time_bare_calls(Path(folder), X)
            rows = measure_speed(port, X, each, *bare) + measure_clients(port, X, each)
            rows += measure_memory(port, X, count, bare[0])
        show(rows, f"unseen serve: {d} features, {m} candidates, a row in each request", options.json)


@contextmanager
def serve(folder: str) -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", START], cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.terminate()
            if process.wait(60):
                raise SystemExit(f"the server ended with {process.returncode}")


def write_npy(X: np.ndarray) -> list[bytes]:
    head = b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, %d), }" % X.shape[1]
    head = head.ljust(127) + b"\n"
    return [make_request("/predict", head + row.tobytes(), "application/x-npy") for row in X]


def write_json(X: np.ndarray) -> list[bytes]:
    bodies = (json.dumps({"rows": [row]}).encode() for row in X.astype(float).round(5).tolist())
    return [make_request("/predict", body, "application/json") for body in bodies]


def time_bare_calls(folder: Path, X: np.ndarray) -> list[float]:
    """Time the model without a server, with one row and with 64."""
    model, table = unseen.load(folder / "model.unseen"), read_class_table(folder / "new.csv").table
    one, many = X[:1].astype(float), X[:64].astype(float)
    return time_best(lambda: answers(model, one, table), lambda: answers(model, many, table))


def measure_speed(port: int, X: np.ndarray, each: int, bare: float, bare_64: float) -> list[Row]:
    rows = []
    for kind, requests in (("npy", write_npy(X)), ("JSON", write_json(X))):
        for connections in (1, 16, 64):
            found = put_load(port, requests, connections, each)
            check(found, each)
            name = f"{kind}, {connections} connections"
            rows.append(Row(name, found.per_second, "bare calls, one row each", 1 / bare, unit="/s"))
            rows += tails(name, found, "a bare call", bare)
    rows.append(Row("bare call of 64 rows", 64 / bare_64, "bare calls, one row each", 1 / bare, unit="/s"))
    return rows


def tails(name: str, found: Load, floor_name: str, floor: float) -> list[Row]:
    return [Row(f"{name}, {word}", found.quantile(share), floor_name, floor) for word, share in TAILS.items()]


TAILS = {"p50": 0.5, "p99": 0.99}


def check(found: Load, count: int, status: int = 200) -> None:
    if dict(found.statuses) != {status: count}:
        raise SystemExit(f"of {count} requests, {dict(found.statuses)} were answered")


def measure_memory(port: int, X: np.ndarray, count: int, bare: float) -> list[Row]:
    requests = write_npy(X)
    check(put_load(port, requests, 16, count // 10), count // 10)
    before = read_memory(port)
    rest = count - count // 10
    found = put_load(port, requests, 16, rest, most_seconds=240)
    check(found, rest)
    grown = (read_memory(port) - before) / MiB
    return [
        Row(f"memory of the server after {count:,} requests", grown + before / MiB, "after the first tenth",
            before / MiB, unit="MiB"),
        Row("memory gained", grown, "MiB allowed", GROWTH, at_most=1.0, unit="MiB"),
        *tails(f"all {rest:,}", found, "a bare call", bare),
    ]  # fmt: skip


def read_metrics(port: int) -> dict[str, float]:
    text = urllib.request.urlopen(f"http://{HOST}:{port}/metrics").read().decode()
    return {name: float(value) for name, value in re.findall(r"^([^#\s]\S*) (\S+)$", text, flags=re.MULTILINE)}


def read_memory(port: int) -> float:
    return read_metrics(port)["process_resident_memory_bytes"]


def measure_clients(port: int, X: np.ndarray, each: int) -> list[Row]:
    """Ask well while others misbehave, and see what it costs."""
    requests = write_npy(X)
    alone = put_load(port, requests, 4, each)
    rows = []
    for name, misbehave in (("killed", kill_clients), ("slow", dawdle), ("bad bodies", send_nonsense)):
        found = asyncio.run(beside(port, requests, each, misbehave))
        check(found, each)
        rows += tails(f"4 connections beside {name}", found, "alone", alone.quantile(0.99))
    left = read_metrics(port)["unseen_requests_in_flight"]
    rows.append(Row("requests in flight at the end", left, "this one allowed", 1.0, at_most=1.0, unit=""))
    return rows


async def beside(port: int, requests: list[bytes], each: int, misbehave: object) -> Load:
    others = asyncio.create_task(misbehave(port, requests[0]))  # type: ignore[operator]
    found = await load(port, requests, 4, each)
    await others
    return found


async def kill_clients(port: int, request: bytes) -> None:
    """Ask 500 times and reset the connection at a random place of the request, or when the answer is under way."""
    chance = random.Random(0)
    for _ in range(500):
        _, writer = await asyncio.open_connection(HOST, port)
        writer.write(request[: chance.randrange(len(request) * 2)])
        await writer.drain()
        await asyncio.sleep(0.002)
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        writer.transport.abort()


async def dawdle(port: int, request: bytes) -> None:
    """Send 50 requests byte by byte; all have to be given up in time."""

    async def trickle() -> float:
        started = time.perf_counter()
        reader, writer = await asyncio.open_connection(HOST, port)
        for at in range(len(request)):
            writer.write(request[at : at + 1])
            await asyncio.sleep(0.1)
            if reader.at_eof() or writer.is_closing():
                break
            if time.perf_counter() - started > 10 * BODY_SECONDS:
                raise SystemExit("a client that sends a byte at a time is still waited for")
        writer.close()
        return time.perf_counter() - started

    await asyncio.gather(*(trickle() for _ in range(50)))


async def send_nonsense(port: int, request: bytes) -> None:
    """Send 500 bodies of random bytes under every content type; none may be answered with 200 or a defect."""
    chance = random.Random(0)
    kinds = ("application/json", "application/x-npy", "multipart/form-data; boundary=x", "image/png", "text/plain")
    for _ in range(500):
        body = chance.randbytes(chance.randrange(2000))
        found = await load(port, [make_request("/predict", body, chance.choice(kinds))], 1, 1)
        if not all(400 <= status < 500 for status in found.statuses):
            raise SystemExit(f"{body!r} was answered with {dict(found.statuses)}")
