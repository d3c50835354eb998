"""What a command shows while it works: on the error stream of a terminal, gone when it is done."""

from collections.abc import Iterator
from contextlib import contextmanager

from unseen.utils.progress import OnProgress, Progress


@contextmanager
def show_progress() -> Iterator[OnProgress]:
    """Show what is being done and how far it is; gives what to call."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Display

    console = Console(stderr=True)
    text = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Display(*columns, console=console, transient=True, disable=not console.is_terminal) as display:
        task = display.add_task("", total=None)

        def show(now: Progress) -> None:
            display.update(task, description=now.doing, completed=now.done, total=now.total)

        yield show
