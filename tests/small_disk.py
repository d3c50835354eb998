"""A full disk, for the tests of those who write files."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def small_disk(size: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
