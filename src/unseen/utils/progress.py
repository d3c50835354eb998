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
