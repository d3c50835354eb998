"""What long work tells of itself, for whoever shows it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """What is being done, and how far it has come.

    Attributes
    ----------
    doing : str
        In words, as "learning from 7,057 rows".
    done : int
    total : int or None
        None where the end is not known.
    """

    doing: str
    done: int = 0
    total: int | None = None


# Called whenever something begins or moves on.
OnProgress = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """Show nothing."""


class Counter:
    """Tells how far something has come, whenever some more of it is done.

    Parameters
    ----------
    doing, total
        As for `Progress`.
    on_progress : callable

    Examples
    --------
    >>> count = Counter("encoding", 8, lambda now: print(now.doing, now.done, "of", now.total))
    encoding 0 of 8
    >>> count(3)
    encoding 3 of 8
    """

    def __init__(self, doing: str, total: int, on_progress: OnProgress) -> None:
        self._doing, self._done, self._total, self._on_progress = doing, 0, total, on_progress
        self(0)

    def __call__(self, more: int = 1) -> None:
        """Count some more."""
        self._done += more
        self._on_progress(Progress(self._doing, self._done, self._total))
