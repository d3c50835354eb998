"""Put load on a server on this machine: many connections that ask one request after another."""

import asyncio
import re
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

HOST = "127.0.0.1"
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)


@dataclass
class Load:
    """What came of a number of requests: the seconds of each, their statuses, and the seconds of all."""

    latencies: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def per_second(self) -> float:
        return len(self.latencies) / self.seconds

    def quantile(self, share: float) -> float:
        return float(np.quantile(self.latencies, share))


def make_request(path: str, body: bytes, kind: str) -> bytes:
    """Write a request as it goes over the wire."""
    head = f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def put_load(port: int, requests: list[bytes], connections: int, count: int, most_seconds: float = 120.0) -> Load:
    """Ask `count` requests over so many connections; stop after `most_seconds`."""
    return asyncio.run(load(port, requests, connections, count, most_seconds))


async def load(port: int, requests: list[bytes], connections: int, count: int, most_seconds: float = 120.0) -> Load:
    found, left = Load(), iter(range(count))
    started = time.perf_counter()

    async def ask_on() -> None:
        reader, writer = await asyncio.open_connection(HOST, port)
        for at in left:
            asked = time.perf_counter()
            if asked - started > most_seconds:
                break
            writer.write(requests[at % len(requests)])
            found.statuses[await read_status(reader)] += 1
            found.latencies.append(time.perf_counter() - asked)
        writer.close()

    await asyncio.gather(*(ask_on() for _ in range(connections)))
    found.seconds = time.perf_counter() - started
    return found


async def read_status(reader: asyncio.StreamReader) -> int:
    """Read an answer whole, and return its status."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = _LENGTH.search(head)
    await reader.readexactly(int(length.group(1)) if length else 0)
    return int(head[9:12])
