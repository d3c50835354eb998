"""Report the progress of long computations."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """What is being done, and how much of it is done.

    Attributes
    ----------
    doing : str
        Description, such as "learning from 7,057 rows".
    done : int
        Number of steps done.
    total : int or None
        Number of steps in all; None if it is not known.
    """

    doing: str
    done: int = 0
    total: int | None = None


# Called when a computation begins and whenever it advances.
OnProgress = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """Show nothing."""


class Counter:
    """Count steps and report each change.

    Parameters
    ----------
    doing, total
        As for `Progress`.
    on_progress : callable
        Called with the present `Progress`.

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
        """Count `more` further steps."""
        self._done += more
        self._on_progress(Progress(self._doing, self._done, self._total))
