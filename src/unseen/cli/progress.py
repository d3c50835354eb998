"""Show the progress of a command: as a bar on a terminal, and elsewhere as a line from time to time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from unseen.cli.errors import say
from unseen.utils.progress import OnProgress, Progress

# Often enough to show in a log that something happens, and seldom enough for it to stay short overnight.
_SECONDS = 30.0


@contextmanager
def show_progress() -> Iterator[OnProgress]:
    """Show the progress of a task; yield the function to call with it."""
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
    """Print the progress as a line, if the last line was a while ago."""

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
    """Write a duration in words, rounded like an estimate.

    >>> _write_duration(50), _write_duration(150), _write_duration(10_000)
    ('50 seconds', '2 minutes', '2.8 hours')
    """
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
