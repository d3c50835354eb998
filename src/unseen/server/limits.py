"""Say how much a request may ask for, so that no client can fill the memory or keep the others waiting."""

from dataclasses import dataclass

MiB = 2**20


@dataclass(frozen=True)
class Limits:
    """Limits of a server; what goes beyond is refused with a sentence that names the limit.

    Attributes
    ----------
    body : int, default 16 MiB
        Bytes of the body of a request (413).
    rows, candidates, pictures : int, default 10000, 10000 and 64
        Number of each in a request (413).
    answers : int, default 1000000
        Number of rows times `top` in a request (413).
    pixels : int, default 50 million
        Pixels of a picture, decided from its header before it is decoded.
    seconds : float, default 30
        Time to answer once the request is there (503), and then for the client to take the answer.
    body_seconds : float, default 10
        Time for the client to send its request: first the headers, then the body (408).
    concurrency : int, default 64
        Number of requests that are read or answered at one time (503).
    connections : int, default 256
        Number of open connections (503).
    """

    body: int = 16 * MiB
    rows: int = 10_000
    candidates: int = 10_000
    pictures: int = 64
    answers: int = 1_000_000
    pixels: int = 50_000_000
    seconds: float = 30.0
    body_seconds: float = 10.0
    concurrency: int = 64
    connections: int = 256
