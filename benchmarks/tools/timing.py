"""Measure time and memory so that ratios are reliable on a busy machine."""

import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path

MiB = 2**20


def time_best(*actions: Callable[[], object], repeats: int = 30) -> list[float]:
    """Time several actions in turn, repeatedly, and return the best time of each.

    Taking turns exposes all of them to the same disturbances; the best time is the least disturbed one.
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
    """Time one run of an action."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


class PeakMemory:
    """Measure the peak of the process's own memory (without the pages of mapped files) while a block runs.

    Attributes
    ----------
    added : int
        Bytes by which the peak exceeded the memory at the start.
    """

    def __enter__(self) -> "PeakMemory":
        self._start = self._peak = _count_bytes("RssAnon")
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
            self._peak = max(self._peak, _count_bytes("RssAnon"))
            time.sleep(0.002)


def measure_peak_memory() -> float:
    """Return the peak memory of this process so far, in MiB."""
    return _count_bytes("VmHWM") / MiB


def find_in_status(status: str, name: str) -> int:
    """Return a number of bytes from what Linux tells of a process in its status.

    >>> find_in_status("VmHWM:\\t  2 kB\\nRssAnon:\\t  1 kB", "RssAnon")
    1024
    """
    line = next(line for line in status.splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024


def _count_bytes(name: str) -> int:
    status = Path("/proc/self/status")
    if not status.exists():  # not on Linux: only a peak, which may be that of the process that started this one
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return find_in_status(status.read_text(), name)
