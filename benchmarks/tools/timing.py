"""Timing and memory, measured so that ratios mean something on a busy machine."""

import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path

MiB = 2**20


def time_best(*actions: Callable[[], object], repeats: int = 30) -> list[float]:
    """Time several actions in turn, again and again, and return the best time of each.

    Taking turns gives all of them the same disturbances; the best time is the one least disturbed.
    """
    best = [float("inf")] * len(actions)
    for action in actions:
        action()
    for _ in range(repeats):
        for index, action in enumerate(actions):
            started = time.perf_counter()
            action()
            best[index] = min(best[index], time.perf_counter() - started)
    return best


def time_once(action: Callable[[], object]) -> float:
    """Time one run."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


class PeakMemory:
    """Watch the process's own memory (not the pages of mapped files) while a block runs.

    Attributes
    ----------
    added : int
        Bytes by which the peak exceeded what was there at the start.
    """

    def __enter__(self) -> "PeakMemory":
        self._start = self._peak = _count_private_bytes()
        self._running = True
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._running = False
        self._thread.join()
        self.added = self._peak - self._start

    def _watch(self) -> None:
        while self._running:
            self._peak = max(self._peak, _count_private_bytes())
            time.sleep(0.002)


def _count_private_bytes() -> int:
    status = Path("/proc/self/status")
    if not status.exists():  # elsewhere than on Linux: the peak is the best there is
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    line = next(line for line in status.read_text().splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) * 1024
