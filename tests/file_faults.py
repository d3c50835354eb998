"""Operations on files that fail or kill, for the tests of what survives them."""

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.listdir", "os.scandir"}


class Faults:
    """Counts the operations on files below a folder, and lets one of them fail.

    Python offers no way to take such a hook away, so there is one, which sleeps between the tests.
    """

    folder: Path | None = None
    count = 0
    at: int | None = None
    error: int = 0

    @classmethod
    def watch(cls, event: str, arguments: tuple[Any, ...]) -> None:
        if cls.folder is None or event not in _EVENTS or not arguments or not isinstance(arguments[0], str | Path):
            return
        if str(arguments[0]).startswith(str(cls.folder)):
            cls.count += 1
            if cls.count == cls.at:
                raise OSError(cls.error, os.strerror(cls.error), str(arguments[0]))


_hooked = False


@contextmanager
def failing(folder: Path, at: int | None, error: int = 0) -> Iterator[type[Faults]]:
    """Let the operation of this number on files below a folder fail with this error."""
    global _hooked
    if not _hooked:
        sys.addaudithook(Faults.watch)
        _hooked = True
    Faults.folder, Faults.count, Faults.at, Faults.error = folder, 0, at, error
    try:
        yield Faults
    finally:
        Faults.folder = None


def damaged(content: bytes, choice: random.Random) -> bytes:
    """Change some bytes as disks and people do: replaced, zeroed, lost or doubled."""
    at, n = choice.randrange(len(content)), choice.choice([1, 1, 1, 4, 64, 512])
    before, hit, after = content[:at], content[at : at + n], content[at + n :]
    other = bytes(choice.randrange(256) for _ in hit)
    return before + choice.choice([other, other, other, bytes(len(other)), b"", other + hit]) + after
