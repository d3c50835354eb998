"""Count requests, rows, batches and seconds, in the text format of Prometheus."""

import os
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000)


class Histogram:
    """Count values by size, as Prometheus does: each bucket has all that is at most its bound."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self.sum += value

    def lines(self, name: str, labels: str = "") -> Iterator[str]:
        """Return its lines of text."""
        total = 0
        for bound, count in zip([*map(str, self._bounds), "+Inf"], self._counts, strict=True):
            total += count
            yield f'{name}_bucket{{{labels}{"," * bool(labels)}le="{bound}"}} {total}'
        yield f"{name}_sum{_braces(labels)} {self.sum:.9g}"
        yield f"{name}_count{_braces(labels)} {total}"


class Metrics:
    """What a server has done since its start; each count is kept by one thread only."""

    def __init__(self, version: str, model: str) -> None:
        self._about = f'version="{_escape(version)}",model="{_escape(model)}"'
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: dict[str, Histogram] = defaultdict(lambda: Histogram(_SECONDS))
        self._batches = Histogram(_SIZES)
        self.rows = 0
        self.pictures = 0
        self.in_flight = 0

    def count_request(self, path: str, status: int, seconds: float) -> None:
        """Count an answered request.

        Parameters
        ----------
        path : str
            One of the server's own addresses, or "other": clients may ask for any number of others.
        status : int
        seconds : float
        """
        self._requests[path, status] += 1
        self._seconds[path].add(seconds)

    def count_batch(self, requests: int) -> None:
        """Count a product that answered so many requests together."""
        self._batches.add(requests)

    def to_text(self) -> str:
        """Return everything in the text format of Prometheus."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _head("unseen_info", "gauge", "The version and the model.")
        yield f"unseen_info{{{self._about}}} 1"
        yield from _head("unseen_requests_total", "counter", "Requests that were answered.")
        for (path, status), count in sorted(self._requests.items()):
            yield f'unseen_requests_total{{path="{path}",status="{status}"}} {count}'
        yield from _head("unseen_request_seconds", "histogram", "Time from the headers of a request to its answer.")
        for path, seconds in sorted(self._seconds.items()):
            yield from seconds.lines("unseen_request_seconds", f'path="{path}"')
        yield from _head("unseen_batch_requests", "histogram", "Requests that were answered in one product.")
        yield from self._batches.lines("unseen_batch_requests")
        for name, value, words in (
            ("unseen_rows_total", self.rows, "Rows that were recognised."),
            ("unseen_pictures_total", self.pictures, "Pictures that were encoded."),
        ):
            yield from _head(name, "counter", words)
            yield f"{name} {value}"
        yield from _head("unseen_requests_in_flight", "gauge", "Requests that are being read or answered.")
        yield f"unseen_requests_in_flight {self.in_flight}"
        memory = count_resident_bytes()
        if memory is not None:
            yield from _head("process_resident_memory_bytes", "gauge", "Memory of the process.")
            yield f"process_resident_memory_bytes {memory}"


def count_resident_bytes() -> int | None:
    """Return the memory of this process, or None where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else None


def _head(name: str, kind: str, words: str) -> tuple[str, str]:
    return f"# HELP {name} {words}", f"# TYPE {name} {kind}"


def _braces(labels: str) -> str:
    return f"{{{labels}}}" if labels else ""


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
