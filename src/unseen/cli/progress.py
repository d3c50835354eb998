"""Shows how far a command is: on a terminal a bar that is gone when it is done, elsewhere a line now and then."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from unseen.cli.errors import say
from unseen.utils.progress import OnProgress, Progress

# So that a log shows that something happens, and stays short over a night.
_SECONDS = 30.0


@contextmanager
def show_progress() -> Iterator[OnProgress]:
    """Show what is being done and how far it is; gives what to call."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines()
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Display

    text = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Display(*columns, console=console, transient=True) as display:
        task = display.add_task("", total=None)

        def show(now: Progress) -> None:
            display.update(task, description=now.doing, completed=now.done, total=now.total)

        yield show


class _Lines:
    """Says how far something is, when the last line is a while ago."""

    def __init__(self) -> None:
        self._said = self._began = time.monotonic()
        self._doing, self._first = "", 0

    def __call__(self, now: Progress) -> None:
        at = time.monotonic()
        if now.doing != self._doing:
            self._doing, self._began, self._first = now.doing, at, now.done
        if at - self._said >= _SECONDS:
            self._said = at
            say(f"{now.doing}{_write_state(now, now.done - self._first, at - self._began)}")


def _write_state(now: Progress, more: int, seconds: float) -> str:
    if not now.total or not more:
        return f", for {_write_duration(seconds)} now" if seconds >= 1 else ""
    left = seconds * (now.total - now.done) / more
    return f": {now.done:,} of {now.total:,} ({now.done / now.total:.0%}), about {_write_duration(left)} left"


def _write_duration(seconds: float) -> str:
    """Write a duration in words, as exactly as a guess deserves.

    >>> _write_duration(50), _write_duration(150), _write_duration(10_000)
    ('50 seconds', '2 minutes', '2.8 hours')
    """
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
